import type { INodeType, INodeTypeDescription } from "n8n-workflow";
import { fields, operations } from "./fields";

export class Waymark implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Waymark",
    name: "waymark",
    icon: "file:waymark.svg",
    group: ["output"],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: "Make, find, change and count short links",
    defaults: { name: "Waymark" },
    inputs: ["main"],
    outputs: ["main"],
    usableAsTool: true,
    credentials: [{ name: "waymarkApi", required: true }],
    requestDefaults: {
      baseURL: '={{$credentials.url.replace(/\\/+$/, "") + $credentials.prefix}}/v1',
      headers: { Accept: "application/json", Prefer: "handling=strict" },
    },
    properties: [operations, ...fields],
  };
}

/** Run-time settings: their API and commands. The platform starts them before all rooms. */
import type { CompletionWord } from "../cli/completion.ts";
import type { Core } from "../core.ts";
import type { Room } from "../room-shape.ts";
import type { ConfigDeps } from "./config.routes.ts";

export const configRoom = {
  name: "config",
  commands: { config: "show and change settings" },
  setUpCommands: ["config set", "config import"],
  loadCommands: async () => (await import("./config.commands.ts")).addConfigCommands,
  async loadValues() {
    const { CONFIG_KEYS, definitionOf, isConfigKey } = await import("./definitions.ts");
    const { FILE_FORMATS } = await import("./settings-file.ts");
    const keys = CONFIG_KEYS.map((key): CompletionWord => [key, definitionOf(key).description]);
    const editable = keys.filter(([key]) => isConfigKey(key) && definitionOf(key).editable);
    const valuesOf = (_: string, [key = ""]: readonly string[]) => {
      if (!isConfigKey(key)) return [];
      const { type, options } = definitionOf(key);
      if (type === "bool") return ["true", "false"];
      return type === "enum" ? (options ?? []).map(({ value, label }): CompletionWord => [value, label]) : [];
    };
    return {
      "config list": { "--category": [...new Set(CONFIG_KEYS.map((key) => definitionOf(key).category))] },
      "config get": { key: keys },
      "config set": { key: editable, value: valuesOf },
      "config reset": { key: editable },
      "config export": { "--format": FILE_FORMATS },
      "config import": { "--format": FILE_FORMATS },
    };
  },
  async start({ config }: Core, { auth }: { auth: { requireFactor: ConfigDeps["requireFactor"] } }) {
    const { configEndpoints } = await import("./config.routes.ts");
    const endpoints = configEndpoints({ config, requireFactor: auth.requireFactor });
    return { offers: {}, endpoints: { api: endpoints } };
  },
} satisfies Room;

import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from "n8n-workflow";

export class WaymarkApi implements ICredentialType {
  name = "waymarkApi";
  displayName = "Waymark API";
  icon = "file:waymark.svg" as const;

  properties: INodeProperties[] = [
    {
      displayName: "Address",
      name: "url",
      type: "string",
      default: "",
      required: true,
      placeholder: "https://go.example.com",
      description: "Address of your server",
    },
    {
      displayName: "API Token",
      name: "token",
      type: "string",
      typeOptions: { password: true },
      default: "",
      required: true,
      description: "With the scopes links:read and links:write, and analytics:read for clicks",
    },
    {
      displayName: "Admin Prefix",
      name: "prefix",
      type: "string",
      default: "/admin",
      description: "The setting routes.admin_prefix of your server",
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { Authorization: "=Bearer {{$credentials.token}}" } },
  };

  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{$credentials.url.replace(/\\/+$/, "") + $credentials.prefix}}/v1',
      url: "/auth/me",
    },
  };
}

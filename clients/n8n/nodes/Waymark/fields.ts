/** The operations on links and their fields. Each says what it sends. */
import type { INodeProperties } from "n8n-workflow";

const DATA = [{ type: "rootProperty" as const, properties: { property: "data" } }];
const ADDRESS = '=/links/{{encodeURIComponent($parameter["code"])}}';

export const operations: INodeProperties = {
  displayName: "Operation",
  name: "operation",
  type: "options",
  noDataExpression: true,
  default: "create",
  options: [
    {
      name: "Create",
      value: "create",
      action: "Create a link",
      routing: { request: { method: "POST", url: "/links" }, output: { postReceive: DATA } },
    },
    {
      name: "Delete",
      value: "delete",
      action: "Delete a link",
      routing: {
        request: { method: "DELETE", url: ADDRESS },
        output: { postReceive: [{ type: "set", properties: { value: '={{ { "deleted": true } }}' } }] },
      },
    },
    {
      name: "Get",
      value: "get",
      action: "Get a link",
      routing: { request: { method: "GET", url: ADDRESS }, output: { postReceive: DATA } },
    },
    {
      name: "Get Clicks",
      value: "clicks",
      action: "Get the clicks of a link",
      routing: { request: { method: "GET", url: `${ADDRESS}/analytics` }, output: { postReceive: DATA } },
    },
    {
      name: "Get Many",
      value: "getMany",
      action: "Get many links",
      routing: { request: { method: "GET", url: "/links" }, output: { postReceive: DATA } },
    },
    {
      name: "Update",
      value: "update",
      action: "Update a link",
      routing: { request: { method: "PATCH", url: ADDRESS }, output: { postReceive: DATA } },
    },
  ],
};

const on = (...names: string[]): INodeProperties["displayOptions"] => ({ show: { operation: names } });
const body = (property: string, value = "={{$value}}"): INodeProperties["routing"] => ({
  send: { type: "body", property, value },
});
const query = (property: string): INodeProperties["routing"] => ({ send: { type: "query", property } });
/** Tags between commas. */
const TAGS = '={{$value.split(",").map((tag) => tag.trim()).filter((tag) => tag !== "")}}';

const target: INodeProperties = {
  displayName: "Target",
  name: "target",
  type: "string",
  default: "",
  placeholder: "https://example.com/page",
  description: "The URL to which the link leads",
};
const title: INodeProperties = {
  displayName: "Title",
  name: "title",
  type: "string",
  default: "",
  routing: body("title"),
};
const tags: INodeProperties = {
  displayName: "Tags",
  name: "tags",
  type: "string",
  default: "",
  placeholder: "spring, newsletter",
  description: "Separated by commas",
  routing: body("tags", TAGS),
};
const expiresAt: INodeProperties = {
  displayName: "Expires At",
  name: "expiresAt",
  type: "string",
  default: "",
  placeholder: "7d",
  description: "An instant such as 2027-01-31T12:00:00Z, or a time from now such as 7d",
  routing: body("expires_at"),
};
const maxClicks: INodeProperties = {
  displayName: "Most Clicks",
  name: "maxClicks",
  type: "number",
  typeOptions: { minValue: 1 },
  default: 100,
  description: "The number of clicks after which the link ends",
  routing: body("max_clicks"),
};
const domain: INodeProperties = {
  displayName: "Domain",
  name: "domain",
  type: "string",
  default: "",
  placeholder: "go.example.com",
  description: "A domain of the server; empty: its default one",
  routing: query("domain"),
};

export const fields: INodeProperties[] = [
  {
    ...target,
    required: true,
    displayOptions: on("create"),
    routing: body("target"),
  },
  {
    displayName: "Code",
    name: "code",
    type: "string",
    default: "",
    required: true,
    description: "The part of the short URL after the host",
    displayOptions: on("get", "update", "delete", "clicks"),
  },
  {
    displayName: "Options",
    name: "options",
    type: "collection",
    placeholder: "Add option",
    default: {},
    displayOptions: on("create"),
    options: [
      {
        displayName: "Code",
        name: "newCode",
        type: "string",
        default: "",
        description: "The part of the short URL after the host; empty: a random one",
        routing: body("code"),
      },
      { ...domain, routing: body("domain") },
      expiresAt,
      maxClicks,
      {
        displayName: "Reuse",
        name: "reuse",
        type: "boolean",
        default: true,
        description: "Whether a link with this target and nothing else set is the result, if there is one",
        routing: body("reuse"),
      },
      tags,
      title,
    ],
  },
  {
    displayName: "Changes",
    name: "changes",
    type: "collection",
    placeholder: "Add field",
    default: {},
    displayOptions: on("update"),
    options: [expiresAt, maxClicks, tags, { ...target, routing: body("target") }, title],
  },
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    displayOptions: on("getMany"),
    routing: {
      send: {
        paginate: "={{$value}}",
        type: "query",
        property: "page_size",
        value: "={{$value ? 100 : undefined}}",
      },
      operations: {
        pagination: {
          type: "generic",
          properties: {
            continue: "={{!!$response.body.next_cursor}}",
            request: { qs: { cursor: '={{$response.body.next_cursor ?? ""}}' } },
          },
        },
      },
    },
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: { minValue: 1, maxValue: 100 },
    default: 50,
    description: "Max number of results to return",
    displayOptions: { show: { operation: ["getMany"], returnAll: [false] } },
    routing: { send: { type: "query", property: "page_size" } },
  },
  {
    displayName: "Filters",
    name: "filters",
    type: "collection",
    placeholder: "Add filter",
    default: {},
    displayOptions: on("getMany"),
    options: [
      { ...domain, description: "A domain of the server; * stands for all, empty for its default one" },
      {
        displayName: "Search",
        name: "search",
        type: "string",
        default: "",
        description: "Text in the code, target, title or note",
        routing: query("search"),
      },
      { displayName: "Tag", name: "tag", type: "string", default: "", routing: query("tag") },
    ],
  },
  {
    displayName: "Options",
    name: "place",
    type: "collection",
    placeholder: "Add option",
    default: {},
    displayOptions: on("get", "update", "delete", "clicks"),
    options: [domain],
  },
];

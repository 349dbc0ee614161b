/** Examples of requests and responses, made from the schemas. A field has the same value everywhere. */
import type { Json, NamedSchemas } from "./openapi-schema.ts";

const INSTANT = "2026-11-20T12:00:00.000Z";

const FIELDS: Readonly<Record<string, unknown>> = {
  code: "docs/start",
  target: "https://example.com/docs?x=1",
  url: "https://go.example.com/docs/start",
  short_url: "https://go.example.com/docs/start",
  title: "Documentation",
  note: "Printed on the flyer of spring",
  tag: "spring",
  tags: ["spring"],
  host: "go.example.com",
  token: `wmk_${"0".repeat(40)}`,
  username: "anna",
  current_password: "an old long password",
  new_password: "a new long password",
  password: "a new long password",
  name: "spring",
  expires_at: "2027-01-31T00:00:00.000Z",
  starts_at: "2026-12-01T00:00:00.000Z",
  success: ["docs/start"],
  failed: [],
  failed_items: [],
  skipped_count: 0,
  failed_count: 0,
  error: "target is not a URL.",
  redirect_status: 307,
  bot_percentage: 4.76,
  total_with_ua: 42,
  quota_bytes: 0,
  used_bytes: 48213,
  max_file_size: 0,
  category: "features",
  config_key: "features.default_url",
  default_value: "",
  old_value: "",
  new_value: "https://example.com/",
  changed_by: "admin",
  pending_value: "/manage",
  description: "Where the root leads",
  timestamp: INSTANT,
  storage_type: "database",
  cache_type: "memory",
  mime_type: "application/pdf",
  size: 48213,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  base_path: "archive",
  browsers: [{ name: "Firefox", count: 21, percentage: 50 }],
  operating_systems: [{ name: "Linux", count: 21, percentage: 50 }],
  devices: [{ name: "desktop", count: 40, percentage: 95.24 }],
  country: "DE",
  city: "Köln",
  referrer: "example.org",
  clicks: 42,
  click_count: 42,
  total_clicks: 42,
  human_clicks: 40,
  count: 21,
  percentage: 50,
  labels: ["2026-11-19", "2026-11-20"],
  values: [20, 22],
  page_size: 20,
  total: 1,
  expires_in: 900,
  message: "OK",
  actor: "anna",
  action: "update",
  created_by: "anna",
  key: "features.default_url",
  value: "https://example.com/",
  "Upload-Length": 10,
  "Upload-Offset": 0,
  "Upload-Metadata": "filename cmVwb3J0LnBkZg==",
};

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": INSTANT,
  uri: "https://example.com/",
  uuid: "0b6f8f5e-6f0e-4b0e-9a0a-2f5c0c7f8a11",
  email: "anna@example.com",
};

/** Optional field that examples show in responses only. */
const QUIET = "password";

/** @param name of the field */
export function exampleOf(given: Json, named: NamedSchemas, name?: string): unknown {
  const schema = named.resolve(given);
  const own = schema["examples"] as unknown[] | undefined;
  if (own !== undefined) return own[0];
  if ("const" in schema) return schema["const"];
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as Json[] | undefined;
  if (choices !== undefined) return exampleOfChoice(choices, named, name);
  if (name !== undefined && name in FIELDS && fits(FIELDS[name], schema)) return FIELDS[name];
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  return exampleOfType(schema, named, name);
}

function exampleOfChoice(choices: Json[], named: NamedSchemas, name: string | undefined): unknown {
  const known = choices.find((choice) => name !== undefined && name in FIELDS && fits(FIELDS[name], choice));
  if (known !== undefined) return FIELDS[name!];
  return choices.some(({ type }) => type === "null") ? null : exampleOf(choices[0]!, named, name);
}

const typesOf = ({ type }: Json): readonly unknown[] => (Array.isArray(type) ? type : [type]);

function exampleOfType(schema: Json, named: NamedSchemas, name: string | undefined): unknown {
  const { format, minimum, items } = schema;
  const types = typesOf(schema);
  if (types.includes("null")) return null;
  switch (types[0]) {
    case "object":
      return exampleOfObject(schema, named);
    case "array":
      return [exampleOf((items ?? {}) as Json, named, name?.replace(/s$/, ""))];
    case "string":
      return FORMATS[String(format)] ?? ["text", ""].find((text) => fits(text, schema)) ?? "text";
    case "integer":
    case "number":
      return typeof minimum === "number" ? Math.max(minimum, 1) : 1;
    case "boolean":
      return false;
    default:
      return null;
  }
}

function exampleOfObject(schema: Json, named: NamedSchemas): Json {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Record<string, Json>;
    required?: string[];
    additionalProperties?: unknown;
  };
  // Closed objects are responses.
  const isResponse = additionalProperties === false;
  const shown = Object.entries(properties).filter(
    ([name]) => required.includes(name) || isResponse || (name in FIELDS && name !== QUIET),
  );
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, named, name)]));
}

/** Whether the value of a field's name is one of this field. */
function fits(value: unknown, schema: Json): boolean {
  const { pattern, enum: choices, maxLength = Infinity, minimum = -Infinity, format, items } = schema;
  const types = typesOf(schema);
  if ("const" in schema || (Array.isArray(choices) && !choices.includes(value))) return false;
  if (typeof value === "string") {
    const isInstant = format !== "date-time" || !Number.isNaN(Date.parse(value));
    const isOther = typeof format === "string" && !["uri", "date-time"].includes(format);
    const isForm = typeof pattern !== "string" || new RegExp(pattern, "u").test(value);
    return (
      types.includes("string") && isForm && isInstant && !isOther && value.length <= (maxLength as number)
    );
  }
  if (typeof value === "number") {
    return types.some((type) => type === "integer" || type === "number") && value >= (minimum as number);
  }
  if (!Array.isArray(value) || !types.includes("array")) return false;
  return typeof value[0] === "object" || value.every((item) => fits(item, (items ?? {}) as Json));
}

import { z } from "zod";
import { ERRORS } from "../lib/errors.ts";
import { endpoint, type Endpoint, type Pagination } from "./endpoint.ts";
import { STATUS_OF_KIND } from "./errors.ts";

type Described = { prefix: string; endpoints: readonly Endpoint[] };
type Json = Record<string, unknown>;

const FAILURE = {
  type: "object",
  required: ["code", "error", "message"],
  properties: {
    code: { type: "integer", enum: Object.values(ERRORS).map(({ code }) => code) },
    error: { type: "string", enum: Object.keys(ERRORS) },
    message: { type: "string" },
  },
};

const PAGINATION = {
  type: "object",
  required: ["page", "page_size", "total", "total_pages"] satisfies (keyof Pagination)[],
  properties: {
    page: { type: "integer" },
    page_size: { type: "integer" },
    total: { type: "integer" },
    total_pages: { type: "integer" },
  },
};

const toSchema = (schema: z.ZodType, io: "input" | "output"): Json => {
  const json = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json;
  delete json["$schema"];
  return json;
};

function openApiDocument(tables: readonly Described[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const { prefix, endpoints } of tables) {
    for (const entry of endpoints) {
      const path = (prefix + entry.path).replaceAll(/:(\w+)(\{[^}]*\})?/g, "{$1}");
      (paths[path] ??= {})[entry.method.toLowerCase()] = operation(entry, path);
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Waymark", version },
    paths,
    components: {
      schemas: { Failure: FAILURE, Pagination: PAGINATION },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
        cookie: { type: "apiKey", in: "cookie", name: "svc_access" },
      },
    },
  };
}

function operation(entry: Endpoint, path: string): Json {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map((match) => ({
    name: match[1],
    in: "path",
    required: true,
    schema: { type: match[1] === "id" ? "integer" : "string" },
  }));
  const query =
    entry.query === undefined
      ? {}
      : ((toSchema(entry.query, "input")["properties"] ?? {}) as Record<string, Json>);
  const failure = { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } };
  return {
    tags: [entry.tag],
    summary: entry.summary,
    ...(entry.access === "public" ? {} : { security: [{ bearer: [] }, { cookie: [] }] }),
    parameters: [
      ...parameters,
      ...Object.entries(query).map(([name, schema]) => ({ name, in: "query", required: false, schema })),
    ],
    ...requestBody(entry),
    responses: {
      ...success(entry),
      default: {
        description: `A failure: ${[...new Set(Object.values(STATUS_OF_KIND))].join(", ")}`,
        content: failure,
      },
    },
  };
}

function requestBody({ body, form }: Endpoint): Json {
  const taken = body ?? form;
  if (taken === undefined) return {};
  const type = body === undefined ? "multipart/form-data" : "application/json";
  return { requestBody: { required: true, content: { [type]: { schema: toSchema(taken, "input") } } } };
}

function success({ raw, status, answer, paged }: Endpoint): Json {
  if (raw?.type === null) return { [raw.status ?? 200]: { description: "OK, without a body" } };
  if (raw !== undefined) {
    const schema = raw.type === "application/json" ? { type: "object" } : { type: "string" };
    return { [raw.status ?? 200]: { description: "OK", content: { [raw.type]: { schema } } } };
  }
  const properties = {
    code: { const: 0 },
    message: { type: "string" },
    ...(answer && { data: toSchema(answer, "output") }),
    ...(paged && { pagination: { $ref: "#/components/schemas/Pagination" } }),
  };
  const schema = { type: "object", required: Object.keys(properties), properties };
  return { [status ?? 200]: { description: "OK", content: { "application/json": { schema } } } };
}

/** Made at the first request. */
export function openApiEndpoint(tables: () => readonly Described[], version: string): Endpoint {
  let document: Json | undefined;
  return endpoint({
    method: "GET",
    path: "/openapi.json",
    access: "account",
    tag: "meta",
    summary: "This API as an OpenAPI document",
    raw: { type: "application/json" },
    handle({ c }) {
      document ??= openApiDocument(tables(), version);
      return c.json(document);
    },
  });
}

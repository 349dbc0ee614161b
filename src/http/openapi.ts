/** The OpenAPI 3.1 document of the endpoint tables, so that what is documented is what is mounted. */
import { z } from "zod";
import { ERRORS } from "../lib/errors.ts";
import { endpoint, type Endpoint } from "./endpoint.ts";
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
      schemas: { Failure: FAILURE },
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
  const data = entry.answer === undefined ? {} : { data: toSchema(entry.answer, "output") };
  const failure = { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } };
  return {
    tags: [entry.tag],
    summary: entry.summary,
    ...(entry.access === "public" ? {} : { security: [{ bearer: [] }, { cookie: [] }] }),
    parameters: [
      ...parameters,
      ...Object.entries(query).map(([name, schema]) => ({ name, in: "query", required: false, schema })),
    ],
    ...(entry.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: toSchema(entry.body, "input") } },
          },
        }),
    responses: {
      [entry.status ?? 200]: {
        description: "OK",
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties: { code: { const: 0 }, message: { type: "string" }, ...data },
            },
          },
        },
      },
      default: {
        description: `A failure: ${[...new Set(Object.values(STATUS_OF_KIND))].join(", ")}`,
        content: failure,
      },
    },
  };
}

/** Serves the document; it is made at the first request. */
export function openApiEndpoint(tables: () => readonly Described[], version: string): Endpoint {
  let document: Json | undefined;
  return endpoint({
    method: "GET",
    path: "/openapi.json",
    access: "account",
    tag: "meta",
    summary: "This API as an OpenAPI document",
    handle({ c }) {
      document ??= openApiDocument(tables(), version);
      return c.json(document);
    },
  });
}

import { z } from "zod";
import { endpoint, type Endpoint, tokenScope } from "./endpoint.ts";
import { ROLES } from "../lib/access.ts";
import { answersOf, failureAnswers, SCHEMAS } from "./openapi-answers.ts";
import { type Json, jsonSchemaOf } from "./openapi-schema.ts";

export type Described = {
  tables: readonly { prefix: string; endpoints: readonly Endpoint[] }[];
  /** Of endpoints that may be closed. */
  gates: readonly { prefix: string }[];
  sessionCookie: string;
  csrfCookie: string;
  csrfHeader: string;
  version: string;
};

const EACH_ROLE = `Roles: ${ROLES.join(", ")}; each may what those before it may.`;

const DEFAULT_PARAMS: Record<string, z.ZodType> = { id: z.int().min(1) };

function openApiDocument(described: Described): Json {
  const { tables, gates, version } = described;
  const paths: Record<string, Json> = {};
  for (const { prefix, endpoints } of tables) {
    const gated = gates.some((gate) => `${prefix}/`.startsWith(`${gate.prefix}/`));
    for (const entry of endpoints) {
      const path = (prefix + entry.path).replaceAll(/:(\w+)(\{[^}]*\})?/g, "{$1}");
      const operations = (paths[path] ??= {});
      operations[entry.method.toLowerCase()] = operation(entry, path, gated);
      // Such a GET answers in its headers.
      if (entry.method === "GET" && entry.raw?.type === null)
        operations["head"] = operation(entry, path, gated);
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Waymark", version, description: "Every address that answers GET answers HEAD." },
    paths,
    components: {
      schemas: SCHEMAS,
      responses: failureAnswers(),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: `The access token of a session; the least role of its account. ${EACH_ROLE}`,
        },
        token: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "wmk_",
          description: "An API token with the scope",
        },
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: described.sessionCookie,
          description: `The same access token as a cookie; the least role of its account. ${EACH_ROLE}`,
        },
        csrf_cookie: { type: "apiKey", in: "cookie", name: described.csrfCookie },
        csrf: { type: "apiKey", in: "header", name: described.csrfHeader },
      },
    },
  };
}

function operation(entry: Endpoint, path: string, gated: boolean): Json {
  return {
    tags: [entry.tag],
    summary: entry.summary,
    ...security(entry),
    parameters: parametersOf(entry, path),
    ...requestBody(entry),
    responses: answersOf(entry, gated),
  };
}

/** Any of the alternatives: a session by bearer or by cookies, or an API token. */
function security(entry: Endpoint): Json {
  const { access, method } = entry;
  if (access === "public") return {};
  const proof = method === "GET" || method === "OPTIONS" ? {} : { csrf_cookie: [], csrf: [] };
  const roles = access === "account" ? [] : [access];
  const scope = tokenScope(entry);
  const tokens = scope === null ? [] : [{ token: scope === "any" ? [] : [scope] }];
  return { security: [{ bearer: roles }, { cookie: roles, ...proof }, ...tokens] };
}

function parametersOf({ params = {}, query, headers }: Endpoint, path: string): Json[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  return [
    ...names.map((name) => ({
      name,
      in: "path",
      required: true,
      schema: jsonSchemaOf(params[name] ?? DEFAULT_PARAMS[name] ?? z.string(), "input"),
    })),
    ...parametersIn("query", query),
    ...parametersIn("header", headers),
  ];
}

function parametersIn(place: "query" | "header", schema: z.ZodType | undefined): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }));
}

function requestBody({ body, form, rawBody }: Endpoint): Json {
  const binary = { type: "string", format: "binary" };
  if (rawBody !== undefined) return { requestBody: { content: { [rawBody]: { schema: binary } } } };
  const taken = body ?? form;
  if (taken === undefined) return {};
  const type = body === undefined ? "multipart/form-data" : "application/json";
  return { requestBody: { required: true, content: { [type]: { schema: jsonSchemaOf(taken, "input") } } } };
}

/** Made at the first request. */
export function openApiEndpoint(described: () => Described): Endpoint {
  let document: Json | undefined;
  return endpoint({
    method: "GET",
    path: "/openapi.json",
    access: "account",
    scope: "any",
    tag: "meta",
    summary: "This API as an OpenAPI document",
    raw: { type: "application/json" },
    handle({ c }) {
      document ??= openApiDocument(described());
      return c.json(document);
    },
  });
}

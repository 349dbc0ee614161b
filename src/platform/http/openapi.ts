import { z } from "zod";
import { endpoint, type Endpoint, tokenScope } from "./endpoint.ts";
import { madeOnce } from "../../lib/made-once.ts";
import { ROLES } from "../../lib/access.ts";
import { createTimeSlices } from "../../lib/time-slices.ts";
import { shareBytes, sharedResponse } from "../../lib/shared-bytes.ts";
import { failureResponses, responsesOf, SCHEMAS, withHeaders } from "./openapi-responses.ts";
import { exampleOf } from "./openapi-examples.ts";
import { operationIdOf, pascal } from "./openapi-names.ts";
import { BINARY, createNamedSchemas, type Json, nameChoices, type NamedSchemas } from "./openapi-schema.ts";
import {
  describedOperation,
  describedTags,
  INTRODUCTION,
  PARAMETERS,
  WEBHOOK_HEADERS,
  withFieldTexts,
  withTexts,
} from "./openapi-texts.ts";

export type Described = {
  tables: readonly { prefix: string; endpoints: readonly Endpoint[] }[];
  /** Prefixes of endpoints that may be closed. */
  gates: readonly { prefix: string }[];
  sessionCookie: string;
  csrfCookie: string;
  csrfHeader: string;
  version: string;
  /** Requests that Waymark sends, by name. */
  webhooks: Readonly<Record<string, { meaning: string; body: z.ZodType }>>;
};

const EACH_ROLE = `Roles: ${ROLES.join(", ")}; each can do what those before it can.`;

const DEFAULT_PARAMS: Record<string, z.ZodType> = { id: z.int().min(1) };

export function openApiDocument(described: Described): Json {
  const steps = documentSteps(described);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** How long others wait while a document is made, which takes a tenth of a second in all. */
const SLICE_MS = 5;

async function documentInSlices(described: Described): Promise<string> {
  const slices = createTimeSlices(SLICE_MS);
  const steps = documentSteps(described);
  for (;;) {
    const { done, value } = steps.next();
    if (done || slices.due()) await slices.rest();
    if (done) return JSON.stringify(value);
  }
}

/** Returns the document. Most steps are an operation. */
function* documentSteps(described: Described): Generator<void, Json> {
  const { tables, gates, version, webhooks } = described;
  const paths: Record<string, Json> = {};
  const named = createNamedSchemas(SCHEMAS);
  const tags = new Set<string>();
  for (const { prefix, endpoints } of tables) {
    const gated = gates.some((gate) => `${prefix}/`.startsWith(`${gate.prefix}/`));
    for (const entry of endpoints.map(withHeaders)) {
      yield;
      tags.add(entry.tag);
      const path = (prefix + entry.path).replaceAll(/:(\w+)(\{[^}]*\})?/g, "{$1}");
      const operations = (paths[path] ??= {});
      operations[entry.method.toLowerCase()] = operation(entry, { path, gated, named });
      // Such a GET responds in its headers.
      if (entry.method === "GET" && entry.raw?.type === null) {
        const operationId = operationIdOf(entry).replace(/^get/, "head");
        const description = describedOperation(entry, operationId);
        operations["head"] = { ...operation(entry, { path, gated, named }), operationId, description };
      }
    }
  }
  const requests = Object.fromEntries(
    Object.entries(webhooks).map(([name, { meaning, body }]) => {
      // In its place: generators of clients drop a named schema that no path refers to.
      const payload = withTexts({ title: `${pascal(name)}Payload`, ...named.schemaOf(body, "output") });
      return [name, { post: webhookOperation(name, meaning, payload) }];
    }),
  );
  yield;
  const schemas = withFieldTexts(named.schemas);
  const items = [...Object.values(paths), ...Object.values(requests)];
  nameChoices(
    items.flatMap((item) => Object.values(item) as Json[]),
    schemas,
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Waymark",
      version,
      description: INTRODUCTION,
      contact: { name: "The administrators of this server" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: describedTags(tags),
    paths,
    webhooks: requests,
    components: {
      schemas: sorted(schemas),
      responses: failureResponses(),
      securitySchemes: securitySchemes(described),
    },
  };
}

const sorted = (schemas: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const securitySchemes = ({ sessionCookie, csrfCookie, csrfHeader }: Described): Json => ({
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: `The access token of a session, and the lowest role that its account needs. ${EACH_ROLE}`,
  },
  token: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "wmk_",
    description: "An API token, and the scope that it needs",
  },
  cookie: {
    type: "apiKey",
    in: "cookie",
    name: sessionCookie,
    description: `The same access token as a cookie, and the lowest role that its account needs. ${EACH_ROLE}`,
  },
  csrf_cookie: {
    type: "apiKey",
    in: "cookie",
    name: csrfCookie,
    description: "Proof against forged requests of other sites. Signing in sets it.",
  },
  csrf: { type: "apiKey", in: "header", name: csrfHeader, description: `The value of ${csrfCookie}.` },
});

const webhookOperation = (name: string, summary: string, schema: Json): Json => ({
  operationId: `on${pascal(name)}`,
  tags: ["webhooks"],
  summary,
  security: [],
  parameters: WEBHOOK_HEADERS.map(([header, description]) => ({
    name: header,
    in: "header",
    description,
    required: true,
    schema: { type: "string" },
  })),
  requestBody: { required: true, content: { "application/json": { schema } } },
  responses: {
    "2XX": { description: "taken" },
    "410": { description: "the webhook is disabled" },
    default: { description: "tried again later" },
  },
});

type Place = { path: string; gated: boolean; named: NamedSchemas };

const operation = (entry: Endpoint, { path, gated, named }: Place): Json => ({
  operationId: operationIdOf(entry),
  tags: [entry.tag],
  summary: entry.summary,
  description: describedOperation(entry),
  ...security(entry),
  parameters: parametersOf(entry, path, named),
  ...requestBody(entry, named),
  responses: responsesOf(entry, gated, named),
});

/** Any of the alternatives: a session by bearer or by cookies, or an API token. */
function security(entry: Endpoint): Json {
  const { access, method } = entry;
  if (access === "public") return { security: [] };
  const proof = method === "GET" || method === "OPTIONS" ? {} : { csrf_cookie: [], csrf: [] };
  const roles = access === "account" ? [] : [access];
  const scope = tokenScope(entry);
  const tokens = scope === null ? [] : [{ token: scope === "any" ? [] : [scope] }];
  return { security: [{ bearer: roles }, { cookie: roles, ...proof }, ...tokens] };
}

function parametersOf(
  { params = {}, query, headers, paged }: Endpoint,
  path: string,
  named: NamedSchemas,
): Json[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const inPath = z.object(
    Object.fromEntries(names.map((name) => [name, params[name] ?? DEFAULT_PARAMS[name] ?? z.string()])),
  );
  return [
    ...parametersIn("path", inPath, named),
    ...parametersIn("query", query, named).map((one) =>
      paged === "either" && one["name"] === "page" ? withoutDefault(one) : one,
    ),
    ...parametersIn("header", headers, named),
  ];
}

/** Generated clients send defaults, and beside a cursor a page is refused. */
function withoutDefault({ schema, description, ...rest }: Json): Json {
  const { default: given, ...bare } = schema as Json;
  return { ...rest, description: `${description}; default ${given}, without a cursor`, schema: bare };
}

function parametersIn(
  place: "path" | "query" | "header",
  schema: z.ZodType | undefined,
  named: NamedSchemas,
): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = named.resolve(named.schemaOf(schema, "input")) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const isRequired = place === "path" || required.includes(name);
    const { description = PARAMETERS[name], const: only, ...rest } = property;
    return {
      name,
      in: place,
      ...(description !== undefined && { description }),
      required: isRequired,
      // Generators know a single choice in more places than a constant.
      schema: only === undefined ? rest : { ...rest, enum: [only] },
      ...(isRequired && { example: exampleOf(property, named, name) }),
    };
  });
}

function requestBody(entry: Endpoint, named: NamedSchemas): Json {
  const { body, form, rawBody } = entry;
  if (rawBody !== undefined) return { requestBody: { content: { [rawBody]: { schema: BINARY } } } };
  const taken = body ?? form;
  if (taken === undefined) return {};
  const json = named.schemaOf(taken, "input");
  const schema = json["type"] === "object" ? named.named(`${pascal(operationIdOf(entry))}Body`, json) : json;
  const content =
    body === undefined
      ? { "multipart/form-data": { schema } }
      : { "application/json": { schema, example: exampleOf(schema, named) } };
  return { requestBody: { required: entry.optionalBody !== true, content } };
}

/** Made at the first request. */
export function openApiEndpoint(described: () => Described): Endpoint {
  const document = madeOnce(async () => shareBytes(Buffer.from(await documentInSlices(described()))));
  return endpoint("GET /openapi.json", {
    access: "public",
    scope: null,
    tag: "meta",
    summary: "This API as an OpenAPI document",
    raw: { type: "application/json" },
    async handle({ c }) {
      const type = "application/json; charset=utf-8";
      return sharedResponse(c.req.raw, await document(), { "Content-Type": type });
    },
  });
}

import { z } from "zod";
import { ERRORS, type FieldError, MOST_FIELD_ERRORS } from "../../lib/errors.ts";
import type { DocumentedResponse, Endpoint, Pagination } from "./endpoint.ts";
import { STATUS_OF_KIND } from "./errors.ts";
import { isRepeatable, KEY_FORM, KEY_HEADER, REPLAYED_HEADER } from "./idempotency.ts";
import { exampleOf } from "./openapi-examples.ts";
import { operationIdOf, pascal } from "./openapi-names.ts";
import { BINARY, type Json, type NamedSchemas, referenceTo } from "./openapi-schema.ts";

const ifMatch = {
  "If-Match": z.string().optional().describe("ETag of a response; 412 if it was changed since"),
};
const ifNoneMatch = {
  "If-None-Match": z
    .string()
    .optional()
    .describe("ETag of the response that the client has; 304 if it is current"),
};
const refusedMatch = { "If-None-Match": z.string().optional().describe("412 if its ETag is this") };

const repeatKey = {
  [KEY_HEADER]: z
    .string()
    .regex(KEY_FORM)
    .optional()
    .describe(
      "a new one for each request, such as a UUID; a repetition with it has the same response for 24 hours",
    ),
};
const replayed = { [REPLAYED_HEADER]: z.literal("true").optional() };

/** Headers of a success. A long listing of a folder is streamed without a tag. */
const headersOfSuccess = (entry: Endpoint) =>
  z.object({
    ...(entry.tagged !== undefined && { ETag: entry.tagged === true ? z.string() : z.string().optional() }),
    ...(isRepeatable(entry) && replayed),
  });

export function withHeaders(entry: Endpoint): Endpoint {
  const { tagged, locked, isConditional = locked !== undefined, method } = entry;
  const isRead = tagged !== undefined && method === "GET";
  const isRepeated = isRepeatable(entry);
  const headers = {
    ...(isRepeated && repeatKey),
    ...(isRead && ifNoneMatch),
    ...(isConditional && { ...ifMatch, ...refusedMatch }),
  };
  if (Object.keys(headers).length === 0) return entry;
  return {
    ...entry,
    headers: (entry.headers ?? z.object({})).extend(headers),
    failures: [...(entry.failures ?? []), ...(isConditional ? [412] : []), ...(isRepeated ? [409, 422] : [])],
    others: {
      ...entry.others,
      ...(isRead && {
        304: { type: null, description: "The client's copy is current", headers: headersOfSuccess(entry) },
      }),
    },
  };
}

const JSON_TYPE = "application/json";

/** Refused as it is read, with a text. */
const HEAD_TOO_LARGE = 431;
/** Possible for any request. */
const ALWAYS = [400, 413, HEAD_TOO_LARGE, 500, 503, 507];
const WITH_RETRY = [423, 429, 503];

const DESCRIPTIONS: Record<number, string> = {
  410: "It existed, but has ended",
  412: "A precondition of the request is not met",
  415: "The body has another media type than the endpoint takes",
  416: "The range begins after the end of the content",
  423: "Another request is using it",
  460: "The bytes do not match their checksum",
};

const EVERYWHERE = { "X-Request-Id": { required: true, schema: { type: "string", format: "uuid" } } };

type Errors = [name: string, error: { code: number }][];

const failureSchema = (errors: Errors, hasDetails: boolean): Json => ({
  type: "object",
  required: ["code", "error", "message"],
  properties: {
    code: { type: "integer", enum: errors.map(([, { code }]) => code), description: "number of the error" },
    error: { type: "string", enum: errors.map(([name]) => name), description: "name of the error" },
    message: { type: "string", description: "what is wrong and what to do" },
    ...(hasDetails && {
      details: {
        type: "array",
        items: referenceTo("FieldError"),
        maxItems: MOST_FIELD_ERRORS,
        description: "of an invalid request: a sentence for each field",
      },
    }),
  },
});

/** None of a status that errors of other kinds have too. */
const errorsOf = (status: number): Errors =>
  status in DESCRIPTIONS
    ? []
    : Object.entries(ERRORS).filter(([, { kind }]) => STATUS_OF_KIND[kind] === status);

/** A status that several kinds of errors share has the general schema. */
const failureName = (status: number): string =>
  errorsOf(status).length > 0 ? `Failure${status}` : "Failure";

const FAILURES = [...Object.values(STATUS_OF_KIND), ...Object.keys(DESCRIPTIONS).map(Number)].filter(
  (status) => status !== STATUS_OF_KIND.method_not_allowed,
);

export const SCHEMAS = {
  Failure: failureSchema(Object.entries(ERRORS), true),
  ...Object.fromEntries(
    FAILURES.filter((status) => errorsOf(status).length > 0).map((status) => [
      failureName(status),
      failureSchema(errorsOf(status), status === STATUS_OF_KIND.invalid),
    ]),
  ),
  FieldError: {
    type: "object",
    required: ["field", "message"] satisfies (keyof FieldError)[],
    properties: {
      field: {
        type: "string",
        description: "path of the field, such as payload.target; body for the whole body",
      },
      message: { type: "string" },
    },
  },
  Message: {
    type: "object",
    properties: { message: { type: "string" } },
    required: ["message"],
    additionalProperties: false,
  },
  Pagination: {
    type: "object",
    required: ["page", "page_size", "total", "total_pages"] satisfies (keyof Pagination)[],
    properties: {
      page: { type: "integer" },
      page_size: { type: "integer" },
      total: { type: "integer" },
      total_pages: { type: "integer" },
    },
  },
};

export const failureResponses = (): Json => ({
  ...Object.fromEntries(FAILURES.map((status) => [status, failureResponse(status)])),
  [HEAD_TOO_LARGE]: { description: "The request line and headers are longer than 16 KiB" },
});

/** @param gated all paths of its kind are 404 while a setting is empty */
export function responsesOf(entry: Endpoint, gated: boolean, named: NamedSchemas): Json {
  const failures = failuresOf(entry, gated);
  const responses: Record<number, Json> = Object.fromEntries(
    [...failures].map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  );
  const { raw, status = 200, others = {} } = entry;
  const envelope = { type: JSON_TYPE, headers: headersOfSuccess(entry) };
  const found = entry.found === undefined ? {} : { 200: { ...envelope, description: entry.found } };
  const byStatus = { [raw?.status ?? status]: raw ?? envelope, ...found, ...others };
  for (const [key, documented] of Object.entries(byStatus)) {
    const other = Number(key);
    const isEnvelope = raw === undefined && (other === status || other in found);
    const schema = isEnvelope ? envelopeOf(entry, named) : schemaIn(documented, entry, other, named);
    const response = documentedResponse(documented, schema, named);
    responses[other] = failures.has(other) ? merged(response, failureResponse(other)) : response;
  }
  return responses;
}

function failuresOf({ access, path, failures = [] }: Endpoint, gated: boolean): Set<number> {
  const guarded = access === "public" ? [] : [401, 403, 429];
  const missing = gated || (path.includes(":") && access !== "public") ? [404] : [];
  return new Set([...ALWAYS, ...guarded, ...missing, ...failures]);
}

function failureResponse(status: number): Json {
  const errors = errorsOf(status);
  const headers = {
    ...EVERYWHERE,
    ...(status === 401 && { "WWW-Authenticate": { required: true, schema: { const: "Bearer" } } }),
    ...(WITH_RETRY.includes(status) && {
      "Retry-After": { description: "seconds", schema: { type: "integer", minimum: 1 } },
    }),
    ...(status === 416 && { "Content-Range": { schema: { type: "string" } } }),
  };
  const [error = "BadRequest", { code } = ERRORS.BadRequest] = errors[0] ?? [];
  const isInvalid = status === STATUS_OF_KIND.invalid;
  const message = isInvalid ? "target is required." : "What is wrong, and what to do.";
  const details = isInvalid ? { details: [{ field: "target", message }] } : {};
  return {
    description: DESCRIPTIONS[status] ?? errors.map(([name, one]) => `${name} (${one.code})`).join(", "),
    headers,
    content: {
      [JSON_TYPE]: {
        schema: referenceTo(failureName(status)),
        example: { code, error, message, ...details },
      },
    },
  };
}

const hasPages = ({ paged }: Endpoint): boolean => paged === true || paged === "either";
const hasCursor = ({ paged }: Endpoint): boolean => paged === "cursor" || paged === "either";

const requiredOf = ({ paged }: Endpoint): string[] => {
  if (paged === undefined || paged === "either") return [];
  return paged === "cursor" ? ["next_cursor"] : ["pagination"];
};

/**
 * Names an envelope after its content: Link in LinkResponse, a list in LinkListResponse; that of a creation or change with
 * fields beside, and one whose content has no name, after the operation.
 */
function envelopeOf(entry: Endpoint, named: NamedSchemas): Json {
  const operation = pascal(operationIdOf(entry));
  const data = entry.response && dataOf(entry.response, operation, named);
  const items = (data?.["items"] ?? {}) as Json;
  const isWrite = entry.status === 201 || entry.method === "PUT" || entry.method === "PATCH";
  const name =
    (entry.beside !== undefined && isWrite ? operation : nameIn(data)) ??
    (nameIn(items) && nameIn(items) + (entry.paged ? "Page" : "List")) ??
    (data === undefined ? "Empty" : operation);
  const stem = name.replace(/Result$/, "");
  return named.named(stem === operation ? bodyName(operation) : `${stem}Response`, {
    type: "object",
    required: ["code", "message", ...(data ? ["data"] : []), ...requiredOf(entry)],
    properties: {
      code: { type: "integer", const: 0 },
      message: { type: "string" },
      ...(data && { data }),
      ...(hasPages(entry) && { pagination: referenceTo("Pagination") }),
      ...(hasCursor(entry) && {
        next_cursor: { type: ["string", "null"], description: "null: the last page" },
      }),
      ...Object.fromEntries(
        Object.entries(entry.beside ?? {}).map(([field, schema]) => [
          field,
          named.schemaOf(schema, "output"),
        ]),
      ),
    },
    additionalProperties: false,
  });
}

/** Generated clients give the name `…Response` to what each operation returns. */
const bodyName = (operation: string): string => `${operation}ResponseBody`;

function dataOf(response: z.ZodType, operation: string, named: NamedSchemas): Json {
  const json = named.schemaOf(response, "output");
  if (Bun.deepEquals(json, SCHEMAS.Message)) return referenceTo("Message");
  if (json["type"] === "object") return named.named(`${operation}Result`, json);
  const items = json["items"] as Json | undefined;
  if (items?.["type"] !== "object") return json;
  return { ...json, items: named.named(`${operation}Item`, items) };
}

const nameIn = (schema: Json | undefined): string | undefined =>
  (schema?.["$ref"] as string | undefined)?.split("/").at(-1);

function schemaIn(
  { type, schema }: DocumentedResponse,
  entry: Endpoint,
  status: number,
  named: NamedSchemas,
): Json {
  if (schema === undefined) return type === JSON_TYPE ? { type: "object" } : contentOf(type);
  const json = named.schemaOf(schema, "output");
  if (json["type"] !== "object") return json;
  return named.named(bodyName(pascal(operationIdOf(entry)) + (status === 200 ? "" : status)), json);
}

const contentOf = (type: DocumentedResponse["type"]): Json =>
  [type].flat().every((one) => one === null || /^text\/|json$/.test(one)) ? { type: "string" } : BINARY;

function documentedResponse(
  { type, headers, description }: DocumentedResponse,
  schema: Json,
  named: NamedSchemas,
): Json {
  const exampleFor = (one: string) =>
    one === JSON_TYPE && "$ref" in schema ? { example: exampleOf(schema, named) } : {};
  return {
    description: description ?? (type === null ? "OK, without a body" : "OK"),
    headers: { ...EVERYWHERE, ...(headers && headersOf(headers, named)) },
    ...(type !== null && {
      content: Object.fromEntries([type].flat().map((one) => [one, { schema, ...exampleFor(one) }])),
    }),
  };
}

function headersOf(headers: z.ZodObject, named: NamedSchemas): Json {
  const { properties, required = [] } = named.schemaOf(headers, "output") as {
    properties: Record<string, Json>;
    required?: string[];
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, { required: required.includes(name), schema }]),
  );
}

/** Joins the two meanings of a status. */
function merged(response: Json, refusal: Json): Json {
  const content: Record<string, Json> = { ...(refusal["content"] as Record<string, Json>) };
  for (const [type, { schema, ...rest }] of Object.entries(
    (response["content"] ?? {}) as Record<string, Json>,
  )) {
    const other = content[type]?.["schema"];
    content[type] = { schema: other === undefined ? schema : { anyOf: [schema, other] }, ...rest };
  }
  return { ...refusal, ...response, content };
}

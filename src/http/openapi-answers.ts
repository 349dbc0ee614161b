import { z } from "zod";
import { ERRORS } from "../lib/errors.ts";
import type { DocumentedAnswer, Endpoint, Pagination } from "./endpoint.ts";
import { STATUS_OF_KIND } from "./errors.ts";
import { type Json, jsonSchemaOf } from "./openapi-schema.ts";

const JSON_TYPE = "application/json";

/** Possible for any request. */
const ALWAYS = [400, 413, 500, 503];
const WITH_RETRY = [423, 429, 503];

const DESCRIPTIONS: Record<number, string> = {
  410: "It existed and has ended",
  412: "A precondition of the request is not met",
  415: "The body has another media type than the endpoint takes",
  416: "The range begins behind the end of the content",
  423: "Another request works on it",
  460: "The bytes do not match their checksum",
};

const EVERYWHERE = { "X-Request-Id": { required: true, schema: { type: "string", format: "uuid" } } };

export const SCHEMAS = {
  Failure: {
    type: "object",
    required: ["code", "error", "message"],
    properties: {
      code: { type: "integer", enum: Object.values(ERRORS).map(({ code }) => code) },
      error: { type: "string", enum: Object.keys(ERRORS) },
      message: { type: "string" },
    },
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

export const failureAnswers = (): Json =>
  Object.fromEntries(
    [...Object.values(STATUS_OF_KIND), ...Object.keys(DESCRIPTIONS).map(Number)]
      .filter((status) => status !== STATUS_OF_KIND.method_not_allowed)
      .map((status) => [status, failure(status)]),
  );

const reference = (name: keyof typeof SCHEMAS): Json => ({ $ref: `#/components/schemas/${name}` });

/** @param gated all paths of its kind are 404 while a setting is empty */
export function answersOf(entry: Endpoint, gated: boolean): Json {
  const failures = failuresOf(entry, gated);
  const answers: Record<number, Json> = Object.fromEntries(
    [...failures].map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  );
  const { raw, status = 200, others = {} } = entry;
  const told = { [raw?.status ?? status]: raw ?? enveloped(entry), ...others };
  for (const [other, documented] of Object.entries(told)) {
    const answer = documentedAnswer(documented);
    answers[Number(other)] = failures.has(Number(other)) ? merged(answer, failure(Number(other))) : answer;
  }
  return answers;
}

function failuresOf({ access, path, failures = [] }: Endpoint, gated: boolean): Set<number> {
  const guarded = access === "public" ? [] : [401, 403, 429];
  const missing = gated || (path.includes(":") && access !== "public") ? [404] : [];
  return new Set([...ALWAYS, ...guarded, ...missing, ...failures]);
}

function failure(status: number): Json {
  const names = Object.entries(ERRORS).filter(([, { kind }]) => STATUS_OF_KIND[kind] === status);
  const headers = {
    ...EVERYWHERE,
    ...(status === 401 && { "WWW-Authenticate": { required: true, schema: { const: "Bearer" } } }),
    ...(WITH_RETRY.includes(status) && {
      "Retry-After": { description: "seconds", schema: { type: "integer", minimum: 1 } },
    }),
    ...(status === 416 && { "Content-Range": { schema: { type: "string" } } }),
  };
  return {
    description: DESCRIPTIONS[status] ?? names.map(([name]) => name).join(", "),
    headers,
    content: { [JSON_TYPE]: { schema: reference("Failure") } },
  };
}

function enveloped({ answer, paged }: Endpoint): DocumentedAnswer {
  return {
    type: JSON_TYPE,
    schema: z.object({
      code: z.literal(0),
      message: z.string(),
      ...(answer && { data: answer }),
      ...(paged && { pagination: z.unknown().meta(reference("Pagination")) }),
    }),
  };
}

function documentedAnswer({ type, schema, headers, description }: DocumentedAnswer): Json {
  const body =
    schema === undefined
      ? { type: type === JSON_TYPE ? "object" : "string" }
      : jsonSchemaOf(schema, "output");
  return {
    description: description ?? (type === null ? "OK, without a body" : "OK"),
    headers: { ...EVERYWHERE, ...(headers && headersOf(headers)) },
    ...(type !== null && { content: { [type]: { schema: body } } }),
  };
}

function headersOf(headers: z.ZodObject): Json {
  const { properties, required = [] } = jsonSchemaOf(headers, "output") as {
    properties: Record<string, Json>;
    required?: string[];
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, { required: required.includes(name), schema }]),
  );
}

/** For a status with two meanings. */
function merged(answer: Json, refusal: Json): Json {
  const content: Record<string, Json> = { ...(refusal["content"] as Record<string, Json>) };
  for (const [type, { schema }] of Object.entries((answer["content"] ?? {}) as Record<string, Json>)) {
    const other = content[type]?.["schema"];
    content[type] = { schema: other === undefined ? schema : { anyOf: [schema, other] } };
  }
  return { ...refusal, ...answer, content };
}

/**
 * Checks input against a schema. A refusal is one sentence per field, also as `faults` of the error. The schema's own
 * messages are predicates ("must be a whole number"); predicates here replace the validator's texts.
 */
import type { z } from "zod";
import { appError, type FieldError, MOST_FIELD_ERRORS } from "./errors.ts";
import { pluralize } from "./pluralize.ts";

/** Most sentences of a message. */
const MOST_SENTENCES = 5;
/** Keys of a record are the client's. */
const MOST_CHARACTERS = 200;

/** `subject` names the whole value, such as "The body". @throws BadRequest */
export function validated<S extends z.ZodType>(schema: S, value: unknown, subject: string): z.output<S> {
  const parsed = schema.safeParse(value, { error: predicate });
  if (parsed.success) return parsed.data;
  const faults = new Map<string, FieldError>();
  for (const { path, message } of parsed.error.issues) {
    const place = path.join(".").slice(0, MOST_CHARACTERS);
    const field = place || subject.replace(/^The /, "");
    if (faults.size >= MOST_FIELD_ERRORS) break;
    if (!faults.has(field)) faults.set(field, { field, message: `${place || subject} ${message}.` });
  }
  const field = [...faults.values()];
  const sentences = field.slice(0, MOST_SENTENCES).map(({ message }) => message);
  throw appError("BadRequest", sentences.join(" "), { field });
}

const TYPES: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

const amount = (bound: string, count: number | bigint, origin: string): string => {
  if (origin === "string") return `have ${bound} ${pluralize(Number(count), "character")}`;
  return origin === "array"
    ? `have ${bound} ${pluralize(Number(count), "entry", "entries")}`
    : `be ${bound} ${count}`;
};

/** Explains an issue whose schema has no message. */
function predicate(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return "is required";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? "another type"}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "too_big":
      return `must ${amount("at most", issue.maximum, issue.origin)}`;
    case "too_small":
      return `must ${amount("at least", issue.minimum, issue.origin)}`;
    case "unrecognized_keys":
      return `must not have ${JSON.stringify(issue.keys[0]?.slice(0, MOST_CHARACTERS))}`;
    case "invalid_union":
      return alternatives(issue);
    default:
      return "has an invalid form";
  }
}

function alternatives({ errors }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const types = errors.flatMap(([first]) =>
    first?.code === "invalid_type" ? (TYPES[first.expected] ?? []) : [],
  );
  return types.length === 0 ? "has an invalid form" : `must be ${[...new Set(types)].join(" or ")}`;
}

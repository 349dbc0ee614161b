/**
 * Checks input against a schema. A refusal is one sentence per field. The schema's own messages are predicates ("takes
 * a whole number"); predicates here replace the validator's texts.
 */
import type { z } from "zod";
import { appError } from "./errors.ts";
import { pluralize } from "./pluralize.ts";

const MOST_FIELDS = 5;

/** `subject` names the whole value, such as "The body". @throws BadRequest */
export function validated<S extends z.ZodType>(schema: S, value: unknown, subject: string): z.output<S> {
  const parsed = schema.safeParse(value, { error: predicate });
  if (parsed.success) return parsed.data;
  const sentences = new Map<string, string>();
  for (const { path, message } of parsed.error.issues) {
    const field = path.length > 0 ? path.join(".") : subject;
    if (!sentences.has(field)) sentences.set(field, `${field} ${message}.`);
  }
  throw appError("BadRequest", [...sentences.values()].slice(0, MOST_FIELDS).join(" "));
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

const amount = (count: number | bigint, origin: string): string => {
  if (origin === "string") return pluralize(Number(count), "character");
  return origin === "array" ? pluralize(Number(count), "entry", "entries") : String(count);
};

/** For issues without a message in the schema. */
function predicate(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return "is required";
  switch (issue.code) {
    case "invalid_type":
      return `takes ${TYPES[issue.expected] ?? "another type"}`;
    case "invalid_value":
      return `takes ${issue.values.map(String).join(", ")}`;
    case "too_big":
      return `takes at most ${amount(issue.maximum, issue.origin)}`;
    case "too_small":
      return `takes at least ${amount(issue.minimum, issue.origin)}`;
    default:
      return "has an invalid form";
  }
}

/**
 * Checks what comes in against a schema. A refusal is one sentence for each field that does not fit, in words of ours:
 * a schema's own messages are predicates ("takes a whole number"), and the validator's texts for all other issues are
 * replaced by such predicates.
 */
import type { z } from "zod";
import { appError } from "./errors.ts";
import { pluralize } from "./pluralize.ts";

/** A longer list helps nobody. */
const MOST_FIELDS = 5;

/**
 * The value as the schema makes it. `subject` stands for the value as a whole, such as "The body".
 * @throws BadRequest
 */
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

/** What the schema has no message of its own for. */
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
      return "has a form that is not taken here";
  }
}

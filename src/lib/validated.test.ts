import { describe, expect, test } from "bun:test";
import { z } from "zod";
import type { AppError } from "./errors.ts";
import { validated } from "./validated.ts";

function refusal(schema: z.ZodType, value: unknown): string {
  try {
    validated(schema, value, "The body");
  } catch (error) {
    expect((error as AppError).name).toBe("BadRequest");
    return (error as AppError).message;
  }
  return "";
}

describe("a refusal is in Waymark's words", () => {
  const of = (field: z.ZodType) => z.object({ field });
  test.each<[z.ZodType, unknown, string]>([
    [of(z.string()), {}, "field is required."],
    [of(z.enum(["a", "b"])), {}, "field is required."],
    [of(z.string()), { field: 5 }, "field must be text."],
    [of(z.string().nullish()), { field: [] }, "field must be text."],
    [of(z.number()), { field: "5" }, "field must be a number."],
    [of(z.int()), { field: 1.5 }, "field must be a whole number."],
    [of(z.int()), { field: "1" }, "field must be a number."],
    [of(z.boolean()), { field: 0 }, "field must be true or false."],
    [of(z.object({})), { field: [] }, "field must be an object."],
    [of(z.array(z.string())), { field: {} }, "field must be a list."],
    [of(z.array(z.string())), { field: ["a", 1] }, "field.1 must be text."],
    [of(z.enum(["a", "b"])), { field: "c" }, "field must be one of a, b."],
    [of(z.literal(1)), { field: 2 }, "field must be 1."],
    [of(z.string().max(2)), { field: "abc" }, "field must have at most 2 characters."],
    [of(z.string().min(2)), { field: "a" }, "field must have at least 2 characters."],
    [of(z.array(z.int()).max(1)), { field: [1, 2] }, "field must have at most 1 entry."],
    [of(z.int().min(1)), { field: 0 }, "field must be at least 1."],
    [of(z.int().max(1)), { field: 2 }, "field must be at most 1."],
    [of(z.int()), { field: 2 ** 60 }, `field must be at most ${Number.MAX_SAFE_INTEGER}.`],
    [of(z.string().regex(/a/)), { field: "b" }, "field has an invalid form."],
    [of(z.union([z.string(), z.int()])), { field: true }, "field must be text or a number."],
    [of(z.union([z.literal(""), z.literal("x")])), { field: true }, "field has an invalid form."],
    [of(z.string().regex(/a/, "must be an a")), { field: "b" }, "field must be an a."],
    [of(z.string().refine(() => false, "is wrong")), { field: "b" }, "field is wrong."],
    [of(z.strictObject({ a: z.int() })), { field: { a: 1, b: 2, c: 3 } }, 'field must not have "b".'],
    [
      of(z.strictObject({})),
      { field: { ["x".repeat(300)]: 1 } },
      `field must not have "${"x".repeat(200)}".`,
    ],
    [of(z.string()), [], "The body must be an object."],
    [of(z.string()), null, "The body must be an object."],
    [z.string(), undefined, "The body is required."],
  ])("%#", (schema, value, message) => {
    expect(refusal(schema, value)).toBe(message);
  });
});

test("one sentence for each field, and five at most", () => {
  const schema = z.object({
    a: z.string().min(3).regex(/x/),
    b: z.object({ c: z.int() }),
    d: z.string().optional(),
  });
  expect(refusal(schema, { a: "y", b: { c: "z" } })).toBe(
    "a must have at least 3 characters. b.c must be a number.",
  );
  const many = z.object(Object.fromEntries([..."abcdefg"].map((name) => [name, z.string()])));
  expect(refusal(many, {}).match(/is required\./g)).toHaveLength(5);
});

test("accepted input is returned as transformed by the schema", () => {
  expect(validated(z.string().trim(), " a ", "The text")).toBe("a");
});

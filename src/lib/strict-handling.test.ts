import { expect, test } from "bun:test";
import { z } from "zod";
import type { AppError, FieldError } from "./errors.ts";
import { isStrict, refuseIgnored, strictly } from "./strict-handling.ts";

const alone = z.string().optional();
strictly.set(alone, { refusal: (_, { other }) => (other === undefined ? "needs other" : null) });
const later = z.unknown();
strictly.set(later, { later: z.object({ known: z.string() }) });
const made = z.object({ e: z.string(), inner: z.object({}).optional() });
strictly.set(made, { isOpen: true });
const schema = z.object({
  made: made.optional(),
  a: z.string().nullish(),
  inner: z.object({ b: z.int() }).partial().optional(),
  list: z.array(z.object({ c: z.string() })).default([]),
  either: z.union([z.string(), z.object({ d: z.string() })]).optional(),
  free: z.record(z.string(), z.union([z.literal(true), z.string()])).optional(),
  open: z.looseObject({}).optional(),
  alone,
  other: z.string().optional(),
  items: z.array(later).optional(),
});

async function faultsOf(value: unknown): Promise<readonly FieldError[]> {
  try {
    await refuseIgnored(schema, value);
    return [];
  } catch (error) {
    return (error as AppError).faults!;
  }
}

test.each([
  [
    { a: "x", inner: { b: 1 }, list: [{ c: "" }], either: { d: "" }, free: { any: true }, open: { any: 1 } },
    [],
  ],
  [{ b: 1, c: null }, ["b", "c"]],
  [{ made: { e: "", x: 1, inner: { y: 1 } } }, ["made.inner.y"]],
  [{ inner: { x: 1 } }, ["inner.x"]],
  [{ list: [{ c: "" }, { c: "", x: 1 }] }, ["list.1.x"]],
  [{ either: { d: "", x: 1 } }, ["either.x"]],
  [{ items: [{ known: "" }, { other: 1 }] }, ["items.1.other"]],
  [{ alone: "x" }, ["alone"]],
  [{ alone: "x", other: "y" }, []],
  [{ constructor: 1, toString: 2 }, ["constructor", "toString"]],
  [["a"], []],
])("%j: ignores %j", async (value, fields) => {
  expect((await faultsOf(value)).map(({ field }) => field)).toEqual(fields);
});

test("names at most twenty, each in a sentence", async () => {
  const faults = await faultsOf(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`x${at}`, 1])));
  expect([faults.length, faults[0]]).toEqual([20, { field: "x0", message: "x0 is unknown." }]);
});

test.each([
  ["handling=strict", true],
  ['return=minimal, Handling = "strict"; x=1', true],
  ["handling=lenient", false],
  ["handling=strictly", false],
  [undefined, false],
])("Prefer: %s", (header, expected) => {
  expect(isStrict(header)).toBe(expected);
});

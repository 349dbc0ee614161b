import { expect, test } from "bun:test";
import { z } from "zod";
import { type AppError, appError } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import { failureResponse } from "./errors.ts";

const detailsOf = async (error: AppError) => (await failureResponse(error).json()).details;

const refusalOf = (schema: z.ZodType, value: unknown, subject = "The body"): AppError => {
  try {
    validated(schema, value, subject);
  } catch (error) {
    return error as AppError;
  }
  throw new Error("was accepted");
};

test("an invalid body has a sentence for each field", async () => {
  const schema = z.object({ target: z.string(), payload: z.object({ size: z.int() }) });
  expect(await detailsOf(refusalOf(schema, { payload: { size: "1" } }))).toEqual([
    { field: "target", message: "target is required." },
    { field: "payload.size", message: "payload.size must be a number." },
  ]);
  expect(await detailsOf(refusalOf(schema, []))).toEqual([
    { field: "body", message: "The body must be an object." },
  ]);
  expect(await detailsOf(refusalOf(z.string(), 1, "The query"))).toEqual([
    { field: "query", message: "The query must be text." },
  ]);
});

test("details are bounded", async () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${at}`.padEnd(5000, "x"), 1]));
  const response = failureResponse(refusalOf(z.record(z.string(), z.string()), many));
  const text = await response.text();
  expect(JSON.parse(text).details).toHaveLength(20);
  expect(text.length).toBeLessThan(12_000);
});

test("other refusals name their field, and failures of other kinds have none", async () => {
  const url = appError("LinkInvalidUrl", "Not a URL.");
  expect(await detailsOf(url)).toEqual([{ field: "target", message: "Not a URL." }]);
  const fallback = appError("LinkInvalidUrl", "Not a URL.", { field: "fallback_url" });
  expect(await detailsOf(fallback)).toEqual([{ field: "fallback_url", message: "Not a URL." }]);
  for (const [field, message] of [
    ["fallback_url", "fallback_url: not a URL."],
    ["group_by", "group_by must be one of hour, day."],
    ["base_path", "base_path: the folder is the root folder."],
    ["Upload-Offset", "Upload-Offset must be a whole number of bytes."],
  ] as const) {
    expect(await detailsOf(appError("LinkInvalidUrl", message))).toEqual([{ field, message }]);
  }
  expect(await detailsOf(appError("BadRequest", "The body is not valid JSON."))).toBeUndefined();
  expect(await detailsOf(appError("LinkNotFound", "code must be empty."))).toBeUndefined();
});

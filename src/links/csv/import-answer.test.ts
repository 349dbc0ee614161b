import { expect, test } from "bun:test";
import { type AppError, appError } from "../../lib/errors.ts";
import { importPiecesAsItGoes, type ReportedResult } from "./routes.ts";
import { noRows } from "./import-plan.ts";

const RESULT = { ...noRows(), total_rows: 2, success_count: 2 };
const latest = () => ({ stage: "links", done: 1, total: 2 }) as const;
const failureOf = (thrown: unknown) => thrown as AppError;

async function begun(work: Promise<ReportedResult>) {
  const pieces = importPiecesAsItGoes(work, { latest, failureOf });
  const { value: first } = await pieces.next();
  return { first, whole: async () => JSON.parse(first + (await Array.fromAsync(pieces)).join("")) };
}

test("progress comes while the work goes on, and then the usual response", async () => {
  const { promise, resolve } = Promise.withResolvers<ReportedResult>();
  const { first, whole } = await begun(promise);
  expect(first).toBe('{"progress":[\n{"stage":"links","done":1,"total":2}\n');
  resolve(RESULT);
  const { progress, ...envelope } = await whole();
  expect(progress).toContainEqual(latest());
  expect(envelope).toEqual({ code: 0, message: "OK", data: RESULT });
});

test("a failure after the first progress has the fields of a failure", async () => {
  const { promise, reject } = Promise.withResolvers<ReportedResult>();
  const { whole } = await begun(promise);
  reject(appError("ServiceUnavailable", "The database is away."));
  const { progress: _, ...envelope } = await whole();
  expect(envelope).toEqual({ code: 1030, error: "ServiceUnavailable", message: "The database is away." });
});

test("work that ends at once responds without progress; a failure is thrown", async () => {
  const { first, whole } = await begun(Promise.resolve(RESULT));
  expect(first).not.toContain("progress");
  expect(await whole()).toEqual({ code: 0, message: "OK", data: RESULT });
  const failed = begun(Promise.reject(appError("CsvParseError", "No header.")));
  expect(await failed.catch((error: Error) => error.name)).toBe("CsvParseError");
});

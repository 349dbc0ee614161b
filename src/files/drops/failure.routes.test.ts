import { expect, test } from "bun:test";
import { systemClock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { silentLogger } from "../../lib/logger.ts";
import { testVisitorPages } from "../../visitors/pages.test-support.ts";
import { createDropFailures } from "./public.routes.ts";

test.each([
  ["StorageUnavailable", 502, 7030, appError("StorageUnavailable", "The S3 endpoint refuses the keys.")],
  ["ServiceUnavailable", 503, 1030, appError("ServiceUnavailable", "internal words")],
  ["InternalServerError", 500, 1005, new Error("internal words")],
] as const)("strangers are shown %s with its status and code", async (name, expected, code, error) => {
  const failures = createDropFailures({ pages: testVisitorPages, clock: systemClock, logger: silentLogger });
  const { response, status } = failures.describe(error, new Request("http://a.test/box", { method: "POST" }));
  const body = (await response.json()) as { code: number; error: string; message: string };
  expect([response.status, body.code, body.error]).toEqual([expected, code, name]);
  expect(status).toBe(expected);
  expect(body.message).not.toContain(error.message);
});

test.each([
  ["en", "The server's storage is full."],
  ["de", "Der Speicher des Servers ist voll."],
] as const)("a sender is shown in %s that the storage is full", async (language, sentence) => {
  const failures = createDropFailures({ pages: testVisitorPages, clock: systemClock, logger: silentLogger });
  const headers = { "Accept-Language": language };
  const error = appError("InsufficientStorage", "internal words");
  const described = failures.describe(error, new Request("http://a.test/box", { method: "POST", headers }));
  expect([described.status, described.sentence.startsWith(sentence)]).toEqual([507, true]);
  const { message } = (await described.response.json()) as { message: string };
  expect([described.response.status, message]).toEqual([507, described.sentence]);
});

test("many failures are one line of the log a second, with their number", () => {
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: unknown) => void warnings.push(fields) } as never;
  let now = 0;
  const failures = createDropFailures({ pages: testVisitorPages, clock: { now: () => now }, logger });
  const request = new Request("http://a.test/box", { method: "POST" });
  const fail = () => failures.describe(appError("StorageUnavailable", "The disk is full."), request);
  for (let count = 0; count < 500; count++) fail();
  now = 2_000;
  fail();
  const reason = "The disk is full.";
  expect(warnings).toEqual([
    { reason, suppressed: 0 },
    { reason, suppressed: 499 },
  ]);
});

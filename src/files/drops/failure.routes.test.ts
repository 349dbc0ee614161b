import { expect, test } from "bun:test";
import { appError } from "../../lib/errors.ts";
import { silentLogger } from "../../lib/logger.ts";
import { testVisitorPages } from "../../visitors/pages.test-support.ts";
import { createDropFailures } from "./failure.routes.ts";

test.each([
  ["StorageUnavailable", 502, 7030, appError("StorageUnavailable", "The S3 endpoint refuses the keys.")],
  ["ServiceUnavailable", 503, 1030, appError("ServiceUnavailable", "internal words")],
  ["InternalServerError", 500, 1005, new Error("internal words")],
] as const)("strangers are told of %s with its status and code", async (name, expected, code, error) => {
  const failures = createDropFailures({ pages: testVisitorPages, logger: silentLogger });
  const { response, status } = failures.told(error, new Request("http://a.test/box", { method: "POST" }));
  const body = (await response.json()) as { code: number; error: string; message: string };
  expect([response.status, body.code, body.error]).toEqual([expected, code, name]);
  expect(status).toBe(expected);
  expect(body.message).not.toContain(error.message);
});

import { expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import { CONNECTION, CORS_OFF } from "../http/app.test-support.ts";
import { createHttpApp } from "../http/app.ts";
import { healthEndpoints } from "./health.routes.ts";

test.each([
  ["healthy", 200],
  ["unhealthy", 503],
])("the report %s is an envelope in UTF-8 with %d", async (status, expected) => {
  const report = async () => ({ status }) as never;
  const app = createHttpApp({
    tables: [
      {
        prefix: "/health",
        endpoints: healthEndpoints({ report, isOurs: () => false }, []),
        guard: () => () => {},
      },
    ],
    gates: [],
    cors: () => CORS_OFF,
    newRequestId: () => "1",
    logger: silentLogger,
  });
  const response = await app.fetch(new Request("http://localhost/health"), CONNECTION);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    expected,
    "application/json; charset=utf-8",
  ]);
  expect((await response.json()).data).toEqual({ status });
});

/** Failures whose client has left. */
import { expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import { CONNECTION, CORS_OFF } from "./app.test-support.ts";
import { createHttpApp } from "./app.ts";
import { endpoint } from "./endpoint.ts";

const PLAIN = { access: "public", scope: null, tag: "t", summary: "s" } as const;
const leaving = new AbortController();
const errors: unknown[] = [];
const logger = Object.assign(Object.create(silentLogger), {
  error: (...what: unknown[]) => errors.push(what),
});

const { fetch } = createHttpApp({
  tables: [
    {
      prefix: "/x",
      endpoints: [
        endpoint("GET /given-up", {
          ...PLAIN,
          handle({ c }) {
            leaving.abort();
            c.req.raw.signal.throwIfAborted();
          },
        }),
        endpoint("GET /broken", {
          ...PLAIN,
          handle() {
            throw new Error("broken");
          },
        }),
      ],
      guard: () => () => {},
    },
  ],
  gates: [],
  cors: () => CORS_OFF,
  newRequestId: () => "1",
  logger,
});

test("a client that has left is not logged as an error, another failure is", async () => {
  for (const path of ["given-up", "broken"]) {
    const request = new Request(`http://localhost/x/${path}`, { signal: leaving.signal });
    expect((await fetch(request, CONNECTION)).status).toBe(500);
    expect([path, errors.length]).toEqual([path, path === "broken" ? 1 : 0]);
  }
});

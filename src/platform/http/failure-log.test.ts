/** What is logged of failures. */
import { beforeEach, expect, test } from "bun:test";
import { z } from "zod";
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

const fail = (): never => {
  throw new Error("broken");
};

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
        endpoint("GET /broken", { ...PLAIN, handle: fail }),
        endpoint("GET /readers/:token", { ...PLAIN, params: { token: z.string() }, handle: fail }),
      ],
      guard: () => () => {},
    },
  ],
  gates: [],
  cors: () => CORS_OFF,
  newRequestId: () => "1",
  logger,
});

beforeEach(() => {
  errors.length = 0;
});

test("a secret in the path is not logged", async () => {
  for (const path of ["/x/readers/secret", "/x/%72eaders/secret"]) {
    expect((await fetch(new Request(`http://localhost${path}`), CONNECTION)).status).toBe(500);
  }
  const logged = [{ path: "/x/readers/…" }, "request failed"];
  expect(errors).toMatchObject([logged, logged]);
});

test("a client that has left is not logged as an error, another failure is", async () => {
  for (const path of ["given-up", "broken"]) {
    const request = new Request(`http://localhost/x/${path}`, { signal: leaving.signal });
    expect((await fetch(request, CONNECTION)).status).toBe(500);
    expect([path, errors.length]).toEqual([path, path === "broken" ? 1 : 0]);
  }
});

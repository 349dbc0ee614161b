import { expect, test } from "bun:test";
import type { Server } from "bun";
import type { Logger } from "../../lib/logger.ts";
import { withAccessLog } from "./access-log.ts";

const server = {} as Server<undefined>;

function setUp(sample: number, random = () => 0.5) {
  const lines: Record<string, unknown>[] = [];
  const logger = { info: (line: Record<string, unknown>) => lines.push(line) } as unknown as Logger;
  const fetch = withAccessLog(() => new Response(null, { status: 307, headers: { "X-Request-Id": "id" } }), {
    sample,
    beforeSecrets: ["/admin/v1/readers/"],
    logger,
    random,
  });
  return { fetch, lines };
}

test("a line has method, path, status and request id, but no query", async () => {
  const { fetch, lines } = setUp(1);
  await fetch(new Request("http://a.example/docs/x?token=secret#part"), server);
  expect(lines).toMatchObject([{ method: "GET", path: "/docs/x", status: 307, requestId: "id" }]);
  expect(JSON.stringify(lines)).not.toContain("secret");
});

test("a secret in a path is left out", async () => {
  const { fetch, lines } = setUp(1);
  for (const path of ["/admin/v1/readers/secret", "//admin/v1//readers/secret?x", "/admin/v1/readers"])
    await fetch(new Request(`http://a.example${path}`), server);
  expect(lines.map(({ path }) => path)).toEqual([
    "/admin/v1/readers/…",
    "/admin/v1/readers/…",
    "/admin/v1/readers",
  ]);
});

test("the configured share of requests is logged, at 0 none", async () => {
  const half = setUp(0.4);
  await half.fetch(new Request("http://a.example/x"), server);
  expect(half.lines).toEqual([]);
  const none = setUp(0, () => 0);
  await none.fetch(new Request("http://a.example/x"), server);
  expect(none.lines).toEqual([]);
});

/** Whatever a tool of the MCP server gets as a part of a path, it reaches its own endpoint with exactly that, or nothing. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openNewRooms } from "../../scripts/openapi.ts";
import { createHttpApp } from "../../src/platform/http/app.ts";
import { CONNECTION, CORS_OFF } from "../../src/platform/http/app.test-support.ts";
import type { Endpoint } from "../../src/platform/http/endpoint.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { isCodeText } from "../../src/links/link/code.ts";
import { callTool } from "../../src/extras/mcp/tool-call.ts";
import { type Tool, toolsOf } from "../../src/extras/mcp/tools.ts";

let opened: Awaited<ReturnType<typeof openNewRooms>>;
let tools: readonly Tool[];
let literals: string[];
let call: (tool: Tool, given: Record<string, unknown>) => Promise<{ isError?: true }>;
let reached: { entry: Endpoint; given: Record<string, string> }[] = [];

beforeAll(async () => {
  opened = await openNewRooms();
  const { api } = opened;
  const tables = api.tables.map((table) => ({ ...table, endpoints: table.endpoints.map(recording) }));
  const app = createHttpApp({
    tables: tables.map((table) => ({ ...table, guard: () => () => {} })),
    gates: [],
    cors: () => CORS_OFF,
    newRequestId: () => "id",
    logger: silentLogger,
  });
  tools = [...toolsOf(tables).values()];
  const paths = tables.flatMap(({ endpoints }) => endpoints.map(({ path }) => path));
  literals = [...new Set(paths.flatMap((path) => path.split("/")))].filter((part) => /^[\w.-]+$/.test(part));
  const from = new Request("http://localhost/admin/v1/mcp");
  const books = async () => ({ balanced: true });
  call = (tool, given) => callTool(tool, given, { ask: app.fetch, from, connection: CONNECTION, books });
});
afterAll(() => opened.close());

/** The endpoint without what it asks of a request. */
function recording(entry: Endpoint): Endpoint {
  const { path } = entry;
  const asked = ["admit", "body", "bodyLimit", "form", "rawBody", "list", "query", "tagged", "locked"];
  const rest = Object.entries(entry).filter(([name]) => !asked.includes(name));
  return {
    ...(Object.fromEntries(rest) as unknown as Endpoint),
    handle({ c }) {
      const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
      reached.push({ entry, given: Object.fromEntries(names.map((name) => [name, c.req.param(name)!])) });
      return null;
    },
  };
}

/** Text that would lead elsewhere as part of a path. */
const HOSTILE = [
  ".. . a/../x ../users a/.. / // x/ /x x/analytics x/history x/qr x/items batch batch/query export deleted available",
  "search share-policy upload 1/trash a?b=c ? # a#b % %2F %2f..%2fusers %2e%2e .%2e %25 %00 a%20b %E0%A4%A a\\b a;b",
  "a:b a@b a&b=c ä 😀 :code {.+} * a//b",
]
  .flatMap((line) => line.split(" "))
  .concat("a b", "a\tb", "a\nb", "\ud800");

test("every tool reaches its endpoint alone, with exactly what it was given", async () => {
  const withParts = tools.filter(({ params }) => params.length > 0);
  expect(withParts.length).toBeGreaterThan(8);
  for (const tool of withParts) {
    for (const text of [...HOSTILE, ...literals]) {
      reached = [];
      const given = Object.fromEntries(tool.params.map((name) => [name, text]));
      const { isError } = await call(tool, given);
      const wanted = Object.fromEntries(tool.params.map((name) => [name, text.toWellFormed()]));
      const isRefused = reached.length === 0;
      expect({
        tool: tool.name,
        text,
        isError,
        reached: reached.map((one) => [routeIn(one), one.given]),
      }).toEqual({
        tool: tool.name,
        text,
        isError: isRefused ? true : undefined,
        reached: isRefused ? [] : [[routeIn(tool), wanted]],
      });
      if (isRefused) expect([".", "..", false]).toContain(isCodeText(text) && text);
    }
  }
});

const routeIn = ({ entry }: { entry: Endpoint }) => `${entry.method} ${entry.path}`;

import { expect, test } from "bun:test";
import { type Endpoint, endpoint, type HttpConnection } from "../../platform/http/endpoint.ts";
import { callTool } from "./tool-call.ts";
import type { Tool } from "./tools.ts";

const entry: Endpoint = endpoint("GET /folders/:id", {
  access: "account",
  scope: "files",
  tag: "folders",
  summary: "The contents of a folder",
  handle: () => null,
});
const tool: Tool = {
  name: "list_folder",
  title: "List a folder",
  description: "Lists a folder.",
  prefix: "/admin/v1",
  entry,
  params: ["id"],
  query: [],
  body: null,
  inputSchema: { type: "object" },
};

test("a response without end is left, and the model is advised to ask for less", async () => {
  let isLeft = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(32)),
    cancel: () => {
      isLeft = true;
    },
  });
  const { isError, content } = await callTool(
    tool,
    { id: 1 },
    {
      ask: () => new Response(endless),
      from: new Request("http://localhost/admin/v1/mcp"),
      connection: {} as HttpConnection,
      books: async () => ({ balanced: true }),
    },
  );
  expect([isError, content[0]!.text, isLeft]).toEqual([true, expect.stringContaining("Ask for less"), true]);
});

test("arguments that do not fit into an address are refused before the API is called", async () => {
  const sent: string[] = [];
  const call = (given: Record<string, unknown>) =>
    callTool(
      { ...tool, query: ["tag"] },
      { id: 1, ...given },
      {
        ask: ({ url }) => {
          sent.push(new URL(url).search);
          return new Response("{}");
        },
        from: new Request("http://localhost/admin/v1/mcp"),
        connection: {} as HttpConnection,
        books: async () => ({ balanced: true }),
      },
    );
  expect((await call({ tag: ["a b", "c"], other: "&" })).isError).toBeUndefined();
  const long = "a".repeat(20_000);
  for (const given of [{ tag: Array(10_000).fill("a") }, { other: long }, { id: long }]) {
    const { isError, content } = await call(given);
    expect([isError, content[0]!.text]).toEqual([true, expect.stringContaining("too long")]);
  }
  expect(sent).toEqual(["?tag=a+b&tag=c&other=%26"]);
});

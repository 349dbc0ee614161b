/** The Model Context Protocol over streamable HTTP (https://modelcontextprotocol.io), for programs with an API token. */
import { z } from "zod";
import { actorOf, endpoint, type Endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { appError } from "../../lib/errors.ts";
import { type Ask, type Books, callTool } from "./tool-call.ts";
import { mayUse, type Tool, toolsOf } from "./tools.ts";

const BODY_LIMIT = 256 * 1024;

type Deps = {
  tables(): Parameters<typeof toolsOf>[0];
  ask: Ask;
  /** @throws Forbidden for a page of another origin, which DNS may have led here */
  refuseForeign(c: HttpContext): void;
  /** Since the start, over all workers of this machine; `imported`: at any time, from other products. */
  clicks(): Promise<{
    accepted: number;
    stored: number;
    waiting: number;
    dropped: number;
    imported: number | null;
  }>;
};

const request = z.looseObject({
  jsonrpc: z.literal("2.0"),
  method: z.string().optional().describe("such as tools/list and tools/call").meta({ example: "tools/list" }),
  id: z.union([z.string(), z.int()]).optional().describe("absent: a notification").meta({ example: 1 }),
  params: z.looseObject({}).optional(),
});
const response = z.looseObject({ jsonrpc: z.literal("2.0") });

export function mcpEndpoint({ tables, ask, refuseForeign, clicks }: Deps): Endpoint {
  let tools: ReadonlyMap<string, Tool> | undefined;

  /** Editors learn whether the books balance, not how many clicks others have. */
  async function books({ ownOnly }: { ownOnly: boolean }): Promise<Books> {
    const { accepted, stored, waiting, dropped, imported } = await clicks();
    const balanced = accepted === stored + waiting + dropped;
    return ownOnly ? { balanced } : { balanced, accepted, stored, waiting, dropped, imported };
  }

  return endpoint("POST /mcp", {
    ownsPath: true,
    access: "account",
    scope: "any",
    tag: "mcp",
    summary: "Model Context Protocol, over API tokens",
    body: request,
    bodyLimit: BODY_LIMIT,
    raw: {
      type: ["application/json", "text/event-stream"],
      schema: response,
      description: "The response, as JSON-RPC; one event for clients of 2025",
    },
    others: {
      202: { type: null, description: "The notification was accepted" },
      406: {
        type: "application/json",
        schema: response,
        description: "The client does not accept both types of responses",
      },
    },
    async handle({ c, account, body }) {
      if (account.via === "panel") {
        throw appError("Forbidden", "MCP takes no cookies. Send an API token as bearer.");
      }
      refuseForeign(c);
      tools ??= toolsOf(tables());
      const { respondToMcp } = await import("./protocol.ts");
      return respondToMcp(c.req.raw, body, {
        tools: [...tools.values()].filter((tool) => mayUse(account, tool)),
        call: (tool, given) =>
          callTool(tool, given, {
            ask,
            from: c.req.raw,
            connection: c.env,
            books: () => books(actorOf(account)),
          }),
      });
    },
  });
}

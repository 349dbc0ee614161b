import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import { createView } from "../../lib/case-names.ts";
import { namedObject } from "../../lib/named-object.ts";
import { moveState } from "../policies/policy.ts";
import type { StorageMoves } from "./service.ts";

export const moveView = namedObject("PolicyMove", {
  to: z.int().describe("the policy that gets the content"),
  state: moveState,
  rate: z.int().describe("bytes a second; 0 is unlimited"),
  objects_done: z.int(),
  objects_left: z.int(),
  objects_failed: z.int().describe("they stay"),
  bytes_done: z.int(),
  bytes_left: z.int(),
  uploads_left: z.int().describe("unfinished uploads that began in the old storage"),
  seconds_left: z
    .int()
    .nullable()
    .describe(
      "an estimate; null: unknown. With no objects left: until the old objects go, which running downloads may still read",
    ),
  trouble: z.string().nullable().describe("why the move waits; it tries again by itself"),
  failed: z
    .array(z.object({ sha256: z.string(), reason: z.string(), files: z.array(z.string()) }))
    .describe("contents that could not be moved, at most 1,000; the first 50 with up to five of their files"),
});

export const viewMove = createView(moveView);

export const moveRate = z.int().min(0).describe("bytes a second; 0 is unlimited");

const moveRequest = namedObject("NewPolicyMove", {
  to: z.int().describe("id of the policy that gets the content"),
  rate: moveRate.nullish(),
  dry_run: z.boolean().nullish().describe("only say how much would move"),
});

const previewView = z.object({ code: z.literal(0), message: z.string(), data: movable() });

function movable() {
  return namedObject("MovableContent", { objects: z.int(), bytes: z.int() });
}

type Deps = { moves: Pick<StorageMoves, "preview" | "start" | "get" | "stop"> };

/** Mount them below the admin prefix. */
export function moveEndpoints({ moves }: Deps): Endpoint[] {
  const shared = { access: "admin", scope: "admin", tag: "policies", response: moveView } as const;
  return [
    endpoint("POST /policies/:id/move", {
      ...shared,
      summary: "Move a policy's content to another one, continue a stopped move, or change its rate",
      body: moveRequest,
      failures: [409, 502],
      status: 202,
      others: {
        200: { type: "application/json", schema: previewView, description: "With dry_run: what would move" },
      },
      async handle({ c, body: { to, rate, dry_run: isDry }, account }) {
        if (!isDry) return viewMove(await moves.start(idOf(c), { to, rate: rate ?? 0 }, actorOf(account)));
        const body = { code: 0, message: "OK", data: await moves.preview(idOf(c), to) };
        return c.body(JSON.stringify(body), 200, { "Content-Type": "application/json; charset=utf-8" });
      },
    }),
    endpoint("GET /policies/:id/move", {
      ...shared,
      summary: "The last move of a policy's content, and how far it is",
      handle: async ({ c }) => viewMove(await moves.get(idOf(c))),
    }),
    endpoint("DELETE /policies/:id/move", {
      ...shared,
      summary: "Stop a move; what has moved stays there",
      handle: async ({ c, account }) => viewMove(await moves.stop(idOf(c), actorOf(account))),
    }),
  ];
}

const idOf = (c: HttpContext): number => idParameter(c, "PolicyNotFound", "There is no such storage policy.");

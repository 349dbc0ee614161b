import { z } from "zod";
import {
  actorOf,
  type Endpoint,
  endpoint,
  type HttpContext,
  messageResponse,
} from "../../platform/http/endpoint.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import type { Policies, PolicyUsage } from "./service.ts";
import { policyView, viewPolicy, createPolicySchema, updatePolicySchema } from "./policy.ts";
import { namedObject } from "../../lib/named-object.ts";

const shared = { access: "admin", scope: "admin", tag: "policies" } as const;

const policyUsageView = namedObject("PolicyUsage", {
  objects: z.int().describe("stored contents; the same content counts once"),
  bytes: z.int().describe("of these objects"),
  unfinished_uploads: z.int(),
  folders: z
    .array(z.object({ id: z.int(), name: z.string() }))
    .describe("folders that name this policy, at most ten"),
  accounts: z.int().describe("accounts with files in it"),
  largest_accounts: z
    .array(z.object({ id: z.int(), username: z.string(), files: z.int(), bytes: z.int() }))
    .describe("those with the most bytes, at most ten"),
  deletion_blocked_by: z.string().nullable().describe("why the policy can't be deleted; null: it can"),
});

const viewPolicyUsage = (usage: PolicyUsage): z.output<typeof policyUsageView> => ({
  objects: usage.blobs,
  bytes: usage.bytes,
  unfinished_uploads: usage.uploads,
  folders: usage.folders,
  accounts: usage.accounts,
  largest_accounts: usage.largest.map(({ accountId, username, files, bytes }) => ({
    id: accountId,
    // The files of a deleted account go soon.
    username: username ?? `#${accountId}`,
    files,
    bytes,
  })),
  deletion_blocked_by: usage.obstacle,
});

/** Mount them below the admin prefix: these paths have no version. */
export const policyEndpoints = (deps: { policies: Policies }): Endpoint[] => [
  ...collectionEndpoints(deps),
  ...itemEndpoints(deps),
];

function collectionEndpoints({ policies }: { policies: Policies }): Endpoint[] {
  return [
    endpoint("GET /policies", {
      ...shared,
      summary: "All storage policies",
      response: z.array(policyView),
      handle: async () => (await policies.list()).map(viewPolicy),
    }),
    endpoint("POST /policies", {
      ...shared,
      summary: "Create a storage policy; its storage need not be reachable yet",
      body: createPolicySchema,
      failures: [409, 502],
      status: 201,
      response: policyView,
      handle: async ({ body, account }) => viewPolicy(await policies.create(body, actorOf(account))),
    }),
  ];
}

function itemEndpoints({ policies }: { policies: Policies }): Endpoint[] {
  const item = { ...shared, response: policyView } as const;
  return [
    endpoint("GET /policies/:id", {
      ...item,
      summary: "One storage policy; its keys are never shown",
      handle: async ({ c }) => viewPolicy(await policies.find(idOf(c))),
    }),
    endpoint("GET /policies/:id/usage", {
      ...item,
      summary: "What a storage policy stores, for whom, and what prevents its deletion",
      response: policyUsageView,
      handle: async ({ c }) => viewPolicyUsage(await policies.usage(idOf(c))),
    }),
    endpoint("PATCH /policies/:id", {
      ...item,
      summary: "Change name, limit, keys, region or download mode, or make it the default",
      body: updatePolicySchema,
      failures: [409, 502],
      handle: async ({ c, body, account }) =>
        viewPolicy(await policies.update(idOf(c), body, actorOf(account))),
    }),
    endpoint("DELETE /policies/:id", {
      ...item,
      summary: "Delete a storage policy that nothing refers to",
      failures: [409],
      done: "Policy deleted",
      handle: ({ c, account }) => policies.remove(idOf(c), actorOf(account)),
    }),
    endpoint("POST /policies/:id/test", {
      ...item,
      failures: [502],
      summary: "Write, read and remove an object in the policy's storage",
      response: messageResponse.extend({ duration_ms: z.int().describe("of writing, reading and removing") }),
      async handle({ c }) {
        const begun = performance.now();
        await policies.test(idOf(c));
        return { message: "The storage works", duration_ms: Math.round(performance.now() - begun) };
      },
    }),
  ];
}

const idOf = (c: HttpContext): number => idParameter(c, "PolicyNotFound", "There is no such storage policy.");

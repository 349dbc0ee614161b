import { z } from "zod";
import type { PolicyUsage } from "./service.ts";

export const policyUsageView = z.object({
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
  obstacle: z.string().nullable().describe("what prevents the deletion of the policy; null: nothing"),
});
policyUsageView.register(z.globalRegistry, { id: "PolicyUsage" });

const BUILT_IN_ADMIN = { id: 0, username: "admin" };

export const viewPolicyUsage = (usage: PolicyUsage): z.output<typeof policyUsageView> => ({
  objects: usage.blobs,
  bytes: usage.bytes,
  unfinished_uploads: usage.uploads,
  folders: usage.folders,
  accounts: usage.accounts,
  largest_accounts: usage.largest.map(({ accountId, username, files, bytes }) => ({
    id: accountId,
    // The files of a deleted account go soon.
    username: username ?? (accountId === BUILT_IN_ADMIN.id ? BUILT_IN_ADMIN.username : `#${accountId}`),
    files,
    bytes,
  })),
  obstacle: usage.obstacle,
});

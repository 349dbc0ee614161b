/** What the settings allow accounts to do with links and shares. */
import type { Config } from "../platform/config/config.service.ts";
import type { SharePolicySettings } from "../files/serving/policy.ts";
import type { TargetLists } from "../links/write/allowed-targets.ts";

export const targetListsIn =
  ({ get }: Pick<Config, "get">) =>
  (): TargetLists => ({
    allow: get("links.targets.allow"),
    deny: get("links.targets.deny"),
    bound: get("links.targets.roles"),
    waiting: get("links.targets.approval"),
  });

export const sharePolicyIn =
  ({ get }: Pick<Config, "get">) =>
  (): SharePolicySettings => ({
    roles: get("files.share_policy.roles"),
    defaultDays: get("files.share_policy.default_days"),
    maxDays: get("files.share_policy.max_days"),
    password: get("files.share_policy.password"),
    maxDownloads: get("files.share_policy.max_downloads"),
    verify: get("files.share_policy.verify"),
    domains: get("files.share_policy.recipient_domains"),
    byRole: get("files.share_policy.by_role"),
  });

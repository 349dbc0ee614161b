import { useLingui } from "@lingui/react/macro";
import type { Account, NewToken } from "../../base/api.ts";

export type Scope = NewToken["scopes"][number];

/** Scopes that tokens of an account with the role can have. */
export const SCOPES: Record<Account["role"], readonly Scope[]> = {
  user: ["files:read", "files:write"],
  editor: ["links:read", "links:write", "analytics:read", "files:read", "files:write"],
  admin: ["links:read", "links:write", "analytics:read", "files:read", "files:write", "admin"],
};

export function useScopeTexts(): Record<Scope, string> {
  const { t } = useLingui();
  return {
    "links:read": t`See links, their tags and history.`,
    "links:write": t`Create, change and delete links.`,
    "analytics:read": t`See clicks and reports.`,
    "files:read": t`See and download files, folders and shares.`,
    "files:write": t`Upload, change, share and delete files.`,
    admin: t`Accounts, settings, storages, domains, events and health.`,
  };
}

import { useLingui } from "@lingui/react/macro";
import type { Account } from "../../base/api.ts";

export function useRoleNames(): Record<Account["role"], string> {
  const { t } = useLingui();
  return { admin: t`Administrator`, editor: t`Editor`, user: t`Files only` };
}

/** What each role can do. */
export function useRoleTexts(): Record<Account["role"], string> {
  const { t } = useLingui();
  return {
    admin: t`Everything, with all accounts, settings and links.`,
    editor: t`Makes links and manages own ones, sees their clicks, has files.`,
    user: t`Has files and shares.`,
  };
}

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
    admin: t`Manages everything: all accounts, settings and links.`,
    editor: t`Creates links, manages their own, sees their clicks and stores files.`,
    user: t`Stores and shares files.`,
  };
}

import { useLingui } from "@lingui/react/macro";
import type { SettingDefinition } from "../../base/api.ts";

export function useUnitNames(): Record<NonNullable<SettingDefinition["unit"]>, string> {
  const { t } = useLingui();
  return {
    seconds: t({ message: "seconds", context: "unit" }),
    minutes: t({ message: "minutes", context: "unit" }),
    days: t({ message: "days", context: "unit" }),
    characters: t({ message: "characters", context: "unit" }),
    clicks: t({ message: "clicks", context: "unit" }),
    records: t({ message: "records", context: "unit" }),
  };
}

/** A category unknown to this panel shows its own name. */
export function useCategoryNames(): (category: string) => string {
  const { t } = useLingui();
  return (category) => {
    const names: Record<string, string> = {
      auth: t`Sign-in and sessions`,
      cookie: t`Cookies`,
      routes: t`Paths`,
      features: t`Features`,
      tracking: t`Counting clicks`,
      cache: t`Cache`,
      analytics: t`Analytics`,
      events: t`Events`,
      files: t`Files`,
      links: t`Links`,
      privacy: t`Privacy`,
      cors: t`Other sites (CORS)`,
      oidc: t`Single sign-on`,
      mail: t({ message: "Mail", context: "settings" }),
    };
    return names[category] ?? category;
  };
}

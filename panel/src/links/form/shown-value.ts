import { useLingui } from "@lingui/react/macro";
import { formatBytes, formatList, formatNumber, formatTime } from "../../base/i18n.ts";
import type { Link, LinkRule } from "../../base/api.ts";
import { useSafetyNames } from "../safety-names.ts";
import { useTargetUse } from "../../ui/lists/target-use.tsx";
import { useRuleText } from "./condition-texts.ts";
import { useRedirectKinds } from "./field-texts.ts";

const SECRETS = new Set(["password", "access_key", "secret_key"]);
const SIZES = new Set(["max_bytes", "max_file_size", "quota_bytes", "size"]);

/** A value of a link's field, or of an event, for people; null if it is not set. */
export function useShownValue(): (name: string, value: unknown) => string | null {
  const { t } = useLingui();
  const kinds = useRedirectKinds();
  const useOf = useTargetUse();
  const safety = useSafetyNames();
  const ruleText = useRuleText();
  const roles: Record<string, string> = {
    admin: t`Administrator`,
    editor: t`Editor`,
    manager: t`Manager`,
    user: t`Files only`,
    viewer: t`Viewer`,
  };

  function shownOf(name: string, value: unknown): string | null {
    if (value === null || value === undefined || value === "") return null;
    if (name === "target") return useOf(String(value)) ?? String(value);
    if (name === "redirect_status") return kinds[String(value)] ?? String(value);
    if (name === "role") return roles[String(value)] ?? String(value);
    if (SECRETS.has(name)) return t`Set`;
    if (name === "held") return safety[(value as NonNullable<Link["held"]>).state];
    if (value === true) return t`Yes`;
    if (value === false) return t`No`;
    if (typeof value === "number" && SIZES.has(name)) return value === 0 ? t`Unlimited` : formatBytes(value);
    if (typeof value === "number")
      return name === "id" || name.endsWith("_id") ? String(value) : formatNumber(value);
    if (Array.isArray(value)) {
      const texts = value.map((one) => shownOf("", one) ?? "");
      return value.length === 0 ? null : name === "rules" ? texts.join("; ") : formatList(texts);
    }
    if (typeof value === "string") return isTime(name, value) ? formatTime(value) : value;
    if ("if" in (value as object)) return ruleText(value as LinkRule);
    const parts = Object.entries(value as object).map(([part, of]) => shownOf(part, of));
    return parts.filter((part) => part !== null).join(" · ");
  }
  return shownOf;
}

const isTime = (name: string, value: string): boolean =>
  name.endsWith("_at") && !Number.isNaN(Date.parse(value));

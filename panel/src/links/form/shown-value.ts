import { useLingui } from "@lingui/react/macro";
import { formatBytes, formatList, formatNumber, formatTime } from "../../base/i18n.ts";
import type { Link } from "../../base/api.ts";
import { useSafetyNames } from "../safety-names.ts";
import { useTargetUse } from "../target-use.tsx";
import { useRedirectKinds } from "./field-texts.ts";

/** A value of a link's field for people; null if it is not set. */
export function useShownValue(): (name: string, value: unknown) => string | null {
  const { t } = useLingui();
  const kinds = useRedirectKinds();
  const useOf = useTargetUse();
  const safety = useSafetyNames();
  return (name, value) => {
    if (value === null || value === undefined || value === "") return null;
    if (name === "target") return useOf(String(value)) ?? String(value);
    if (name === "redirect_status") return kinds[String(value)] ?? String(value);
    if (name === "password") return t`Set`;
    if (name === "held") return safety[(value as NonNullable<Link["held"]>).state];
    if (value === true) return t`Yes`;
    if (value === false) return t`No`;
    if (typeof value === "number" && /^max_(?:bytes|file_size)$/.test(name)) return formatBytes(value);
    if (typeof value === "number") return name.endsWith("_id") ? String(value) : formatNumber(value);
    if (Array.isArray(value)) {
      return value.length === 0 ? null : formatList(value.map(wordOf));
    }
    if (typeof value === "string") return isTime(name, value) ? formatTime(value) : value;
    return JSON.stringify(value);
  };
}

const wordOf = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

const isTime = (name: string, value: string): boolean =>
  name.endsWith("_at") && !Number.isNaN(Date.parse(value));

import { useLingui } from "@lingui/react/macro";
import type { ConditionName } from "./condition-value.ts";

export function useConditionTexts(): Record<ConditionName, string> {
  const { t } = useLingui();
  return {
    device: t`Device`,
    os: t`System`,
    browser: t`Browser`,
    language: t`Language`,
    country: t`Country`,
    referrer: t`Referrer`,
    query: t`Query`,
    before: t`Before`,
    after: t`From`,
    hours: t`Hours`,
    address: t`Address of the visitor`,
    percent: t`Percent of visitors`,
  };
}

import { useLingui } from "@lingui/react/macro";
import type { ReportMail } from "../base/api.ts";

export function useIntervalNames(): Record<ReportMail["every"], string> {
  const { t } = useLingui();
  return { day: t`Every day`, week: t`Every Monday`, month: t`On the 1st of a month` };
}

import { useLingui } from "@lingui/react/macro";
import type { ReportPage } from "../base/api.ts";
import { formatList } from "../base/i18n.ts";
import { conditionsIn, type Filter } from "../clicks/filter.ts";

/** Which clicks a report counts, in a line. */
export function ReportFilterText({ filter }: { filter: Filter | ReportPage["filter"] }) {
  const { t } = useLingui();
  const conditions = conditionsIn(filter as Filter);
  const { team } = filter as ReportPage["filter"];
  const shown = [...conditions.map(({ value }) => value), ...(team === undefined ? [] : [team])];
  if (shown.length === 0) return t`All links that its owner may see`;
  return t`Clicks of: ${formatList(shown)}`;
}

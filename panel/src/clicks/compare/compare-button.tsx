import { useLingui } from "@lingui/react/macro";
import { IconArrowsDiff } from "@tabler/icons-react";
import { ButtonLink } from "../../ui/button-link.tsx";
import classes from "../clicks.module.css";
import type { ReportSearch } from "../range.ts";
import { timeIn } from "./compare-search.ts";

type Props = { search: ReportSearch; keys?: string[] };

/** Leads to the comparison of links in the same time. */
export function CompareButton({ search, keys = [] }: Props) {
  const { t } = useLingui();
  return (
    <ButtonLink
      to="/analytics/compare"
      search={{ ...timeIn(search), ...(keys.length > 0 && { link: keys }) }}
      variant="default"
      w={36}
      px={0}
      className={classes["control"]!}
      aria-label={t`Compare links`}
      title={t`Compare links`}
    >
      <IconArrowsDiff size={18} aria-hidden />
    </ButtonLink>
  );
}

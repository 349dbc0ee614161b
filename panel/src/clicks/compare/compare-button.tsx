import { Trans, useLingui } from "@lingui/react/macro";
import { IconArrowsDiff } from "@tabler/icons-react";
import { ButtonLink } from "../../ui/button-link.tsx";
import classes from "../clicks.module.css";
import type { ReportSearch } from "../range.ts";
import { timeIn } from "./compare-search.ts";

type Props = { search: ReportSearch; keys?: string[]; isNamed?: boolean };

/** Leads to the comparison of links in the same time. Not `isNamed`, it is an icon. */
export function CompareButton({ search, keys = [], isNamed = false }: Props) {
  const { t } = useLingui();
  const target = {
    to: "/analytics/compare",
    search: { ...timeIn(search), ...(keys.length > 0 && { link: keys }) },
    className: classes["control"]!,
  } as const;
  if (isNamed)
    return (
      <ButtonLink
        {...target}
        size="compact-sm"
        variant="subtle"
        color="gray"
        leftSection={<IconArrowsDiff size={14} aria-hidden />}
      >
        <Trans>Compare links</Trans>
      </ButtonLink>
    );
  const name = t`Compare links`;
  return (
    <ButtonLink {...target} variant="default" w={36} px={0} aria-label={name} title={name}>
      <IconArrowsDiff size={18} aria-hidden />
    </ButtonLink>
  );
}

import { useLingui } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import { IconArrowsDiff } from "@tabler/icons-react";
import { ButtonLink } from "../../ui/button-link.tsx";
import classes from "../clicks.module.css";
import type { ReportSearch } from "../range.ts";
import { timeIn } from "./compare-search.ts";

type Props = { search: ReportSearch; keys?: string[]; isNamed?: boolean };

/** Leads to the comparison of links in the same time. On phones, and not `isNamed`, it is an icon. */
export function CompareButton({ search, keys = [], isNamed = false }: Props) {
  const { t } = useLingui();
  const name = t`Compare links`;
  return (
    <ButtonLink
      to="/analytics/compare"
      search={{ ...timeIn(search), ...(keys.length > 0 && { link: keys }) }}
      className={classes["control"]!}
      variant="default"
      px="xs"
      aria-label={name}
      title={name}
    >
      <IconArrowsDiff size={16} aria-hidden />
      {isNamed && (
        <Text span size="sm" ml={6} visibleFrom="sm">
          {name}
        </Text>
      )}
    </ButtonLink>
  );
}

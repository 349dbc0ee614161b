import { Trans } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { formatNumber } from "../base/i18n.ts";

/** What a button that opens filters says. `count`: how many are set. `className`: of the word. */
export const FilterLabel = ({ count, className = "" }: { count: number; className?: string | undefined }) => (
  <>
    <IconFilter size={16} aria-hidden />
    <Text span size="sm" ml={6} className={className}>
      <Trans>Filter</Trans>
    </Text>
    {count > 0 && (
      <Text span size="sm" ml={6} c="dimmed">
        {formatNumber(count)}
      </Text>
    )}
  </>
);

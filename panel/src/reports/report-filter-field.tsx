import { useLingui } from "@lingui/react/macro";
import { Input, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { FilterBar } from "../clicks/filter/filter-bar.tsx";
import { conditionsIn, type Filter, filterIn } from "../clicks/filter.ts";
import { frameOf } from "../clicks/frame.ts";
import { ReportFilterText } from "./report-filter-text.tsx";

type Props = {
  filter: Filter;
  /** Of whose links alone; it stays. */
  team: string | undefined;
  onChange(filter: Filter): void;
  error: ReactNode;
};

/** Which clicks a report counts, as the analytics page has it. */
export function ReportFilterField({ filter, team, onChange, error }: Props) {
  const { t } = useLingui();
  const isAll = conditionsIn(filter).length === 0;
  return (
    <Input.Wrapper label={t`Filter`} error={error}>
      {(isAll || team !== undefined) && (
        <Text size="sm" c="dimmed" mb={4}>
          <ReportFilterText filter={{ ...(isAll && filter), ...(team !== undefined && { team }) }} />
        </Text>
      )}
      <FilterBar
        frame={frameOf(filter, null)}
        search={filter}
        onChange={(search) => onChange(filterIn(search))}
      />
    </Input.Wrapper>
  );
}

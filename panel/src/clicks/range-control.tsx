import { useLingui } from "@lingui/react/macro";
import { Group, SegmentedControl } from "@mantine/core";
import type { ReportSearch } from "./range.ts";

type Props = { search: ReportSearch; onChange(search: ReportSearch): void };

export function RangeControl({ search, onChange }: Props) {
  const { t } = useLingui();
  return (
    <Group gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={t`Time`}
        value={search.range ?? "30d"}
        onChange={(range) => onChange({ ...search, range: range as NonNullable<ReportSearch["range"]> })}
        data={[
          { value: "7d", label: t`7 days` },
          { value: "30d", label: t`30 days` },
          { value: "90d", label: t`90 days` },
          { value: "1y", label: t`1 year` },
        ]}
      />
      <SegmentedControl
        size="xs"
        aria-label={t`Visitors`}
        value={search.visitors ?? "human"}
        onChange={(visitors) =>
          onChange({ ...search, visitors: visitors as NonNullable<ReportSearch["visitors"]> })
        }
        data={[
          { value: "human", label: t`People` },
          { value: "all", label: t`People and machines` },
        ]}
      />
    </Group>
  );
}

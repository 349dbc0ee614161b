import { useLingui } from "@lingui/react/macro";
import { Group, NativeSelect, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { isoDay, DAY_MS, type Unit } from "./buckets.ts";
import { localNow } from "./zone.ts";
import { rangeNames } from "./range-names.ts";
import classes from "./clicks.module.css";
import {
  COMPARISONS,
  type Comparison,
  type OnReportChange,
  type RangeName,
  type ReportSearch,
  spanOf,
  unitOf,
  unitsOf,
  VISITORS,
  type Visitors,
  withoutTime,
} from "./range.ts";

type Props = {
  search: ReportSearch;
  onChange: OnReportChange;
  /** Fields that are left out. */
  without?: readonly ("by" | "visitors" | "vs")[];
  /** Their names stand above the fields. */
  isLabelled?: boolean;
  /** A button after the fields. */
  children?: ReactNode;
};

const OWN = "own";

export function useVisitorNames(): Record<Visitors, string> {
  const { t } = useLingui();
  return {
    human: t({ message: "Human clicks", context: "short" }),
    automated: t`Bots`,
    all: t`Humans and bots`,
  };
}

/** Time, grouping, visitors and comparison of a report. A new time forgets the brushed part. */
export function ReportControls({ search, onChange, without = [], isLabelled, children }: Props) {
  const { t } = useLingui();
  const span = spanOf(search);
  const kept = withoutTime(search);
  const isOwn = search.from !== undefined;
  const own = { from: isoDay(span.start), to: isoDay(span.end - 1) };
  const units: Record<Unit, string> = {
    hour: t`By hour`,
    day: t`By day`,
    week: t`By week`,
    month: t`By month`,
  };
  const visitors = useVisitorNames();
  const comparisons: Record<Comparison, string> = {
    before: t`Previous period`,
    year: t`Against a year before`,
    none: t`Without comparison`,
  };
  const chooseDates = (dates: { from: string; to: string }, isMore: boolean) => {
    if (Number.isNaN(Date.parse(dates.from)) || Number.isNaN(Date.parse(dates.to))) return;
    const [first, last] = [dates.from, dates.to].sort();
    onChange({ ...kept, from: first!, to: last! }, isMore);
  };
  const named = (name: string) => (isLabelled ? { label: name } : { "aria-label": name });
  const select = { size: "sm", className: classes["control"]! } as const;
  const long = { ...select, className: `${classes["control"]} ${classes["long"]}` } as const;
  return (
    <Group gap="xs" role="group" aria-label={t`Time and visitors`} className={classes["controls"]!}>
      <NativeSelect
        {...select}
        {...named(t`Time`)}
        value={isOwn ? OWN : (search.range ?? "30d")}
        onChange={({ currentTarget: { value } }) =>
          value === OWN ? chooseDates(own, false) : onChange({ ...kept, range: value as RangeName })
        }
        data={[...rangeNames(), { value: OWN, label: t`Custom range` }]}
      />
      {isOwn && (
        <Group gap={4} wrap="nowrap" align="end">
          <TextInput
            {...select}
            type="date"
            {...named(t`First day`)}
            value={own.from}
            max={isoDay(localNow() + DAY_MS)}
            onChange={({ currentTarget: { value } }) => chooseDates({ from: value, to: own.to }, true)}
          />
          <span aria-hidden>–</span>
          <TextInput
            {...select}
            type="date"
            {...named(t`Last day`)}
            value={own.to}
            max={isoDay(localNow() + DAY_MS)}
            onChange={({ currentTarget: { value } }) => chooseDates({ from: own.from, to: value }, true)}
          />
        </Group>
      )}
      {!without.includes("by") && (
        <NativeSelect
          {...select}
          {...named(t`Grouping`)}
          value={unitOf(search, span)}
          onChange={({ currentTarget: { value } }) => onChange({ ...search, by: value as Unit })}
          data={unitsOf(span).map((unit) => ({ value: unit, label: units[unit] }))}
        />
      )}
      {!without.includes("visitors") && (
        <NativeSelect
          {...long}
          {...named(t`Visitors`)}
          value={search.visitors ?? "human"}
          onChange={({ currentTarget: { value } }) => onChange({ ...search, visitors: value as Visitors })}
          data={VISITORS.map((value) => ({ value, label: visitors[value] }))}
        />
      )}
      {!without.includes("vs") && (
        <NativeSelect
          {...long}
          {...named(t`Comparison`)}
          value={search.vs ?? "before"}
          onChange={({ currentTarget: { value } }) => onChange({ ...search, vs: value as Comparison })}
          data={COMPARISONS.map((value) => ({ value, label: comparisons[value] }))}
        />
      )}
      {children}
    </Group>
  );
}

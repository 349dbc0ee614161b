import { Trans, useLingui } from "@lingui/react/macro";
import { Combobox, Text, TextInput, useCombobox } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { formatNumber } from "../../base/i18n.ts";
import { presetsQuery } from "../../presets/preset-queries.ts";
import classes from "../clicks.module.css";
import { conditionsFor, type Dimension, DIMENSIONS, LINK_DIMENSIONS, nameOfValue } from "../dimensions.ts";
import { conditionsIn, linkConditionsIn, valuesIn, withCondition } from "../filter.ts";
import type { Frame } from "../frame.ts";
import { filterNames, isRest } from "../names.ts";
import { type OnReportChange, readReportSearch, type ReportSearch, withoutTime } from "../range.ts";
import { rangeNames } from "../range-names.ts";
import { listQuery } from "../report-queries.ts";

type Props = {
  frame: Frame;
  search: ReportSearch;
  onChange: OnReportChange;
  isOfLink: boolean;
  onClose(): void;
};

type Option = {
  key: string;
  name: string;
  /** Chosen with it. */
  time?: string;
  count?: number;
  change: ReportSearch;
};
type OptionGroup = { title: string; options: Option[] };

/** Of each kind, while nothing is typed, and at most. */
const FIRST = 3;
const MOST = 6;
/** What is asked for most often comes first. */
const ALL: readonly Dimension[] = [
  ...LINK_DIMENSIONS.filter((name) => name !== "link"),
  ...DIMENSIONS.filter((name) => name !== "utm_campaign"),
  "link",
];

/** Everything that was clicked, and how, by name; and times. */
export function FilterOptions({ frame, search, onChange, isOfLink, onClose }: Props) {
  const { t } = useLingui();
  const [text, setText] = useState("");
  const { data: views = [] } = useQuery(presetsQuery("report"));
  const box = useCombobox({ opened: true });
  const names = filterNames();
  const dimensions = isOfLink ? DIMENSIONS : ALL;
  // From sums: so many lists of single clicks would take long.
  const requested = { span: frame.shown, visitors: frame.visitors, filter: linkConditionsIn(frame.filter) };
  const isCounted = conditionsIn(valuesIn(frame.filter)).length === 0;
  const responses = useQueries({ queries: dimensions.map((dimension) => listQuery(dimension, requested)) });
  const typed = text.trim().toLocaleLowerCase();
  // "autumn last month"
  const time = rangeNames().find(
    ({ label }) => typed.endsWith(label.toLocaleLowerCase()) && typed.length > label.length,
  );
  const sought = time === undefined ? typed : typed.slice(0, -time.label.length).trim();
  const inTime = (change: ReportSearch): ReportSearch =>
    time === undefined ? change : { ...withoutTime(change), range: time.value };
  const isFound = (name: string) => name.toLocaleLowerCase().includes(sought);

  const groups: OptionGroup[] = dimensions.map((dimension, at) => {
    const title = names[dimension === "link" ? "code" : dimension];
    const rows = responses[at]?.data?.rows ?? [];
    const options = rows
      .filter(({ value }) => !isRest(value) && value !== "(direct)")
      .map((row) => ({
        key: JSON.stringify([dimension, row.value, row.country, row.domain]),
        name: nameOfValue(dimension, row),
        ...(time && { time: time.label }),
        ...(isCounted && !time && { count: row.clicks }),
        change: inTime(conditionsFor(dimension, row).reduce(withCondition, search)),
      }))
      .filter(({ name }) => isFound(name) || (sought !== "" && isFound(title)))
      .slice(0, sought === "" ? FIRST : MOST);
    return { title, options };
  });
  if (sought !== "") {
    const times = rangeNames()
      .filter(({ label }) => isFound(label))
      .map(({ value, label }) => ({
        key: value,
        name: label,
        change: { ...withoutTime(search), range: value },
      }));
    groups.push({ title: t`Time`, options: times });
    if (!isOfLink) {
      const change = withCondition(search, { name: "search", value: text.trim() });
      groups.push({ title: t`Text of links`, options: [{ key: "search", name: text.trim(), change }] });
    }
  }
  if (!isOfLink) {
    const found = views.filter(({ name }) => isFound(name));
    const options = found.map(({ id, name, content }) => {
      return { key: `view ${id}`, name, change: readReportSearch(content) };
    });
    groups.unshift({ title: t`Views`, options });
  }
  const shown = groups.filter(({ options }) => options.length > 0);
  const first = shown[0]?.options[0]?.key;
  // Enter takes it.
  useEffect(() => {
    box.selectFirstOption();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once for each list
  }, [first, sought]);

  return (
    <Combobox
      store={box}
      onOptionSubmit={(key) => {
        const chosen = shown.flatMap(({ options }) => options).find((option) => option.key === key);
        onClose();
        if (chosen !== undefined) onChange(chosen.change);
      }}
    >
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          autoFocus
          size="sm"
          aria-label={t`Find a filter`}
          placeholder={t`Campaign, tag, country …`}
          value={text}
          maxLength={128}
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
      </Combobox.EventsTarget>
      <Combobox.Options mt="xs" mah="min(22rem, 50dvh)" className={classes["scroll"]!}>
        {shown.map(({ title, options }) => (
          <Combobox.Group key={title} label={title}>
            {options.map(({ key, name, time: inside, count }) => (
              <Combobox.Option key={key} value={key} className={classes["row"]!}>
                <span className={classes["name"]}>{[name, inside].filter(Boolean).join(" · ")}</span>
                {count !== undefined && (
                  <Text span size="xs" c="inherit" className={classes["count"]!}>
                    {formatNumber(count)}
                  </Text>
                )}
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
        {shown.length === 0 && (
          <Combobox.Empty>
            <Trans>Nothing matches</Trans>
          </Combobox.Empty>
        )}
      </Combobox.Options>
    </Combobox>
  );
}

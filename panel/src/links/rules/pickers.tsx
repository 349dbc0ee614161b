import { Trans, useLingui } from "@lingui/react/macro";
import { Chip, Group, MultiSelect, NumberInput, Select, TagsInput, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { type Day, dayNames, useConditionTexts, useValueName } from "../form/condition-texts.ts";
import {
  type ConditionName,
  type Conditions,
  isList,
  type ListName,
  queryIn,
  queryLine,
  conditionValues,
} from "../form/condition-value.ts";
import { TimeField } from "../form/time-field.tsx";
import { useTypedSearch } from "../../ui/forms/typed-search.ts";
import { timeZones } from "../../ui/forms/time-zones.ts";
import { SEPARATORS } from "../../base/targets.ts";
import { choicesOf, ConditionIcon } from "./choices.tsx";

const MOST_VALUES = 32;
const MOST_TYPED = 200;

type Props<V = unknown> = {
  label: string;
  value: V;
  onChange(value: V): void;
  error: ReactNode;
  /** The list of choices is open from the start. */
  isNew: boolean;
  /** The first of a list is chosen. */
  onFirst(): void;
};

/** Chooses what a condition asks for: from a list where there is one. */
export function ConditionPicker({ name, ...props }: Omit<Props, "label"> & { name: ConditionName }) {
  const { t } = useLingui();
  const texts = useConditionTexts();
  const shared = { ...props, label: texts[name] };
  if (isList(name)) return <ListPicker {...shared} value={conditionValues(props.value)} name={name} />;
  switch (name) {
    case "hours":
      return <HoursPicker {...shared} value={props.value as Hours} />;
    case "query":
      return <QueryPicker {...shared} value={props.value as NonNullable<Conditions["query"]>} />;
    case "percent":
      return (
        <NumberInput
          label={shared.label}
          error={props.error}
          value={props.value as number | string}
          onChange={props.onChange}
          min={0}
          max={100}
          suffix=" %"
          placeholder="50 %"
          maxLength={12}
        />
      );
    default:
      return (
        <TimeField
          label={shared.label}
          error={props.error}
          value={String(props.value)}
          onChange={props.onChange}
          none={t`None`}
          steps={[
            [1, "day"],
            [7, "day"],
            [30, "day"],
          ]}
        />
      );
  }
}

const hostIn = (text: string): string =>
  text
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/[/?#:].*$/s, "");

function ListPicker({
  name,
  label,
  value,
  onChange,
  error,
  isNew,
  onFirst,
}: Props<string[]> & { name: ListName }) {
  const { t } = useLingui();
  const nameOf = useValueName();
  const [choices] = useState(() => choicesOf(name, nameOf, value));
  const [isOpen, setIsOpen] = useState(isNew);
  const search = useTypedSearch();
  const shared = { label, value, error, maxLength: MOST_TYPED };
  if (choices === null) {
    return (
      <TagsInput
        {...shared}
        maxTags={MOST_VALUES}
        onChange={(texts) => onChange(name === "referrer" ? texts.map(hostIn) : texts)}
        splitChars={[...SEPARATORS, " "]}
        acceptValueOnBlur
        placeholder={name === "referrer" ? "news.example.com" : "192.0.2.0/24"}
        description={name === "referrer" ? t`The site with the link. Its subdomains count too.` : undefined}
      />
    );
  }
  return (
    <MultiSelect
      {...shared}
      {...search}
      maxValues={MOST_VALUES}
      onChange={(chosen) => {
        onChange(chosen);
        if (chosen.length > value.length) setIsOpen(false);
        if (value.length === 0) onFirst();
      }}
      onKeyDown={(event) => {
        // Enter chooses; it doesn't save.
        if (event.key === "Enter") event.preventDefault();
      }}
      data={choices}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setIsOpen(true)}
      onDropdownClose={() => setIsOpen(false)}
      hidePickedOptions
      placeholder={value.length === 0 ? t`Choose` : ""}
      nothingFoundMessage={<Trans>Nothing matches.</Trans>}
      comboboxProps={{ withinPortal: false }}
      renderOption={({ option }) => (
        <Group gap="xs" wrap="nowrap">
          <ConditionIcon name={name} value={option.value} />
          {option.label}
        </Group>
      )}
    />
  );
}

function QueryPicker({ label, value, onChange, error }: Props<NonNullable<Conditions["query"]>>) {
  const { t } = useLingui();
  const [typed, setTyped] = useState(() => queryLine(value));
  return (
    <TextInput
      label={label}
      description={t`Parameters of the short URL, such as ref=mail. Without = any value counts.`}
      error={error}
      value={typed}
      maxLength={2000}
      placeholder="ref=mail&lang"
      onChange={({ currentTarget: { value: line } }) => {
        setTyped(line);
        onChange(queryIn(line));
      }}
    />
  );
}

type Hours = NonNullable<Conditions["hours"]>;

function HoursPicker({ label, value, onChange, error }: Props<Hours>) {
  const { t, i18n } = useLingui();
  const { days = [], from, to, zone } = value;
  const [zones] = useState(() => timeZones(zone));
  /** What is undefined is left out. */
  const set = (change: { [K in keyof Hours]?: Hours[K] | undefined }): void =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...value, ...change }).filter(([, part]) => part !== undefined),
      ) as Hours,
    );
  const time = (of: "from" | "to", name: string, shown: string | undefined) => (
    <TextInput
      type="time"
      label={name}
      value={shown === "24:00" ? "" : (shown ?? "")}
      onChange={({ currentTarget }) => set({ [of]: currentTarget.value || undefined })}
    />
  );
  return (
    <div role="group" aria-label={label}>
      <Chip.Group
        multiple
        value={[...days]}
        onChange={(chosen) => set({ days: chosen.length === 0 ? undefined : (chosen as Day[]) })}
      >
        <Group gap={4} mb="xs">
          {dayNames(i18n.locale).map(([day, name]) => (
            <Chip key={day} value={day} size="xs">
              {name}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Group gap="xs" align="end" wrap="wrap">
        {time("from", t({ message: "From", context: "hour" }), from)}
        {time("to", t({ message: "To", context: "hour" }), to)}
        <Select
          flex="1 1 10rem"
          label={t`Time zone`}
          value={zone}
          data={zones}
          searchable
          limit={200}
          maxLength={64}
          allowDeselect={false}
          error={error}
          onChange={(chosen) => chosen !== null && set({ zone: chosen })}
          comboboxProps={{ withinPortal: false }}
        />
      </Group>
    </div>
  );
}

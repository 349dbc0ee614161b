import { useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { serverNow } from "../../base/server-clock.ts";

type Props = {
  label: string;
  description?: ReactNode;
  error?: ReactNode;
  /** RFC 3339, or empty. */
  value: string;
  onChange(value: string): void;
  /** What an empty value means. */
  none: string;
  /** From now on; one press chooses each. */
  steps: readonly TimeStep[];
};

export type TimeStep = readonly [count: number, unit: "day" | "year"];

const DAYS = { day: 1, year: 365 };
const DAY_MS = 86_400_000;
const LATEST = "9999-12-31T23:59";

const two = (part: number): string => String(part).padStart(2, "0");

/** For the input, in the time zone of the browser. */
function localText(instant: string): string {
  const at = new Date(instant);
  if (instant === "" || Number.isNaN(at.getTime())) return "";
  const year = String(at.getFullYear()).padStart(4, "0");
  return `${year}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

function instantOf(text: string): string {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? "" : at.toISOString();
}

const startsLarge = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/** In whole minutes. */
const laterBy = (days: number): string =>
  instantOf(localText(new Date(serverNow() + days * DAY_MS).toISOString()));

/** A day and time of the browser's time zone. */
export function TimeField({ label, description, error, value, onChange, none, steps }: Props) {
  const { t, i18n } = useLingui();
  // As typed: a year passes through other years while it is typed.
  const [typed, setTyped] = useState(() => localText(value));
  const shown = instantOf(typed) === value ? typed : localText(value);
  const names = new Intl.RelativeTimeFormat(i18n.locale, { numeric: "always" });
  return (
    <Stack gap={6}>
      <TextInput
        type="datetime-local"
        label={label}
        description={description}
        error={error}
        max={LATEST}
        value={shown}
        onChange={({ currentTarget: { value: text } }) => {
          setTyped(text);
          onChange(instantOf(text));
        }}
      />
      <Group gap={6} role="group" aria-label={t`Choose: ${label}`}>
        {steps.map(([count, unit]) => (
          <Button
            key={unit + count}
            size="compact-sm"
            variant="default"
            fw={400}
            onClick={() => onChange(laterBy(count * DAYS[unit]))}
          >
            {startsLarge(names.format(count, unit))}
          </Button>
        ))}
        {value !== "" && (
          <Button size="compact-sm" variant="subtle" color="gray" fw={400} onClick={() => onChange("")}>
            {none}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

import { useLingui } from "@lingui/react/macro";
import { Chip, Group, Input, Stack, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { dateLocale } from "../../base/date-locale.ts";
import { serverNow } from "../../base/server-clock.ts";

type Props = {
  /** Empty: never. A duration or an instant. */
  value: string;
  onChange(value: string): void;
  error?: ReactNode;
  /** Choices besides never and a date. */
  lengths: readonly Length[];
};

type Length = "1d" | "7d" | "30d" | "90d" | "365d";

/** The value of the browser's field: local time, to the minute. */
function localOf(instant: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The end of the day in so many days. */
function endOfDay(days: number): Date {
  const date = new Date(serverNow());
  date.setDate(date.getDate() + days);
  date.setHours(23, 59, 0, 0);
  return date;
}

/** The ends of the next two Fridays, which most weeks end with. */
function nextFridays(): Date[] {
  const days = (5 - new Date(serverNow()).getDay() + 7) % 7 || 7;
  return [endOfDay(days), endOfDay(days + 7)];
}

/** Never, in some days, or at an instant. */
export function ExpiryField({ value, onChange, error, lengths }: Props) {
  const { t } = useLingui();
  /** Such a date may be a Friday. */
  const [isDate, setIsDate] = useState(false);
  const names: Record<Length, string> = {
    "1d": t`In a day`,
    "7d": t`In a week`,
    "30d": t`In 30 days`,
    "90d": t`In 90 days`,
    "365d": t`In a year`,
  };
  const fridays = nextFridays().map((date) => {
    const friday = date.toLocaleDateString(dateLocale(), { weekday: "long", day: "numeric", month: "short" });
    return { value: date.toISOString(), label: t`Until ${friday}` };
  });
  const named = [...lengths.map((length) => ({ value: length, label: names[length] })), ...fridays];
  const isInstant = value !== "" && (isDate || named.every((choice) => choice.value !== value));
  const choices = [...named, { value: "instant", label: t`At a date…` }, { value: "", label: t`Never` }];
  function choose(chosen: string): void {
    setIsDate(chosen === "instant");
    onChange(chosen === "instant" ? endOfDay(7).toISOString() : chosen);
  }
  return (
    <Stack gap={6}>
      <Input.Wrapper label={t`Expires`} labelElement="div" error={!isInstant && error}>
        <Chip.Group value={isInstant ? "instant" : value} onChange={choose}>
          <Group gap={6} mt={4} role="radiogroup" aria-label={t`Expires`}>
            {choices.map((choice) => (
              <Chip key={choice.value} value={choice.value} size="sm">
                {choice.label}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      </Input.Wrapper>
      {isInstant && (
        <TextInput
          type="datetime-local"
          aria-label={t`Date and time of expiry`}
          value={localOf(value)}
          onChange={({ currentTarget: { value: typed } }) => {
            if (typed !== "") onChange(new Date(typed).toISOString());
          }}
          error={error}
        />
      )}
    </Stack>
  );
}

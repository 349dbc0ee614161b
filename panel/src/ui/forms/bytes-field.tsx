import { useLingui } from "@lingui/react/macro";
import { Group, NativeSelect, NumberInput } from "@mantine/core";
import { useState } from "react";

const UNITS = { MB: 1_000_000, GB: 1_000_000_000, TB: 1_000_000_000_000 } as const;
type Unit = keyof typeof UNITS;

const unitOf = (bytes: number | null): Unit =>
  bytes === null || bytes < UNITS.GB ? "MB" : bytes < UNITS.TB ? "GB" : "TB";

type Shown = { number: number | string; unit: Unit };

function shownOf(bytes: number | null): Shown {
  const unit = unitOf(bytes);
  return { number: bytes === null ? "" : bytes / UNITS[unit], unit };
}

const bytesOf = ({ number, unit }: Shown): number | null =>
  number === "" ? null : Math.max(1, Math.round(Number(number) * UNITS[unit]));

type Props = {
  label: string;
  /** Null: none given. */
  value: number | null;
  onChange(bytes: number | null): void;
  placeholder?: string;
  required?: boolean;
  error?: string | undefined;
};

/** A number of bytes in a suitable unit. */
export function BytesField({ label, value, onChange, placeholder, required, error }: Props) {
  const { t } = useLingui();
  const [typed, setTyped] = useState(() => shownOf(value));
  // As typed, until the value changes elsewhere.
  const { number: amount, unit } = Object.is(bytesOf(typed), value) ? typed : shownOf(value);
  function change(number: number | string, next: Unit): void {
    const now = { number, unit: next };
    setTyped(now);
    onChange(bytesOf(now));
  }
  return (
    <Group gap={6} align="end" wrap="nowrap">
      <NumberInput
        label={label}
        value={amount}
        onChange={(number) => change(number, unit)}
        min={0}
        decimalScale={3}
        hideControls
        style={{ flex: 1 }}
        error={error}
        {...(placeholder !== undefined && { placeholder })}
        {...(required && { required, withAsterisk: false })}
      />
      <NativeSelect
        aria-label={t`Unit of: ${label}`}
        w={76}
        data={Object.keys(UNITS)}
        value={unit}
        onChange={(event) => change(amount, event.currentTarget.value as Unit)}
      />
    </Group>
  );
}

import { useLingui } from "@lingui/react/macro";
import { Group, NativeSelect, NumberInput } from "@mantine/core";
import { useState } from "react";

const UNITS = { MB: 1_000_000, GB: 1_000_000_000, TB: 1_000_000_000_000 } as const;
type Unit = keyof typeof UNITS;

const unitOf = (bytes: number | null): Unit =>
  bytes === null || bytes < UNITS.GB ? "MB" : bytes < UNITS.TB ? "GB" : "TB";

type Props = {
  label: string;
  /** Null: none given. */
  value: number | null;
  onChange(bytes: number | null): void;
  placeholder?: string;
  required?: boolean;
  error?: string | undefined;
};

/** A number of bytes in the unit that suits it. */
export function BytesField({ label, value, onChange, placeholder, required, error }: Props) {
  const { t } = useLingui();
  const [unit, setUnit] = useState<Unit>(unitOf(value));
  const [typed, setTyped] = useState<number | string>(value === null ? "" : value / UNITS[unit]);
  function change(number: number | string, next: Unit): void {
    setTyped(number);
    setUnit(next);
    onChange(number === "" ? null : Math.max(1, Math.round(Number(number) * UNITS[next])));
  }
  return (
    <Group gap={6} align="end" wrap="nowrap">
      <NumberInput
        label={label}
        value={typed}
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
        onChange={(event) => change(typed, event.currentTarget.value as Unit)}
      />
    </Group>
  );
}

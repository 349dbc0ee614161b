import { useLingui } from "@lingui/react/macro";
import { TextInput } from "@mantine/core";
import { useState } from "react";
import classes from "./qr.module.css";

type Props = { label: string; value: string; onChange(colour: string): void };

const HEX = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i;

/** `#rrggbb`, also for the short form with three digits. */
function wholeHex(text: string): string | null {
  const [, digits] = HEX.exec(text.trim()) ?? [];
  if (digits === undefined) return null;
  return `#${(digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits).toLowerCase()}`;
}

/** By the browser's picker, or as hex digits. */
export function ColourInput({ label, value, onChange }: Props) {
  const { t } = useLingui();
  const [typed, setTyped] = useState(value);
  const shown = wholeHex(typed) === value || wholeHex(typed) === null ? typed : value;
  return (
    <TextInput
      label={label}
      value={shown}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text);
        const colour = wholeHex(text);
        if (colour !== null) onChange(colour);
      }}
      onBlur={() => setTyped(value)}
      maxLength={7}
      spellCheck={false}
      leftSection={
        <input
          type="color"
          className={classes["swatch"]}
          aria-label={t`Choose: ${label}`}
          value={value}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            onChange(event.currentTarget.value);
          }}
        />
      }
    />
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Group, Stack, TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from "@tabler/icons-react";
import { type ReactNode, useRef, useState } from "react";
import { flushSync } from "react-dom";

type Props = {
  label: string;
  values: readonly string[];
  onChange(values: string[]): void;
  onLeave(): void;
  /** Of an item, counted without empty rows. */
  faultOf(item: number): string | undefined;
};

const filled = (rows: readonly string[]): string[] => rows.filter((row) => row.trim() !== "");

/** A list of texts, one a row. Empty rows do not count. */
export function ListField({ label, values, onChange, onLeave, faultOf }: Props) {
  const { t } = useLingui();
  const [rows, setRows] = useState<readonly string[]>(values);
  const box = useRef<HTMLDivElement>(null);
  const shown = filled(rows).join("\n") === values.join("\n") ? rows : values;

  function change(next: readonly string[]): void {
    setRows(next);
    onChange(filled(next));
  }
  /** At once: the next key press is for the new row. */
  function changeAndFocus(next: readonly string[], at: number): void {
    flushSync(() => change(next));
    box.current?.querySelectorAll("input")[Math.max(0, at)]?.focus();
  }
  const add = (at: number): void => changeAndFocus(shown.toSpliced(at, 0, ""), at);
  const remove = (at: number): void => changeAndFocus(shown.toSpliced(at, 1), Math.min(at, shown.length - 2));
  const swap = (at: number, to: number): void =>
    changeAndFocus(shown.with(at, shown[to]!).with(to, shown[at]!), to);

  return (
    <Stack gap={6} ref={box} role="group" aria-label={label}>
      {shown.map((text, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows have no other identity
        <Group key={at} gap={2} wrap="nowrap" align="start">
          <TextInput
            size="sm"
            flex={1}
            aria-label={t`${label}, entry ${at + 1}`}
            value={text}
            error={text.trim() === "" ? undefined : faultOf(filled(shown.slice(0, at)).length)}
            spellCheck={false}
            autoCapitalize="none"
            onChange={(event) => change(shown.with(at, event.currentTarget.value))}
            onBlur={onLeave}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
              if (event.key === "Enter") {
                event.preventDefault();
                add(at + 1);
              } else if (event.key === "Backspace" && text === "") {
                event.preventDefault();
                remove(at);
              }
            }}
          />
          <Move label={t`Move up: ${text}`} isOff={at === 0} onMove={() => swap(at, at - 1)}>
            <IconArrowUp size={16} />
          </Move>
          <Move label={t`Move down: ${text}`} isOff={at === shown.length - 1} onMove={() => swap(at, at + 1)}>
            <IconArrowDown size={16} />
          </Move>
          <Move label={t`Remove: ${text}`} isOff={false} onMove={() => remove(at)}>
            <IconX size={16} />
          </Move>
        </Group>
      ))}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlus size={14} />}
        style={{ alignSelf: "start" }}
        onClick={() => add(shown.length)}
      >
        <Trans>Add an entry</Trans>
      </Button>
    </Stack>
  );
}

type MoveProps = { label: string; isOff: boolean; onMove(): void; children: ReactNode };

const Move = ({ label, isOff, onMove, children }: MoveProps) => (
  <ActionIcon variant="subtle" color="gray" size={36} aria-label={label} disabled={isOff} onClick={onMove}>
    {children}
  </ActionIcon>
);

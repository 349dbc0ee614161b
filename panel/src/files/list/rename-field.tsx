import { useLingui } from "@lingui/react/macro";
import { TextInput } from "@mantine/core";
import { useRef, useState } from "react";

type Props = { name: string; isFolder: boolean; onSave(name: string): void; onCancel(): void };

/** In place of the name. The part before the extension is selected. */
export function RenameField({ name, isFolder, onSave, onCancel }: Props) {
  const { t } = useLingui();
  const [typed, setTyped] = useState(name);
  const isOver = useRef(false);
  function end(save: boolean): void {
    if (isOver.current) return;
    isOver.current = true;
    const next = typed.trim();
    if (save && next !== "" && next !== name) onSave(next);
    else onCancel();
  }
  return (
    <TextInput
      size="xs"
      flex={1}
      aria-label={t`New name of ${name}`}
      value={typed}
      ref={(field) => {
        if (field === null || document.activeElement === field || isOver.current) return;
        field.focus();
        const dot = name.lastIndexOf(".");
        field.setSelectionRange(0, isFolder || dot <= 0 ? name.length : dot);
      }}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => end(true)}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") end(true);
        if (event.key === "Escape") end(false);
      }}
    />
  );
}

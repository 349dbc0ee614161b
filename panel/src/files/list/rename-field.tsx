import { useLingui } from "@lingui/react/macro";
import { ActionIcon, TextInput } from "@mantine/core";
import { IconRestore } from "@tabler/icons-react";
import { useRef } from "react";
import { useDraftText } from "../../ui/forms/use-draft.tsx";

type Props = {
  name: string;
  isFolder: boolean;
  /** Of what is typed. */
  draft: string;
  onSave(name: string): void;
  onCancel(): void;
};

/** In place of the name. The part before the extension is selected. */
export function RenameField({ name, isFolder, draft, onSave, onCancel }: Props) {
  const { t } = useLingui();
  const { text, type, isRestored, startAnew } = useDraftText(draft, name);
  const isOver = useRef(false);
  const isTouched = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  const anew = useRef<HTMLButtonElement>(null);
  function end(save: boolean): void {
    if (isOver.current) return;
    isOver.current = true;
    const next = text.trim();
    if (save && next !== "" && next !== name) onSave(next);
    else onCancel();
  }
  function begin(input: HTMLInputElement | null): void {
    field.current = input;
    if (input === null || document.activeElement === input || isOver.current) return;
    input.focus();
    const dot = text.lastIndexOf(".");
    input.setSelectionRange(0, isFolder || dot <= 0 ? text.length : dot);
  }
  return (
    <TextInput
      size="xs"
      flex={1}
      aria-label={t`New name of ${name}`}
      value={text}
      ref={begin}
      onChange={(event) => {
        isTouched.current = true;
        type(event.currentTarget.value);
      }}
      // A restored draft is saved by Enter only.
      onBlur={({ relatedTarget }) => {
        if (relatedTarget === null || relatedTarget !== anew.current) end(isTouched.current);
      }}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") end(true);
        if (event.key === "Escape") end(false);
      }}
      rightSection={
        isRestored && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size={24}
            title={t`What you typed before is here again.`}
            aria-label={t`Start again`}
            ref={anew}
            onBlur={({ relatedTarget }) => {
              if (relatedTarget !== field.current) end(false);
            }}
            onClick={() => {
              startAnew();
              field.current?.focus();
            }}
          >
            <IconRestore size={16} />
          </ActionIcon>
        )
      }
    />
  );
}

import { useLingui } from "@lingui/react/macro";
import { CloseButton, TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback, useMediaQuery } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useShortcuts } from "../keys/page-keys.ts";
import { ariaKeysOf } from "../keys/shortcuts.ts";

/** Of a search, unless the server takes less. */
const LONGEST = 512;

type Props = {
  /** Also the placeholder, on phones always. */
  label: string;
  /** What is searched. */
  placeholder?: string;
  /** What the list shows. */
  q: string | undefined;
  /** Between the last key and the search. */
  delayMs: number;
  /** Undefined for all. */
  onSearch(q: string | undefined): void;
  /** Escape empties it. */
  isClearedByEscape?: boolean;
} & Pick<TextInputProps, "className" | "flex" | "maw" | "maxLength" | "type">;

/**
 * Searches while one types. Typing is not overwritten; another address brings its own text. `/` goes to the field,
 * ArrowDown and Enter to the list.
 */
export function SearchField(props: Props) {
  const { label, placeholder = label, q = "", delayMs, onSearch, isClearedByEscape, ...look } = props;
  const { t } = useLingui();
  const isNarrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  const input = useRef<HTMLInputElement>(null);
  useShortcuts({ search: () => input.current?.select() });
  const [text, setText] = useState(q);
  /** Searches that the address does not show yet, after the shown one. */
  const sent = useRef([q]);
  const send = useDebouncedCallback((next: string) => {
    sent.current.push(next);
    onSearch(next === "" ? undefined : next);
  }, delayMs);
  useEffect(() => {
    // Some searches drop the space at the end.
    const at = sent.current.findLastIndex((requested) => q === requested || q === requested.trim());
    sent.current = at < 0 ? [q] : sent.current.slice(at);
    if (at < 0) setText(q);
  }, [q]);

  function change(next: string): void {
    setText(next);
    send(next);
  }
  /** At once, instead of a waiting search. */
  function clear(): void {
    change("");
    send.flush();
    input.current?.focus();
  }
  return (
    <TextInput
      maxLength={LONGEST}
      {...look}
      ref={input}
      leftSection={<IconSearch size={16} aria-hidden />}
      placeholder={isNarrow ? label : placeholder}
      aria-label={label}
      aria-keyshortcuts={ariaKeysOf("search")}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (isClearedByEscape && event.key === "Escape") clear();
        if (!["ArrowDown", "Enter"].includes(event.key)) return;
        const list = event.currentTarget.closest("#content")?.querySelector<HTMLElement>("[role=grid]");
        if (!list) return;
        event.preventDefault();
        send.flush();
        list.focus({ preventScroll: true });
      }}
      rightSection={text !== "" && <CloseButton size="sm" aria-label={t`Clear the search`} onClick={clear} />}
    />
  );
}

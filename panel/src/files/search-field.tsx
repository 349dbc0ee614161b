import { useLingui } from "@lingui/react/macro";
import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import classes from "./list/files.module.css";

const TYPING_MS = 150;

type Props = { q: string | undefined; onSearch(q: string | undefined): void };

/** Over the whole tree. `/` leads to it. */
export function SearchField({ q = "", onSearch }: Props) {
  const { t } = useLingui();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(q);
  const find = useDebouncedCallback((text: string) => onSearch(text === "" ? undefined : text), TYPING_MS);
  useHotkeys([["/", () => field.current?.focus()]]);
  // Back and links change the address.
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(q);
  }, [q]);
  function change(text: string): void {
    setTyped(text);
    find(text);
  }
  return (
    <TextInput
      ref={field}
      type="search"
      className={classes["search"]}
      leftSection={<IconSearch size={16} aria-hidden />}
      placeholder={t`Search all files`}
      aria-label={t`Search all files`}
      value={typed}
      maxLength={255}
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape") change("");
      }}
      rightSection={
        typed !== "" && <CloseButton size="sm" aria-label={t`Clear the search`} onClick={() => change("")} />
      }
    />
  );
}

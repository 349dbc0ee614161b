import { useLingui } from "@lingui/react/macro";
import { SearchField } from "../ui/lists/search-field.tsx";
import classes from "./list/files.module.css";

const TYPING_MS = 150;

type Props = { q: string | undefined; onSearch(q: string | undefined): void };

/** Searches the whole tree. */
export function FilesSearch({ q, onSearch }: Props) {
  const { t } = useLingui();
  return (
    <SearchField
      label={t`Search all files`}
      type="search"
      className={classes["search"]!}
      maxLength={255}
      q={q}
      delayMs={TYPING_MS}
      onSearch={onSearch}
      isClearedByEscape
    />
  );
}

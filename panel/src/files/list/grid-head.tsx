import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Checkbox, Menu, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import {
  IconArrowDown,
  IconArrowUp,
  IconArrowsSort,
  IconCopy,
  IconFolderShare,
  IconShare,
  IconTrash,
  IconX,
} from "@tabler/icons-react";
import { type Entry, isFixed } from "../file-queries.ts";
import { FIRST_FILE_ORDER, type FileOrder, type FileSearch, type FileSort } from "../file-search.ts";
import { DownloadButton } from "./download-button.tsx";
import type { EntryCommands } from "./entry-menu.tsx";
import classes from "./files.module.css";
import { type EntrySelection, MOST_SHARED } from "./selection.ts";

type Props = {
  search: FileSearch;
  /** Undefined if the server sets the order. */
  onSort: ((sort: FileSort, order: FileOrder) => void) | undefined;
  entries: readonly Entry[];
  selection: EntrySelection;
  commands: EntryCommands;
};

/** The columns, or the actions for the selected rows. */
export function GridHead({ search, onSort, entries, selection, commands }: Props) {
  const { t } = useLingui();
  const { selected } = selection;
  const isAll = entries.length > 0 && selected.length === entries.length;
  const sorts: readonly [FileSort, string, string | undefined][] = [
    ["name", t`Name`, undefined],
    ["size", t`Size`, classes["size"]],
    ["date", t({ message: "Changed", context: "date" }), classes["date"]],
  ];
  const current = search.sort ?? "name";
  const order = search.order ?? FIRST_FILE_ORDER[current];
  const Arrow = order === "asc" ? IconArrowUp : IconArrowDown;
  const choose = (sort: FileSort): void =>
    onSort?.(sort, sort === current ? (order === "asc" ? "desc" : "asc") : FIRST_FILE_ORDER[sort]);

  return (
    <div role="row" aria-rowindex={1} className={classes["head"]}>
      <div role="columnheader" className={classes["check"]}>
        <Checkbox
          size="xs"
          checked={isAll}
          indeterminate={!isAll && selected.length > 0}
          onChange={() => (selected.length > 0 ? selection.clear() : selection.selectAll())}
          aria-label={selected.length > 0 ? t`Select nothing` : t`Select all`}
        />
      </div>
      {selected.length > 0 ? (
        <SelectionBar {...{ selection, commands }} />
      ) : (
        <>
          {sorts.map(([sort, label, place]) => (
            <div
              key={sort}
              role="columnheader"
              className={place}
              {...(onSort && {
                "aria-sort": sort !== current ? "none" : order === "asc" ? "ascending" : "descending",
              })}
            >
              {onSort === undefined ? (
                <Text size="xs" fw={500} span>
                  {label}
                </Text>
              ) : (
                <UnstyledButton fz="xs" py={4} fw={sort === current ? 700 : 500} onClick={() => choose(sort)}>
                  {label} {sort === current && <Arrow size={12} aria-hidden />}
                </UnstyledButton>
              )}
            </div>
          ))}
          <div role="columnheader">
            <VisuallyHidden>
              <Trans>Actions</Trans>
            </VisuallyHidden>
            {onSort !== undefined && (
              <div className={classes["narrow"]}>
                <Menu position="bottom-end">
                  <Menu.Target>
                    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t`Sort`}>
                      <IconArrowsSort size={16} />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    {sorts.map(([sort, label]) => (
                      <Menu.Item
                        key={sort}
                        fw={sort === current ? 700 : 400}
                        rightSection={sort === current ? <Arrow size={14} aria-hidden /> : undefined}
                        onClick={() => choose(sort)}
                      >
                        {label}
                      </Menu.Item>
                    ))}
                  </Menu.Dropdown>
                </Menu>
              </div>
            )}
          </div>
        </>
      )}
    </div>
  );
}

/** Buttons with words. */
const worded = {
  size: "compact-md",
  fz: "sm",
  fw: 500,
  variant: "subtle",
  style: { flexShrink: 0 },
} as const;

/** The actions for the selected rows. */
function SelectionBar({ selection, commands }: Pick<Props, "selection" | "commands">) {
  const { t } = useLingui();
  const { selected } = selection;
  const { change } = commands;
  const mayMove = change !== undefined && !selected.some(isFixed);
  return (
    <div role="columnheader" className={classes["bar"]} aria-label={t`Actions for the selected entries`}>
      <Text size="sm" fw={600} mr="auto" truncate aria-live="polite">
        <Plural value={selected.length} one="# selected" other="# selected" />
      </Text>
      {change !== undefined && (
        <Button
          {...worded}
          disabled={selected.length > MOST_SHARED}
          aria-label={t`Share`}
          onClick={() => change.share(selected)}
        >
          <IconShare size={16} aria-hidden />
          <Text span inherit ml={6} visibleFrom="xs">
            <Trans>Share</Trans>
          </Text>
        </Button>
      )}
      {mayMove && (
        <Button {...worded} aria-label={t`Move to…`} onClick={() => change.move(selected)}>
          <IconFolderShare size={16} aria-hidden />
          <Text span inherit ml={6} visibleFrom="sm">
            <Trans>Move to…</Trans>
          </Text>
        </Button>
      )}
      <DownloadButton entries={selected} />
      {change !== undefined && !selected.some(({ is_linked }) => is_linked) && (
        <ActionIcon
          variant="subtle"
          size="lg"
          aria-label={t`Copy to…`}
          title={t`Copy to…`}
          onClick={() => change.copy(selected)}
        >
          <IconCopy size={18} />
        </ActionIcon>
      )}
      {mayMove && (
        <ActionIcon
          variant="subtle"
          color="red"
          size="lg"
          aria-label={t`Move to the trash`}
          title={t`Move to the trash`}
          onClick={() => change.trash(selected)}
        >
          <IconTrash size={18} />
        </ActionIcon>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t`Select nothing`}
        onClick={selection.clear}
      >
        <IconX size={18} />
      </ActionIcon>
    </div>
  );
}

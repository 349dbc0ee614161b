import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Group, Skeleton, Text } from "@mantine/core";
import { IconArrowUp, IconChevronRight, IconFolderFilled } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useSentence } from "../../ui/failure.tsx";
import { entriesOf, folderQuery } from "../file-queries.ts";
import { inOrder } from "../entry-order.ts";
import classes from "./folder-picker.module.css";
import { NewFolder } from "./new-folder.tsx";

/** The height in the style. */
const OPTION = 44;

/** The name is empty until the server has answered. Null is the root. */
export type PickedFolder = { id: number | null; name: string };
type Props = {
  team: string | undefined;
  folder: PickedFolder;
  isRefused(folder: { id: number }): boolean;
  onChange(folder: PickedFolder): void;
};

/** One level of the tree at a time. Up and down choose, right or Enter goes in, left goes out. */
export function FolderPicker({ team, folder, isRefused, onChange }: Props) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const { folders, path, isLoading, error } = useFolders(folder.id, team);
  const parent = path.at(-2);
  const rows = useVirtualizer({
    count: folders.length,
    getScrollElement: () => list.current,
    estimateSize: () => OPTION,
    overscan: 6,
    getItemKey: (place) => folders[place]!.id,
  });

  const name = path.at(-1)?.name ?? "";
  useEffect(() => {
    if (name !== folder.name) onChange({ id: folder.id, name });
  });

  function choose(place: number): void {
    setAt(place);
    rows.scrollToIndex(place, { align: "auto" });
  }
  function go(next: PickedFolder): void {
    setAt(0);
    onChange(next);
  }
  const up = () => folder.id !== null && go({ id: parent?.id ?? null, name: parent?.name ?? "" });
  function open(): void {
    const chosen = folders[at];
    if (chosen !== undefined && !isRefused(chosen)) go(chosen);
  }
  function press(event: KeyboardEvent): void {
    const runs: Record<string, () => void> = {
      ArrowDown: () => choose(Math.max(0, Math.min(at + 1, folders.length - 1))),
      ArrowUp: () => choose(Math.max(at - 1, 0)),
      Home: () => choose(0),
      End: () => choose(Math.max(0, folders.length - 1)),
      ArrowRight: open,
      Enter: open,
      ArrowLeft: up,
      Backspace: up,
    };
    const run = runs[event.key];
    if (run === undefined) return;
    event.preventDefault();
    run();
  }

  return (
    <div>
      <Place name={folder.id === null ? null : name} onUp={up} />
      <div
        ref={list}
        role="listbox"
        aria-label={t`Folders`}
        tabIndex={0}
        data-autofocus
        className={classes["list"]}
        aria-activedescendant={folders.length > 0 ? `${id}-${at}` : undefined}
        onKeyDown={press}
      >
        {error !== null && <Text p="sm">{sentenceOf(error)}</Text>}
        {isLoading && <Skeleton h={36} m={4} w="auto" />}
        {!isLoading && error === null && folders.length === 0 && (
          <Text p="sm" size="sm" c="dimmed">
            <Trans>There are no folders here.</Trans>
          </Text>
        )}
        <div role="presentation" style={{ position: "relative", height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index: place, start }) => {
            const child = folders[place]!;
            return (
              <div
                key={child.id}
                id={`${id}-${place}`}
                role="option"
                aria-selected={place === at}
                aria-disabled={isRefused(child)}
                aria-setsize={folders.length}
                aria-posinset={place + 1}
                className={classes["option"]}
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => {
                  setAt(place);
                  if (!isRefused(child)) go(child);
                }}
              >
                <IconFolderFilled size={18} aria-hidden className={classes["icon"]} />
                <Text size="sm" truncate flex={1}>
                  <bdi>{child.name}</bdi>
                </Text>
                <IconChevronRight size={14} aria-hidden />
              </div>
            );
          })}
        </div>
      </div>
      <NewFolder
        key={folder.id}
        parent={folder.id}
        team={team}
        onMade={(made) => {
          go(made);
          list.current?.focus();
        }}
      />
    </div>
  );
}

/** The open folder and the way out of it. @param name null for the root */
function Place({ name, onUp }: { name: string | null; onUp(): void }) {
  const { t } = useLingui();
  return (
    <Group gap="xs" mb={4} wrap="nowrap">
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t`To the folder above`}
        disabled={name === null}
        onClick={onUp}
      >
        <IconArrowUp size={16} />
      </ActionIcon>
      <Text size="sm" fw={600} truncate aria-live="polite">
        {name === null ? <Trans>All files</Trans> : <bdi>{name}</bdi>}
      </Text>
    </Group>
  );
}

/** Of a folder, all of its folders. The error is null once some are known. */
function useFolders(folder: number | null, team: string | undefined) {
  const query = useInfiniteQuery(folderQuery(folder, team));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const hasAllFolders = data?.pages.some(({ files }) => files.length > 0) ?? false;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !hasAllFolders) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, hasAllFolders, fetchNextPage]);
  const folders = useMemo(
    () => inOrder(entriesOf({ folders: data?.pages.flatMap((page) => page.folders) ?? [], files: [] }), {}),
    [data],
  );
  const failure = data === undefined ? error : null;
  return {
    folders,
    path: data?.pages[0]?.path ?? [],
    isLoading: data === undefined && failure === null,
    error: failure,
  };
}

import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Group, ScrollArea, Skeleton, Text } from "@mantine/core";
import { IconArrowUp, IconChevronRight, IconFolderFilled } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useSentence } from "../../ui/failure.tsx";
import { entriesOf, folderQuery } from "../file-queries.ts";
import { inOrder } from "../entry-order.ts";
import classes from "./folder-picker.module.css";

/** The name is empty until the server has said it. Null is the root. */
export type PickedFolder = { id: number | null; name: string };
type Props = {
  folder: PickedFolder;
  isRefused(folder: { id: number }): boolean;
  onChange(folder: PickedFolder): void;
};

/** One level of the tree at a time. Up and down choose, right or Enter goes in, left goes out. */
export function FolderPicker({ folder, isRefused, onChange }: Props) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const id = useId();
  const [at, setAt] = useState(0);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    folderQuery(folder.id),
  );
  const path = data?.pages[0]?.path ?? [];
  const hasAllFolders = data?.pages.some(({ files }) => files.length > 0) ?? false;
  const folders = inOrder(
    entriesOf({ folders: data?.pages.flatMap((page) => page.folders) ?? [], files: [] }),
    {},
  );
  const parent = path.at(-2);

  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !hasAllFolders) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, hasAllFolders, fetchNextPage]);
  const name = path.at(-1)?.name ?? "";
  useEffect(() => {
    if (name !== folder.name) onChange({ id: folder.id, name });
  });

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
      ArrowDown: () => setAt(Math.min(at + 1, folders.length - 1)),
      ArrowUp: () => setAt(Math.max(at - 1, 0)),
      Home: () => setAt(0),
      End: () => setAt(folders.length - 1),
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
      <Group gap="xs" mb={4} wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t`To the folder above`}
          disabled={folder.id === null}
          onClick={up}
        >
          <IconArrowUp size={16} />
        </ActionIcon>
        <Text size="sm" fw={600} truncate aria-live="polite">
          {folder.id === null ? <Trans>All files</Trans> : <bdi>{name}</bdi>}
        </Text>
      </Group>
      <ScrollArea h={260} className={classes["frame"]} viewportProps={{ tabIndex: -1 }}>
        <div
          role="listbox"
          aria-label={t`Folders`}
          tabIndex={0}
          data-autofocus
          className={classes["list"]}
          aria-activedescendant={folders.length > 0 ? `${id}-${at}` : undefined}
          onKeyDown={press}
        >
          {error !== null && data === undefined && <Text p="sm">{sentenceOf(error)}</Text>}
          {data === undefined && error === null && <Skeleton h={36} m={4} w="auto" />}
          {data !== undefined && folders.length === 0 && (
            <Text p="sm" size="sm" c="dimmed">
              <Trans>There are no folders here.</Trans>
            </Text>
          )}
          {folders.map((child, place) => (
            <div
              key={child.id}
              id={`${id}-${place}`}
              role="option"
              aria-selected={place === at}
              aria-disabled={isRefused(child)}
              className={classes["option"]}
              ref={place === at ? (option) => option?.scrollIntoView({ block: "nearest" }) : undefined}
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
          ))}
        </div>
      </ScrollArea>
    </div>
  );
}

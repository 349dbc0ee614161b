import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Group, Text } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ApiError } from "../base/api.ts";
import { lazyOrFailure } from "../base/lazy.ts";
import { accountQuery } from "../auth/account.ts";
import { ShareDialog } from "../shares/share-dialog.tsx";
import type { ShareSubject } from "../shares/form/share-values.ts";
import { useAsked } from "../ui/dialogs/asked.ts";
import { Heading } from "../ui/heading.tsx";
import { SideForm } from "../ui/forms/side-form.tsx";
import { Crumbs } from "./crumbs.tsx";
import { DropArea } from "./drop-area.tsx";
import { useEntryActions } from "./entry-actions.tsx";
import { createFolder, type Entry } from "./file-queries.ts";
import type { FileSearch } from "./file-search.ts";
import { EntryGrid } from "./list/entry-grid.tsx";
import type { EntryCommands } from "./list/entry-menu.tsx";
import classes from "./list/files.module.css";
import { useIsLaterList } from "./list/list-focus.ts";
import { EmptyList, FailedList, GoneFolder, LoadingEntries } from "./list/list-states.tsx";
import { TilesButton } from "./list/tiles-button.tsx";
import { useEntries } from "./list/use-entries.ts";
import { MoveDialog } from "./moves/move-dialog.tsx";
import { NewEntry } from "./new-entry.tsx";
import { LazyPreview } from "./preview/lazy-preview.tsx";
import { FilesSearch } from "./search-field.tsx";
import { chosenFiles, droppedFiles } from "./uploads/incoming.ts";
import { usePastedFiles } from "./uploads/use-pasted-files.tsx";
import { useUpload } from "./uploads/use-upload.tsx";
import { useDropNews } from "./use-drop-news.ts";
import { UsageBar } from "./usage-bar.tsx";

const FolderStorageForm = lazyOrFailure(
  async () => (await import("./policies/folder-storage.tsx")).FolderStorageForm,
);
const NameForm = lazyOrFailure(async () => (await import("./name-form.tsx")).NameForm);

export function FilesPage() {
  const { t } = useLingui();
  const search = useSearch({ from: "/inside/files" });
  const navigate = useNavigate({ from: "/files" });
  const { data: account } = useSuspenseQuery(accountQuery);
  const upload = useUpload(String(account.id));
  const actions = useEntryActions();
  const [isNaming, setIsNaming] = useState(false);
  const [shared, setShared] = useState<readonly Entry[]>([]);
  const [renamed, setRenamed] = useState<Entry | null>(null);
  const [stored, setStored] = useState<Entry | null>(null);
  const [moved, setMoved] = useState<readonly Entry[]>([]);
  const [isTiled, setIsTiled] = useLocalStorage({ key: "files-tiled", defaultValue: false });
  const { entries, path, error, retry, isMore, more } = useEntries(search);
  const folder = search.folder ?? null;
  const files = useMemo(() => entries?.filter(({ kind }) => kind === "file") ?? [], [entries]);
  const isSearch = search.q !== undefined;
  const list = isSearch ? `q ${search.q}` : `folder ${folder}`;
  const isLaterList = useIsLaterList(list);
  useDropNews();
  usePastedFiles((pasted) => upload(Promise.resolve(chosenFiles(pasted)), folder));
  useAsked("new-folder", () => setIsNaming(true));

  const change = (next: { [K in keyof FileSearch]?: FileSearch[K] | undefined }, replace = true): void =>
    void navigate({
      search: (now) =>
        Object.fromEntries(
          Object.entries({ ...now, ...next }).filter(([, value]) => value !== undefined),
        ) as FileSearch,
      replace,
    });
  const drop = (transfer: DataTransfer, into: number | null) => upload(droppedFiles(transfer), into);
  const move = (chosen: readonly Entry[], into: number | null, name: string) =>
    void actions.move(chosen, into, name);
  function goUp(): void {
    if (!isSearch && folder !== null) change({ folder: path?.at(-2)?.id }, false);
  }
  const commands: EntryCommands = {
    open(entry) {
      if (entry.kind === "folder") change({ folder: entry.id, q: undefined }, false);
      else change({ file: entry.id });
    },
    rename: setRenamed,
    share: setShared,
    move: setMoved,
    trash: (chosen) => void actions.trash(chosen),
    // Only administrators see the storages.
    ...(account.role === "admin" && { store: setStored }),
  };

  return (
    <DropArea name={path?.at(-1)?.name ?? t`All files`} onFiles={(transfer) => drop(transfer, folder)}>
      <Group justify="space-between" wrap="nowrap" px="md" pt="md">
        <Heading>
          <Trans>Files</Trans>
        </Heading>
        <NewEntry
          onNewFolder={() => setIsNaming(true)}
          onFiles={(chosen) => upload(Promise.resolve(chosenFiles(chosen)), folder)}
        />
      </Group>
      <Group px="md" py="xs" gap="xs" justify="end">
        {isSearch ? (
          <Text size="sm" fw={600} flex="1 1 14rem" lh={2.5} truncate visibleFrom="sm">
            <Trans>Names with “{search.q}”</Trans>
          </Text>
        ) : (
          <Crumbs path={path ?? []} onMove={move} />
        )}
        <FilesSearch q={search.q} onSearch={(q) => change({ q })} />
        <TilesButton isTiled={isTiled} onChange={setIsTiled} />
      </Group>
      {error instanceof ApiError && error.status === 404 ? (
        <GoneFolder />
      ) : error !== null && entries === undefined ? (
        <FailedList error={error} onRetry={retry} />
      ) : entries === undefined ? (
        <LoadingEntries />
      ) : entries.length === 0 ? (
        <EmptyList isSearch={isSearch} takesFocus={isLaterList()} onUp={goUp} />
      ) : (
        <EntryGrid
          key={list}
          label={t`Files`}
          entries={entries}
          search={search}
          {...(!isSearch && { onSort: (sort, order) => change({ sort, order }, false) })}
          going={actions.going}
          commands={commands}
          onUp={goUp}
          takesFocus={isLaterList()}
          renamed={renamed}
          onRename={(entry, name) => {
            setRenamed(null);
            if (name !== null) void actions.rename(entry, name);
          }}
          onMove={(chosen, { id, name }) => move(chosen, id, name)}
          onFiles={(transfer, { id }) => drop(transfer, id)}
          isTiled={isTiled}
          onEnd={more}
        />
      )}
      <div className={classes["foot"]}>
        <UsageBar />
        <EntryCount entries={entries ?? []} isMore={isMore} />
      </div>
      <LazyPreview
        id={search.file ?? null}
        files={files}
        onGo={(id) => change({ file: id })}
        onShare={(file) => setShared([file])}
        onClose={() => change({ file: undefined })}
      />
      <MoveDialog entries={moved} onMove={move} onClose={() => setMoved([])} />
      <NewFolder folder={folder} isOpen={isNaming} onClose={() => setIsNaming(false)} />
      <StorageForm folder={stored} onClose={() => setStored(null)} />
      <ShareDialog subject={subjectOf(shared)} onClose={() => setShared([])} />
    </DropArea>
  );
}

function subjectOf(entries: readonly Entry[]): ShareSubject | null {
  const [item, ...others] = entries;
  if (item === undefined) return null;
  return others.length === 0 ? { form: "new", item } : { form: "new", item: null, items: entries };
}

const EntryCount = ({ entries, isMore }: { entries: readonly Entry[]; isMore: boolean }) => (
  <Text size="xs" c="dimmed" aria-live="polite">
    {entries.length > 0 && (
      <>
        <Plural value={entries.length} one="# entry" other="# entries" />
        {isMore && "…"}
      </>
    )}
  </Text>
);

function NewFolder({ folder, isOpen, onClose }: { folder: number | null; isOpen: boolean; onClose(): void }) {
  const { t } = useLingui();
  return (
    <SideForm title={t`New folder`} isOpen={isOpen} onClose={onClose}>
      <NameForm
        draft={`new folder in ${folder ?? 0}`}
        action={t`Create`}
        onSave={(name) => createFolder(name, folder)}
        onClose={onClose}
      />
    </SideForm>
  );
}

function StorageForm({ folder, onClose }: { folder: Entry | null; onClose(): void }) {
  const { t } = useLingui();
  return (
    <SideForm
      title={folder === null ? "" : t`Storage of ${folder.name}`}
      isOpen={folder !== null}
      onClose={onClose}
    >
      {folder !== null && <FolderStorageForm folder={folder} onClose={onClose} />}
    </SideForm>
  );
}

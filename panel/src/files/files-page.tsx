import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Alert, Text } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { accountQuery } from "../auth/account.ts";
import { usePageRequest } from "../ui/dialogs/page-request.ts";
import { DropArea } from "./drop-area.tsx";
import { useEntryActions } from "./entry-actions.tsx";
import { type FilesForm, FilesDialogs } from "./files-dialogs.tsx";
import { FilesBars } from "./files-bars.tsx";
import type { FolderContents } from "../base/api.ts";
import type { Entry } from "./file-queries.ts";
import type { FileSearch } from "./file-search.ts";
import { EntryGrid } from "./list/entry-grid.tsx";
import { usePastedEntries } from "./list/copied-entries.tsx";
import type { EntryCommands } from "./list/entry-menu.tsx";
import classes from "./list/files.module.css";
import { useIsLaterList } from "./list/list-focus.ts";
import { ListStates } from "./list/list-states.tsx";
import { TilesButton } from "./list/tiles-button.tsx";
import { useEntries } from "./list/use-entries.ts";
import { LazyPreview } from "./preview/lazy-preview.tsx";
import { marksQuery } from "./shared/shared-queries.ts";
import { useTrashQuestion } from "./shared/trash-question.tsx";
import { chosenFiles, droppedFiles } from "./uploads/incoming.ts";
import { usePastedFiles } from "./uploads/use-pasted-files.tsx";
import { useUpload } from "./uploads/use-upload.tsx";
import { useDropNews } from "./use-drop-news.ts";
import { inTree, teamOf } from "../ui/tree-names.ts";
import { useTrees } from "../auth/teams/trees.ts";
import { UsageBar } from "./usage-bar.tsx";

/** The state in the address. A change replaces it there, or adds a step to go back. */
function useFileSearch() {
  const navigate = useNavigate({ from: "/files" });
  const change = (next: { [K in keyof FileSearch]?: FileSearch[K] | undefined }, replace = true): void =>
    void navigate({
      search: (now) =>
        Object.fromEntries(
          Object.entries({ ...now, ...next }).filter(([, value]) => value !== undefined),
        ) as FileSearch,
      replace,
    });
  return [useSearch({ from: "/inside/files" }), change] as const;
}

/** What is shared in the folder, and what asks about it. */
function useShared(folder: number | null, team: string | undefined, isSearch: boolean) {
  const navigate = useNavigate();
  const actions = useEntryActions();
  const { data: marks } = useQuery({ ...marksQuery(folder, team), enabled: !isSearch });
  const { begin, dialog } = useTrashQuestion((chosen) => void actions.trash(chosen));
  return {
    actions,
    marks: isSearch ? undefined : marks,
    question: dialog,
    trash: (chosen: readonly Entry[]) => begin(chosen, folder, team),
    share(chosen: readonly Entry[]): void {
      const items = chosen.map(({ kind, id, name }) => ({ kind, id, name }));
      void navigate({ to: "/shares/new", search: { items, ...inTree(team) } });
    },
  };
}

export function FilesPage() {
  const { t } = useLingui();
  const [search, change] = useFileSearch();
  const { data: account } = useSuspenseQuery(accountQuery);
  const [renamed, setRenamed] = useState<Entry | null>(null);
  const [opened, setForm] = useState<FilesForm | null>(null);
  const ask = (form: FilesForm["form"], chosen: readonly Entry[] = []) => setForm({ form, entries: chosen });
  const [isTiled, setIsTiled] = useLocalStorage({ key: "files-tiled", defaultValue: false });
  const { isSearch, entries, files, path, owner, onServer, ...rest } = useEntries(search);
  const { error, retry, isMore, more } = rest;
  const folder = search.folder ?? null;
  // A folder is in one tree, whatever the address says.
  const team = owner === undefined || folder === null ? search.team : teamOf(owner);
  const { actions, marks, question, trash, share } = useShared(folder, team, isSearch);
  const trees = useTrees();
  const mayChange = trees.mayChange(team);
  const mayAdd = mayChange && onServer?.read_only !== true;
  const upload = useUpload(String(account.id), team);
  const list = isSearch ? `q ${search.q} ${team}` : `folder ${folder ?? `of ${team}`}`;
  const takesFocus = useIsLaterList(list)();
  const folderName = path?.at(-1)?.name ?? t`All files`;
  useDropNews();
  const add = (chosen: readonly File[]) => upload(Promise.resolve(chosenFiles(chosen)), folder);
  usePastedFiles(mayAdd ? add : null);
  usePastedEntries(mayAdd ? (copied) => void actions.copy(copied, folder, folderName) : null);
  usePageRequest("new-folder", () => ask("folder"));

  const drop = (transfer: DataTransfer, into: number | null) => upload(droppedFiles(transfer), into);
  const { move } = actions;
  const give = (chosen: readonly Entry[], to: string, into: number | null = null) =>
    void actions.give(chosen, to, into, trees.mayTakeBack(to) ? trees.ownerOf(team) : null);
  function goUp(): void {
    if (!isSearch && folder !== null) change({ folder: path?.at(-2)?.id, team }, false);
  }
  const commands: EntryCommands = {
    open: ({ kind, id }) =>
      kind === "folder" ? change({ folder: id, q: undefined }, false) : change({ file: id }),
    ...(mayChange && {
      change: {
        rename: setRenamed,
        share,
        move: (chosen) => ask("move", chosen),
        copy: (chosen) => ask("copy", chosen),
        trash,
        // Only administrators see the storages, and all accounts.
        ...(account.role === "admin" && {
          store: (entry: Entry) => ask("store", [entry]),
          give: (entry: Entry) => ask("give", [entry]),
        }),
      },
    }),
  };

  return (
    <DropArea name={folderName} onFiles={mayAdd ? (transfer) => drop(transfer, folder) : null}>
      <FilesBars
        search={search}
        path={path ?? []}
        team={team}
        mayChange={mayAdd}
        onNewFolder={() => ask("folder")}
        onFiles={add}
        onMove={move}
        onSearch={(q) => change({ q, team })}
      >
        <TilesButton isTiled={isTiled} onChange={setIsTiled} />
      </FilesBars>
      {onServer?.is_away && <AwayNotice />}
      <ListStates
        error={error}
        entries={entries}
        onRetry={retry}
        isSearch={isSearch}
        mayChange={mayAdd}
        takesFocus={takesFocus}
        onUp={goUp}
      >
        <EntryGrid
          key={list}
          label={t`Files`}
          entries={entries ?? []}
          search={search}
          {...(!isSearch && { onSort: (sort, order) => change({ sort, order }, false) })}
          going={actions.going}
          marks={marks}
          commands={commands}
          onUp={goUp}
          takesFocus={takesFocus}
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
      </ListStates>
      <Foot team={team} entries={entries ?? []} isMore={isMore} onServer={onServer} />
      <LazyPreview
        id={search.file ?? null}
        files={files}
        onGo={(id) => change({ file: id })}
        onShare={mayChange ? (file) => share([file]) : undefined}
        onClose={() => change({ file: undefined })}
      />
      <FilesDialogs
        opened={opened}
        folder={folder}
        team={team}
        onMove={move}
        onCopy={actions.copy}
        onGive={give}
        onClose={() => setForm(null)}
      />
      {question}
    </DropArea>
  );
}

const AwayNotice = () => (
  <Alert color="orange" variant="light" radius={0} py={8} role="status">
    <Trans>The folder on the server is not available just now. This is what was in it last.</Trans>
  </Alert>
);

type FootProps = {
  team: string | undefined;
  entries: readonly Entry[];
  isMore: boolean;
  onServer: FolderContents["on_server"];
};

const Foot = ({ team, entries, isMore, onServer }: FootProps) => (
  <div className={classes["foot"]}>
    {onServer === undefined ? (
      <UsageBar team={team} />
    ) : (
      <Text size="xs" c="dimmed">
        {onServer.read_only ? (
          <Trans>This folder is on the server. It is read-only here.</Trans>
        ) : (
          <Trans>This folder is on the server. Changes here change it there.</Trans>
        )}
      </Text>
    )}
    <Text size="xs" c="dimmed" aria-live="polite" style={{ flexShrink: 0 }}>
      {entries.length > 0 && (
        <>
          <Plural value={entries.length} one="# entry" other="# entries" />
          {isMore && "…"}
        </>
      )}
    </Text>
  </div>
);

import { Trans, useLingui } from "@lingui/react/macro";
import { Breadcrumbs, Button, FileButton, Group, Stack, Text } from "@mantine/core";
import { IconFile, IconFolder, IconFolderPlus, IconUpload } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type DragEvent, useState } from "react";
import { formatBytes, formatDate } from "../app/i18n.ts";
import { ShareDialog } from "../shares/share-dialog.tsx";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { useAsked } from "../ui/asked.ts";
import { DataList } from "../ui/data-list.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { SideForm } from "../ui/side-form.tsx";
import { EntryMenu } from "./entry-menu.tsx";
import {
  createFolder,
  downloadAddress,
  type Entry,
  folderQuery,
  refreshFiles,
  renameEntry,
  usageQuery,
} from "./file-queries.ts";
import { NameForm } from "./name-form.tsx";
import { UploadList } from "./upload-list.tsx";
import { uploadFile } from "./uploads.ts";

type Shown = { form: "folder" } | { form: "rename"; entry: Entry } | null;

export function FilesPage() {
  const { t } = useLingui();
  const { folder = null } = useSearch({ from: "/inside/files" });
  const queries = useQueryClient();
  const [shown, setShown] = useState<Shown>(null);
  const [shared, setShared] = useState<Entry | null>(null);
  const { data, error, refetch } = useQuery(folderQuery(folder));
  const { data: usage } = useQuery(usageQuery);
  const entries: Entry[] | undefined = data && [
    ...data.folders.map((item) => ({ kind: "folder" as const, ...item })),
    ...data.files.map((item) => ({ kind: "file" as const, ...item })),
  ];
  const close = () => setShown(null);
  useAsked("new-folder", () => setShown({ form: "folder" }));
  const upload = (files: readonly File[]) => {
    for (const file of files) void uploadFile(file, folder, () => void refreshFiles(queries));
  };
  function drop(event: DragEvent): void {
    event.preventDefault();
    upload([...event.dataTransfer.files]);
  }
  const titles = { folder: t`New folder`, rename: t`Rename` };

  return (
    <Stack p="md" gap="md" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <PageHead title={t`Files`} {...(usage && { sentence: t`${formatBytes(usage.used_bytes)} are used.` })}>
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconFolderPlus size={16} />}
            onClick={() => setShown({ form: "folder" })}
          >
            <Trans>New folder</Trans>
          </Button>
          <FileButton multiple onChange={upload}>
            {(props) => (
              <Button {...props} leftSection={<IconUpload size={16} />}>
                <Trans>Upload</Trans>
              </Button>
            )}
          </FileButton>
        </Group>
      </PageHead>
      <Breadcrumbs>
        <AnchorLink to="/files" search={{}} size="sm">
          <Trans>All files</Trans>
        </AnchorLink>
        {data?.path.map(({ id, name }) => (
          <AnchorLink key={id} to="/files" search={{ folder: id }} size="sm">
            {name}
          </AnchorLink>
        ))}
      </Breadcrumbs>
      <UploadList />
      <DataList<Entry>
        label={t`Files`}
        items={entries}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ kind, id }) => `${kind} ${id}`}
        empty={<Trans>This folder is empty. Drop files here, or use the button above.</Trans>}
        columns={[
          { title: t`Name`, cell: (entry) => <Name entry={entry} /> },
          {
            title: t`Size`,
            isHidden: "narrow",
            cell: (entry) => (entry.kind === "file" ? formatBytes(entry.size) : "–"),
          },
          { title: t`Changed`, isHidden: "narrow", cell: (entry) => formatDate(entry.updated_at) },
          {
            title: t`Actions`,
            cell: (entry) => (
              <EntryMenu
                entry={entry}
                onRename={() => setShown({ form: "rename", entry })}
                onShare={() => setShared(entry)}
              />
            ),
          },
        ]}
      />
      <SideForm title={shown === null ? "" : titles[shown.form]} isOpen={shown !== null} onClose={close}>
        {shown?.form === "folder" && (
          <NameForm
            name=""
            action={t`Create`}
            onSave={(name) => createFolder(name, folder)}
            onClose={close}
          />
        )}
        {shown?.form === "rename" && (
          <NameForm
            name={shown.entry.name}
            action={t`Save`}
            onSave={(name) => renameEntry(shown.entry, name)}
            onClose={close}
          />
        )}
      </SideForm>
      <ShareDialog subject={shared && { form: "new", item: shared }} onClose={() => setShared(null)} />
    </Stack>
  );
}

function Name({ entry }: { entry: Entry }) {
  const Icon = entry.kind === "folder" ? IconFolder : IconFile;
  return (
    <Group gap={8} wrap="nowrap">
      <Icon size={18} stroke={1.5} aria-hidden style={{ flexShrink: 0 }} />
      {entry.kind === "folder" ? (
        <AnchorLink to="/files" search={{ folder: entry.id }} size="sm" fw={600}>
          <bdi>{entry.name}</bdi>
        </AnchorLink>
      ) : (
        <Text component="a" href={downloadAddress(entry)} size="sm" c="inherit">
          <bdi>{entry.name}</bdi>
        </Text>
      )}
    </Group>
  );
}

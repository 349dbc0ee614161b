import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Group, Paper, Progress, Text } from "@mantine/core";
import { IconUpload, IconX } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { accountQuery } from "../../auth/account.ts";
import { formatBytes, formatDate } from "../../base/i18n.ts";
import { serverNow } from "../../base/server-clock.ts";
import { entriesOf, type Entry, entryKey, refreshFiles, trashEntry } from "../../files/file-queries.ts";
import { Thumbnail } from "../../files/list/thumbnail.tsx";
import { beginUploads } from "../../files/uploads/begin-uploads.ts";
import { askConflicts } from "../../files/uploads/conflict-question.ts";
import { chosenFiles, droppedFiles, type Incoming } from "../../files/uploads/incoming.ts";
import { useUploadItems } from "../../files/uploads/upload-list.ts";
import { isMoving, type UploadItem, type UploadRecord } from "../../files/uploads/upload-record.ts";
import { cancelUpload } from "../../files/uploads/uploads.ts";
import { usePastedFiles } from "../../files/uploads/use-pasted-files.tsx";
import { useDropZone } from "../../ui/forms/use-drop-zone.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { choicesQuery, folderForShare } from "../share-queries.ts";
import type { SharedItem } from "../share-search.ts";
import classes from "../shares.module.css";

/** Uploads into a folder of their own, which is made with the first file. */
export function useShareUpload(
  team: string | undefined,
  folder: SharedItem | null,
  onFolder: (made: SharedItem) => void,
) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onFailure = useFailureNotice();
  const { data: account } = useQuery(accountQuery);
  const [records, setRecords] = useState<readonly UploadRecord[]>([]);
  const items = useUploadItems();
  const making = useRef<Promise<SharedItem> | null>(null);
  async function take(given: Incoming | Promise<Incoming>): Promise<void> {
    const incoming = await given;
    if (incoming.files.length === 0) return;
    making.current ??=
      folder === null
        ? folderForShare(t`Shared on ${formatDate(new Date(serverNow()).toISOString())}`, team)
        : Promise.resolve(folder);
    const place = await making.current.catch((error: unknown) => {
      making.current = null;
      throw error;
    });
    onFolder(place);
    const begun = await beginUploads(incoming, {
      account: String(account?.id),
      folder: place.id,
      team,
      ask: askConflicts,
    });
    setRecords((now) => [...now, ...begun]);
    await refreshFiles(queries);
  }
  const chosen = items.filter((item) => records.some(({ id }) => id === item.record.id));
  const doneCount = chosen.filter(({ state }) => state === "done").length;
  const { data: stored } = useQuery({ ...choicesQuery(folder?.id ?? null), enabled: folder !== null });
  useEffect(() => {
    if (doneCount > 0) void refreshFiles(queries);
  }, [doneCount, queries]);
  const entries = stored === undefined || folder === null ? [] : entriesOf(stored);
  return {
    /** What is in the folder, and what is on its way. */
    entries,
    sending: chosen.filter(
      (item) => item.state !== "done" || !entries.some(({ name }) => name === rootOf(item)),
    ),
    isEmpty: stored !== undefined && entries.length + chosen.length === 0,
    /** Not all are there yet. */
    isBusy: chosen.some(isMoving),
    take: (given: Incoming | Promise<Incoming>) => void take(given).catch(onFailure),
    cancel(id: string): void {
      cancelUpload(id);
      setRecords((now) => now.filter((record) => record.id !== id));
    },
    remove(entry: Entry): void {
      const gone = chosen.filter((item) => rootOf(item) === entry.name).map(({ record }) => record.id);
      setRecords((now) => now.filter(({ id }) => !gone.includes(id)));
      void trashEntry(entry)
        .then(() => refreshFiles(queries))
        .catch(onFailure);
    },
  };
}

/** The entry of the folder that it becomes, or lies in. */
const rootOf = ({ record: { path }, storedAs }: UploadItem): string =>
  path.includes("/") ? path.split("/")[0]! : (storedAs ?? path);

type Props = { upload: ReturnType<typeof useShareUpload>; error: string | undefined };

/** Files to share that are on this device: chosen, dropped or pasted. */
export function ShareUpload({ upload: { entries, sending, take, cancel, remove }, error }: Props) {
  const { t } = useLingui();
  const picker = useRef<HTMLInputElement>(null);
  const zone = useDropZone((dropped) => take(droppedFiles(dropped)));
  usePastedFiles((files) => take(chosenFiles(files)));
  return (
    <Paper withBorder radius="md" p="md" className={classes["upload"] ?? ""} {...zone}>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={t`Choose files`}
        onChange={({ currentTarget }) => {
          take(chosenFiles([...(currentTarget.files ?? [])]));
          currentTarget.value = "";
        }}
      />
      <Group gap="sm">
        <Button
          variant="light"
          leftSection={<IconUpload size={16} aria-hidden />}
          data-autofocus
          data-wrong={error !== undefined || undefined}
          onClick={() => picker.current?.click()}
        >
          <Trans>Choose files</Trans>
        </Button>
        <Text size="sm" c="dimmed" className={classes["hint"] ?? ""}>
          <Trans>or drop or paste them here</Trans>
        </Text>
      </Group>
      {error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" mt="xs" role="alert">
          {error}
        </Text>
      )}
      {entries.length + sending.length > 0 && (
        <ul className={classes["entries"]}>
          {entries.map((entry) => (
            <li key={entryKey(entry)}>
              <Row
                name={entry.name}
                icon={<Thumbnail entry={entry} size={18} />}
                onRemove={() => remove(entry)}
              >
                {entry.size !== null && formatBytes(entry.size)}
              </Row>
            </li>
          ))}
          {sending.map((item) => (
            <li key={item.record.id}>
              <Sending item={item} onCancel={() => cancel(item.record.id)} />
            </li>
          ))}
        </ul>
      )}
    </Paper>
  );
}

type RowProps = {
  name: string;
  icon: ReactNode;
  onRemove?: () => void;
  isWrong?: boolean;
  children: ReactNode;
};

function Row({ name, icon, onRemove, isWrong, children }: RowProps) {
  const { t } = useLingui();
  return (
    <Group gap="xs" wrap="nowrap" mih={32}>
      {icon}
      <Text size="sm" truncate flex={1}>
        <bdi>{name}</bdi>
      </Text>
      <Text size="xs" c={isWrong ? "var(--mantine-color-error)" : "dimmed"}>
        {children}
      </Text>
      {onRemove && (
        <ActionIcon variant="subtle" color="gray" aria-label={t`Remove ${name}`} onClick={onRemove}>
          <IconX size={14} />
        </ActionIcon>
      )}
    </Group>
  );
}

function Sending({ item, onCancel }: { item: UploadItem; onCancel(): void }) {
  const { t } = useLingui();
  const { record, problem, sent, state } = item;
  const { path, size } = record;
  const [done, whole] = [formatBytes(sent), formatBytes(size)];
  const isSending = isMoving(item);
  return (
    <>
      <Row
        name={path}
        icon={<IconUpload size={18} aria-hidden className={classes["soft"]} />}
        isWrong={problem !== ""}
        {...(state !== "done" && { onRemove: onCancel })}
      >
        {problem || (isSending ? t`${done} of ${whole}` : whole)}
      </Row>
      {isSending && <Progress size={3} value={(sent / Math.max(1, size)) * 100} aria-label={path} />}
    </>
  );
}

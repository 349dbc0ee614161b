import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Group, Paper, Progress, Text } from "@mantine/core";
import { IconUpload, IconX } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { accountQuery } from "../../auth/account.ts";
import { formatBytes, formatDate } from "../../base/i18n.ts";
import { serverNow } from "../../base/server-clock.ts";
import { refreshFiles } from "../../files/file-queries.ts";
import { beginUploads } from "../../files/uploads/begin-uploads.ts";
import { askConflicts } from "../../files/uploads/conflict-question.ts";
import { chosenFiles, droppedFiles, type Incoming } from "../../files/uploads/incoming.ts";
import { useUploadItems } from "../../files/uploads/upload-list.ts";
import { isMoving, type UploadRecord } from "../../files/uploads/upload-record.ts";
import { cancelUpload } from "../../files/uploads/uploads.ts";
import { usePastedFiles } from "../../files/uploads/use-pasted-files.tsx";
import { useDropZone } from "../../ui/forms/use-drop-zone.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { folderForShare } from "../share-queries.ts";
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
  const states = records.map((record) => ({
    record,
    item: items.find((item) => item.record.id === record.id),
  }));
  return {
    states,
    /** Not all are there yet. */
    isBusy: states.some(({ item }) => item !== undefined && isMoving(item)),
    take: (given: Incoming | Promise<Incoming>) => void take(given).catch(onFailure),
    remove(id: string): void {
      cancelUpload(id);
      setRecords((now) => now.filter((record) => record.id !== id));
    },
  };
}

type Props = { upload: ReturnType<typeof useShareUpload>; error: string | undefined };

/** Files to share that are on this device: chosen, dropped or pasted. */
export function ShareUpload({ upload: { states, take, remove }, error }: Props) {
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
          onClick={() => picker.current?.click()}
        >
          <Trans>Choose files</Trans>
        </Button>
        <Text size="sm" c="dimmed">
          <Trans>or drop or paste them here</Trans>
        </Text>
      </Group>
      {error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" mt="xs" role="alert">
          {error}
        </Text>
      )}
      {states.length > 0 && (
        <ul className={classes["entries"]}>
          {states.map(({ record: { id, path, size }, item }) => (
            <li key={id}>
              <Group gap="xs" wrap="nowrap" mih={32}>
                <Text size="sm" truncate flex={1}>
                  <bdi>{path}</bdi>
                </Text>
                <Text size="xs" c={item?.problem ? "var(--mantine-color-error)" : "dimmed"} flex="none">
                  {item?.problem || formatBytes(size)}
                </Text>
                {item !== undefined && item.state !== "done" && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t`Remove ${path}`}
                    onClick={() => remove(id)}
                  >
                    <IconX size={14} />
                  </ActionIcon>
                )}
              </Group>
              {item !== undefined && isMoving(item) && (
                <Progress size={3} value={(item.sent / Math.max(1, size)) * 100} aria-label={path} />
              )}
            </li>
          ))}
        </ul>
      )}
    </Paper>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { Anchor, Progress, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ReceivedFile, Share } from "../base/api.ts";
import { formatBytes, formatNumber, formatTime } from "../base/i18n.ts";
import { SERVER_URL } from "../base/place.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { FailureAlert } from "../ui/failure-alert.tsx";
import { LoadOn } from "../ui/long/load-on.tsx";
import { LoadedRows } from "../ui/long/loaded-rows.tsx";
import { SideForm } from "../ui/forms/side-form.tsx";
import { ShareAddress } from "./share-address.tsx";
import { receivedQuery, shareQuery } from "./share-queries.ts";
import { ShareRecipients } from "./share-recipients.tsx";
import { ShareVisits } from "./share-visits.tsx";
import classes from "./shares.module.css";

/** Files that the code received, with their senders, and its recipients with their visits. */
export function ReceivedFiles({ code, onClose }: { code: string | undefined; onClose(): void }) {
  const { t } = useLingui();
  const { data: share } = useQuery({ ...shareQuery(code ?? ""), enabled: code !== undefined });
  const title = share?.recipients.length ? t`Recipients` : t`What came in`;
  return (
    <SideForm title={title} isOpen={code !== undefined} onClose={onClose}>
      {code !== undefined && <Box code={code} />}
    </SideForm>
  );
}

function Box({ code }: { code: string }) {
  const { data: box, error } = useQuery(shareQuery(code));
  if (error !== null) {
    return <FailureAlert error={error} />;
  }
  if (box === undefined) return <Skeleton height={160} />;
  return (
    <Stack gap="md">
      <ShareAddress address={box.short_url} />
      {box.drop !== null && <Filling box={box} drop={box.drop} />}
      {box.recipients.length > 0 && <ShareRecipients share={box} />}
      {box.verify && <ShareVisits code={code} />}
      {box.drop !== null && box.folder_id !== null && <Files folder={box.folder_id} code={code} />}
    </Stack>
  );
}

function Filling({ box, drop }: { box: Share; drop: NonNullable<Share["drop"]> }) {
  const { t } = useLingui();
  const [files, mostFiles] = [formatNumber(drop.files), formatNumber(drop.max_files)];
  const [bytes, mostBytes] = [formatBytes(drop.bytes), formatBytes(drop.max_bytes)];
  return (
    <div>
      <Text size="sm" mb={6}>
        {t`${files} of ${mostFiles} files`} · {t`${bytes} of ${mostBytes}`}
      </Text>
      <Progress
        value={Math.max(drop.files / drop.max_files, drop.bytes / drop.max_bytes) * 100}
        size="sm"
        aria-label={t`How full it is`}
      />
      {box.folder_id !== null && (
        <AnchorLink to="/files" search={{ folder: box.folder_id }} size="sm" mt={8} display="inline-block">
          <Trans>Open the folder</Trans>
        </AnchorLink>
      )}
    </div>
  );
}

function Files({ folder, code }: { folder: number; code: string }) {
  const query = useInfiniteQuery(receivedQuery(folder, code));
  return (
    <LoadedRows
      rows={query.data?.pages.flatMap((page) => page.data)}
      error={query.error}
      none={<Trans>Nothing has come yet. It shows here as it comes.</Trans>}
    >
      {(files) => (
        <div>
          <ul className={classes["received"]} aria-live="polite">
            {files.map((file) => (
              <Received key={file.file_id} file={file} />
            ))}
          </ul>
          <LoadOn list={query} />
        </div>
      )}
    </LoadedRows>
  );
}

function Received({ file }: { file: ReceivedFile }) {
  const { t } = useLingui();
  const known = [file.sender_name, file.sender_email].filter((given) => given !== null).join(", ");
  const sender = known || t`Visitor ${file.sender.slice(0, 6)}`;
  return (
    <li>
      <Anchor href={`${SERVER_URL}/files/${file.file_id}/download`} size="sm" fw={600} c="inherit">
        <bdi>{file.name}</bdi>
      </Anchor>
      <Text size="xs" c="dimmed">
        {file.name !== file.original_name && (
          <>
            <Trans>
              sent as <bdi>{file.original_name}</bdi>
            </Trans>{" "}
            ·{" "}
          </>
        )}
        {file.path !== null && (
          <>
            <Trans>
              in <bdi>{file.path}</bdi>
            </Trans>{" "}
            ·{" "}
          </>
        )}
        <bdi>{sender}</bdi> · {formatBytes(file.size)} · {formatTime(file.at)}
      </Text>
    </li>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { Progress, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Share } from "../../base/api.ts";
import { formatBytes, formatNumber } from "../../base/i18n.ts";
import { entriesOf, fileQuery, UNKNOWN_DETAILS } from "../../files/file-queries.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { choicesQuery, itemsQuery } from "../share-queries.ts";
import { Entries } from "./share-entries.tsx";

/** What visitors find, or where what they send goes. */
export function ShareContent({ share }: { share: Share }) {
  const { kind, entry, drop, folder_id: folder, file_id: file } = share;
  return (
    <Stack gap="xs">
      <Text size="sm">
        {kind === "drop" ? (
          <Trans>
            Visitors put files into <FolderLink share={share} />. They see only what they sent.
          </Trans>
        ) : kind === "folder" ? (
          <Trans>
            Visitors see what is in <FolderLink share={share} />, and download it.
          </Trans>
        ) : kind === "file" ? (
          <Trans>
            Visitors see <bdi>{entry?.name}</bdi> and download it.
          </Trans>
        ) : (
          <Trans>Visitors see the files and folders, and download them. The files stay where they are.</Trans>
        )}
      </Text>
      {drop !== null && <Filling drop={drop} />}
      {kind === "folder" && folder !== null && <FolderEntries id={folder} />}
      {kind === "file" && file !== null && <OneFile id={file} />}
      {kind === "items" && <Items code={share.code} />}
    </Stack>
  );
}

function FolderLink({ share: { entry, folder_id: folder } }: { share: Share }) {
  if (folder === null) return <bdi>{entry?.name}</bdi>;
  return (
    <AnchorLink to="/files" search={{ folder }} inherit>
      <bdi>{entry?.name}</bdi>
    </AnchorLink>
  );
}

function Filling({ drop }: { drop: NonNullable<Share["drop"]> }) {
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
    </div>
  );
}

function FolderEntries({ id }: { id: number }) {
  const { data } = useQuery(choicesQuery(id));
  if (data === undefined) return null;
  return <Entries entries={entriesOf(data)} />;
}

function OneFile({ id }: { id: number }) {
  const { data } = useQuery(fileQuery(id));
  if (data === undefined) return null;
  return <Entries entries={entriesOf({ folders: [], files: [data] })} />;
}

function Items({ code }: { code: string }) {
  const { data = [] } = useQuery(itemsQuery(code));
  return <Entries entries={data.map((item) => ({ ...item, ...UNKNOWN_DETAILS }))} />;
}

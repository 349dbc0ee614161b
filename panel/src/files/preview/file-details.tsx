import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { File as StoredFile } from "../../base/api.ts";
import { formatBytes, formatNumber, formatTime } from "../../base/i18n.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { checksumOf } from "../file-queries.ts";
import { useCopy } from "../../ui/copy/copy-state.ts";
import classes from "./preview.module.css";

const PLAIN_BYTES = 1_000;

export function FileDetails({ file }: { file: StoredFile }) {
  return (
    <dl className={classes["facts"]}>
      <dt>
        <Trans>Size</Trans>
      </dt>
      <dd>
        {formatBytes(file.size)}
        {file.size >= PLAIN_BYTES && ` (${formatNumber(file.size)})`}
      </dd>
      <dt>
        <Trans>Type</Trans>
      </dt>
      <dd>{file.mime_type}</dd>
      <dt>
        <Trans>Added</Trans>
      </dt>
      <dd>{formatTime(file.created_at)}</dd>
      <dt>
        <Trans context="date">Changed</Trans>
      </dt>
      <dd>{formatTime(file.modified_at)}</dd>
      <dt>SHA-256</dt>
      <dd className={classes["sum"]}>
        {file.sha256 === null ? (
          <ComputedChecksum key={file.id} file={file} />
        ) : (
          <Checksum sum={file.sha256} />
        )}
      </dd>
    </dl>
  );
}

function Checksum({ sum }: { sum: string }) {
  const { t } = useLingui();
  const { isCopied, copy } = useCopy(sum);
  return (
    <>
      <code>{sum}</code>
      <ActionIcon
        variant="subtle"
        color={isCopied ? "green" : "gray"}
        aria-label={isCopied ? t`Copied` : t`Copy the checksum`}
        onClick={copy}
      >
        {isCopied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
    </>
  );
}

/** The file lies on the server, which reads it whole for that. */
function ComputedChecksum({ file }: { file: StoredFile }) {
  const { data, isPending, mutate } = useMutation({
    mutationFn: () => checksumOf(file.id),
    onError: useFailureNotice(),
  });
  if (data !== undefined) return <Checksum sum={data} />;
  return (
    <Button size="compact-xs" variant="subtle" loading={isPending} onClick={() => mutate()}>
      <Trans>Compute</Trans>
    </Button>
  );
}

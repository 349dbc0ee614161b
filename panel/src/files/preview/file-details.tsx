import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { File as StoredFile } from "../../base/api.ts";
import { formatBytes, formatNumber, formatTime } from "../../base/i18n.ts";
import { useCopy } from "../../ui/copy/copy-state.ts";
import classes from "./preview.module.css";

const PLAIN_BYTES = 1_000;

export function FileDetails({ file }: { file: StoredFile }) {
  const { t } = useLingui();
  const { isCopied, copy } = useCopy(file.sha256);
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
        <Trans>Changed</Trans>
      </dt>
      <dd>{formatTime(file.modified_at)}</dd>
      <dt>SHA-256</dt>
      <dd className={classes["sum"]}>
        <code>{file.sha256}</code>
        <ActionIcon
          variant="subtle"
          color={isCopied ? "green" : "gray"}
          aria-label={isCopied ? t`Copied` : t`Copy the checksum`}
          onClick={copy}
        >
          {isCopied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
      </dd>
    </dl>
  );
}

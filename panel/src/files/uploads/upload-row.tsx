import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Progress, Text } from "@mantine/core";
import {
  IconAlertCircle,
  IconCheck,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconX,
} from "@tabler/icons-react";
import classes from "./uploads.module.css";
import { isMoving, type UploadItem } from "./upload-record.ts";
import { sourceFile } from "./upload-source.ts";
import { percentText } from "./upload-words.ts";
import { cancelUpload, giveFile, pauseUpload, resumeUpload } from "./uploads.ts";

export function UploadRow({ item }: { item: UploadItem }) {
  const { t } = useLingui();
  const { record, state, sent, problem, storedAs } = item;
  const { id, size } = record;
  const share = size === 0 ? (state === "done" ? 1 : 0) : sent / size;
  const name = record.path;

  async function allow(): Promise<void> {
    const file = await sourceFile(record, true);
    if (file !== null) giveFile(id, file);
  }
  const words: Record<UploadItem["state"], string> = {
    queued: t`Queued`,
    running: percentText(share),
    waiting: problem === "" ? t`No connection; it continues by itself` : problem,
    paused: t`Paused`,
    again: t`Choose the file again to continue`,
    asks: t`Allow the browser to read it again`,
    done: problem !== "" ? problem : storedAs === undefined ? t`Done` : t`Stored as ${storedAs}`,
    failed: problem === "" ? t`It broke off.` : problem,
  };
  const action = isMoving(item) ? (
    <ActionIcon variant="subtle" color="gray" aria-label={t`Pause ${name}`} onClick={() => pauseUpload(id)}>
      <IconPlayerPause size={16} />
    </ActionIcon>
  ) : state === "paused" ? (
    <ActionIcon variant="subtle" aria-label={t`Continue ${name}`} onClick={() => resumeUpload(id)}>
      <IconPlayerPlay size={16} />
    </ActionIcon>
  ) : state === "asks" ? (
    <ActionIcon variant="subtle" aria-label={t`Continue ${name}`} onClick={() => void allow()}>
      <IconPlayerPlay size={16} />
    </ActionIcon>
  ) : state === "failed" ? (
    <ActionIcon variant="subtle" aria-label={t`Try ${name} again`} onClick={() => resumeUpload(id)}>
      <IconRefresh size={16} />
    </ActionIcon>
  ) : null;

  return (
    <li className={classes["row"]}>
      <div className={classes["what"]}>
        <Text size="sm" truncate title={name}>
          <bdi>{name}</bdi>
        </Text>
        <Text
          size="xs"
          c="dimmed"
          className={`${classes["say"]} ${state === "failed" || problem !== "" ? classes["bad"] : ""}`}
        >
          {words[state]}
        </Text>
        {state !== "done" && (
          <Progress
            value={share * 100}
            size={3}
            color={state === "failed" ? "red" : state === "running" ? "brand" : "gray"}
            aria-label={t`Progress of ${name}`}
          />
        )}
      </div>
      {state === "done" ? (
        <IconCheck size={18} aria-hidden color="var(--mantine-color-green-7)" />
      ) : (
        <>
          {state === "failed" && <IconAlertCircle size={18} aria-hidden color="var(--mantine-color-red-7)" />}
          {action}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t`Cancel ${name}`}
            onClick={() => cancelUpload(id)}
          >
            <IconX size={16} />
          </ActionIcon>
        </>
      )}
    </li>
  );
}

import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, FileButton, Group, Paper, Progress, Text } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconX } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { formatBytes } from "../../base/i18n.ts";
import { refreshFiles } from "../file-queries.ts";
import { ConflictDialog } from "./conflict-dialog.tsx";
import { giveAgain } from "./give-again.ts";
import { uploadRate, useUploadItems } from "./upload-list.ts";
import type { UploadItem } from "./upload-record.ts";
import { MOST_KEPT_BYTES } from "./upload-store.ts";
import { UploadRow } from "./upload-row.tsx";
import { leaveUploads, takeOverUploads } from "./upload-tabs.ts";
import { shownItems, totalsOf } from "./upload-totals.ts";
import { durationText } from "./upload-words.ts";
import classes from "./uploads.module.css";
import { clearUploads, whenStored } from "./uploads.ts";

/** A list must not be requested again for each of many small files. */
const REFRESH_MS = 1_000;

/** On every page: running uploads, and those that wait for their file. */
export function UploadDock({ account }: { account: string }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const items = useUploadItems();
  const dock = useRef<HTMLDivElement>(null);

  useEffect(() => {
    void takeOverUploads(account);
    return leaveUploads;
  }, [account]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    whenStored(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void refreshFiles(queries);
      }, REFRESH_MS);
    });
  }, [queries]);
  const isShown = items.length > 0;
  useEffect(() => {
    if (!isShown || dock.current === null) return;
    const { style } = document.documentElement;
    const seen = new ResizeObserver(([entry]) =>
      style.setProperty("--upload-dock", `${entry!.target.clientHeight + 36}px`),
    );
    seen.observe(dock.current);
    return () => {
      seen.disconnect();
      style.removeProperty("--upload-dock");
    };
  }, [isShown]);

  return (
    <>
      <ConflictDialog />
      {isShown && (
        <Paper
          ref={dock}
          withBorder
          shadow="md"
          component="section"
          className={classes["dock"]}
          aria-label={t`Uploads`}
        >
          <Inside items={items} />
        </Paper>
      )}
    </>
  );
}

function Inside({ items }: { items: readonly UploadItem[] }) {
  const { t } = useLingui();
  const [isFolded, setIsFolded] = useState(false);
  const { moving, done, failed, left, again, isUnkept, size, sent } = totalsOf(items);
  const rate = uploadRate.perSecond();
  const shown = shownItems(items);
  return (
    <>
      <Group wrap="nowrap" gap={4} px="sm" py={6}>
        <div className={classes["what"]}>
          <Text size="sm" fw={600} aria-live="polite">
            {moving > 0 ? (
              <Plural value={moving} one="# upload is running" other="# uploads are running" />
            ) : failed > 0 ? (
              <Plural value={failed} one="# upload failed" other="# uploads failed" />
            ) : left > 0 ? (
              <Plural value={left} one="# upload is unfinished" other="# uploads are unfinished" />
            ) : (
              <Plural value={done} one="# upload is done" other="# uploads are done" />
            )}
          </Text>
          {moving > 0 && (
            <Text size="xs" c="dimmed" className={classes["say"]}>
              {formatBytes(sent)} / {formatBytes(size)}
              {rate > 0 && (
                <>
                  {" · "}
                  <Trans>
                    {formatBytes(rate)}/s, {durationText((size - sent) / rate)} left
                  </Trans>
                </>
              )}
            </Text>
          )}
        </div>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-expanded={!isFolded}
          aria-label={isFolded ? t`Show the uploads` : t`Hide the uploads`}
          onClick={() => setIsFolded(!isFolded)}
        >
          {isFolded ? <IconChevronUp size={18} /> : <IconChevronDown size={18} />}
        </ActionIcon>
        {done + failed > 0 && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t`Clear what has ended`}
            title={t`Clear what has ended`}
            onClick={clearUploads}
          >
            <IconX size={18} />
          </ActionIcon>
        )}
      </Group>
      {moving > 0 && (
        <Progress
          value={size === 0 ? 0 : (sent / size) * 100}
          size={3}
          radius={0}
          aria-label={t`Progress of all uploads`}
        />
      )}
      {!isFolded && (
        <>
          {again > 0 && (
            <Group px="sm" py="xs" gap="xs">
              <Text size="xs" c="dimmed" flex="1 1 12rem">
                <Trans>
                  The browser could not keep these files over the reload. Choose them again, and they continue
                  where they stopped.
                </Trans>
              </Text>
              <FileButton multiple onChange={(files) => files.forEach(giveAgain)}>
                {(props) => (
                  <Button {...props} size="xs">
                    <Trans>Choose the files again</Trans>
                  </Button>
                )}
              </FileButton>
            </Group>
          )}
          {isUnkept && (
            <Text size="xs" c="dimmed" px="sm" py={4}>
              <Trans>
                After a reload of the page, files of more than {formatBytes(MOST_KEPT_BYTES)} must be chosen
                again.
              </Trans>
            </Text>
          )}
          <ul className={classes["list"]} tabIndex={0} aria-label={t`Uploads`}>
            {shown.map((item) => (
              <UploadRow key={item.record.id} item={item} />
            ))}
            {items.length > shown.length && (
              <li className={classes["row"]}>
                <Text size="xs" c="dimmed">
                  <Plural value={items.length - shown.length} one="and # more" other="and # more" />
                </Text>
              </li>
            )}
          </ul>
        </>
      )}
    </>
  );
}

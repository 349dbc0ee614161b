import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, CloseButton, Group, Modal, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconDownload, IconShare } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useState } from "react";
import { FailedList } from "../list/list-states.tsx";
import { downloadAddress, type Entry, fileQuery } from "../file-queries.ts";
import { EntryShares } from "../shared/entry-shares.tsx";
import { FileDetails } from "./file-details.tsx";
import { FileVersions } from "./file-versions.tsx";
import { FilePreview } from "./file-preview.tsx";
import { useBackCloses } from "../../ui/back-closes.ts";
import { FocusBack } from "../../ui/focus-back.ts";
import classes from "./preview.module.css";
import { useSwipe } from "./use-swipe.ts";

type Props = {
  /** Null: the dialog is closed. */
  id: number | null;
  /** The files around it, in the order of the list. */
  files: readonly Entry[];
  onGo(id: number): void;
  /** Absent if the account may not. */
  onShare?: ((entry: Entry) => void) | undefined;
  onClose(): void;
};

/** A file with its content, and the files beside it. */
export function PreviewDialog({ id, files, onGo, onShare, onClose }: Props) {
  const { t } = useLingui();
  // It opens after it is mounted: only then the focus returns.
  const [isMounted, setIsMounted] = useState(false);
  useEffect(() => setIsMounted(true), []);
  useBackCloses(id !== null, onClose);
  const at = files.findIndex((file) => file.id === id);
  const listed = files[at];
  const { data } = useQuery({ ...fileQuery(id ?? 0), enabled: id !== null });
  const [before, after] = [files[at - 1], at === -1 ? undefined : files[at + 1]];
  const swipe = useSwipe((to) => {
    const next = to === "left" ? after : before;
    if (next !== undefined) onGo(next.id);
  });
  function press(event: KeyboardEvent): void {
    // Keys of a film or song belong to its player.
    if (event.target instanceof HTMLMediaElement) return;
    const next = event.key === "ArrowLeft" ? before : event.key === "ArrowRight" ? after : undefined;
    if (next === undefined) return;
    event.preventDefault();
    onGo(next.id);
  }
  return (
    <Modal.Root opened={isMounted && id !== null} onClose={onClose} size="56rem" onKeyDown={press}>
      <Modal.Overlay />
      <Modal.Content>
        {/* The page has its banner already. */}
        <Modal.Header role="presentation" className={classes["head"]}>
          <Modal.Title fw={600} className={classes["title"]}>
            <bdi>{listed?.name ?? data?.name ?? ""}</bdi>
          </Modal.Title>
          <Group gap={4} wrap="nowrap">
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t`The file before`}
              disabled={before === undefined}
              onClick={() => before && onGo(before.id)}
            >
              <IconChevronLeft size={18} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t`The next file`}
              disabled={after === undefined}
              onClick={() => after && onGo(after.id)}
            >
              <IconChevronRight size={18} />
            </ActionIcon>
            {listed !== undefined && onShare !== undefined && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={t`Share`}
                onClick={() => onShare(listed)}
              >
                <IconShare size={18} />
              </ActionIcon>
            )}
            {id !== null && (
              <ActionIcon
                component="a"
                href={downloadAddress({ kind: "file", id })}
                variant="light"
                size="lg"
                aria-label={t`Download`}
                title={t`Download`}
                data-autofocus
              >
                <IconDownload size={18} />
              </ActionIcon>
            )}
            <CloseButton size="lg" aria-label={t`Close`} onClick={onClose} />
          </Group>
        </Modal.Header>
        <Modal.Body {...swipe}>
          {id !== null && <FocusBack />}
          {id !== null && <Shown key={id} id={id} mayChange={onShare !== undefined} />}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Shown({ id, mayChange }: { id: number; mayChange: boolean }) {
  const { data: file, error, refetch } = useQuery(fileQuery(id));
  if (file === undefined) {
    return error === null ? (
      <div className={classes["frame"]} aria-busy />
    ) : (
      <FailedList error={error} onRetry={() => void refetch()} />
    );
  }
  return (
    <>
      <FilePreview file={file} />
      <FileDetails file={file} />
      <EntryShares id={id} />
      <FileVersions file={file} mayChange={mayChange} />
      <Text size="xs" c="dimmed" mt="xs" visibleFrom="sm">
        <Trans>Use ← → for the previous or next file.</Trans>
      </Text>
    </>
  );
}

import { Trans } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { formatList } from "../../base/i18n.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { refreshFiles } from "../file-queries.ts";
import { beginUploads } from "./begin-uploads.ts";
import { askConflicts } from "./conflict-question.ts";
import type { Incoming } from "./incoming.ts";

/** Small drops finish before, and show nothing. */
const PATIENCE_MS = 500;
/** Paths in a notice. */
const MOST_NAMED = 10;

/** @param team into the root of its tree; a folder says itself in which tree it is */
export function useUpload(
  account: string,
  team?: string,
): (incoming: Promise<Incoming>, folder: number | null) => void {
  const queries = useQueryClient();
  const onFailure = useFailureNotice();
  async function begin(incoming: Promise<Incoming>, folder: number | null): Promise<void> {
    const id = `uploads ${folder}`;
    const timer = setTimeout(
      () =>
        notifications.show({
          id,
          loading: true,
          autoClose: false,
          message: <Trans>The files are being read …</Trans>,
        }),
      PATIENCE_MS,
    );
    const read = await incoming.finally(() => {
      clearTimeout(timer);
      notifications.hide(id);
    });
    if (read.unreadable.length > 0) {
      const names = formatList(read.unreadable.slice(0, MOST_NAMED));
      notifications.show({
        color: "orange",
        autoClose: false,
        message: <Trans>The browser can’t read this, so it is not uploaded: {names}</Trans>,
      });
    }
    await beginUploads(read, { account, folder, team, ask: askConflicts });
    await refreshFiles(queries);
  }
  return (incoming, folder) => void begin(incoming, folder).catch(onFailure);
}

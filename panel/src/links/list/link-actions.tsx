import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { Link } from "../../base/api.ts";
import { useFailureNotice, useUndoOffer } from "../../ui/notices/undo.tsx";
import { deleteLink, refreshLinks, restoreLink } from "../link-queries.ts";
import { copyAndTell } from "../../ui/copy/copy-notice.ts";
import { keyOfLink } from "./page-queries.ts";
import type { LinkAction } from "./row-keys.ts";

/** Actions on one link without a form. */
export function useLinkActions(onDeleted: (link: Link) => void) {
  const queries = useQueryClient();
  const offerUndo = useUndoOffer();
  const onFailure = useFailureNotice();
  const refresh = (): Promise<void> => refreshLinks(queries);

  const going = useRef(new Set<string>());

  async function remove(link: Link): Promise<void> {
    const key = keyOfLink(link);
    if (going.current.has(key)) return;
    going.current.add(key);
    try {
      await deleteLink(link);
    } catch (error) {
      return onFailure(error as Error);
    } finally {
      going.current.delete(key);
    }
    onDeleted(link);
    offerUndo({ message: <Trans>{link.code} is deleted.</Trans>, undo: () => restoreLink(link), refresh });
    await refresh();
  }

  return {
    run(action: LinkAction, link: Link): void {
      if (action === "copy") void copyAndTell(link.short_url);
      else if (action === "open") window.open(link.short_url, "_blank", "noopener,noreferrer");
      else if (action === "delete") void remove(link);
    },
  };
}

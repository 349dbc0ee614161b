import { Trans, useLingui } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { Link } from "../../base/api.ts";
import { useFailureNotice, useUndoOffer } from "../../ui/undo.tsx";
import { deleteLink, refreshLinks, restoreLink } from "../link-queries.ts";
import { copyText } from "../../ui/copy.ts";
import { keyOfLink } from "./page-queries.ts";
import type { RowDeed } from "./row-keys.ts";

const NOTICE_MS = 2_000;

/** Actions on one link without a form. */
export function useLinkDeeds() {
  const { t } = useLingui();
  const queries = useQueryClient();
  const offerUndo = useUndoOffer();
  const onFailure = useFailureNotice();
  const refresh = (): Promise<void> => refreshLinks(queries);

  async function copy({ short_url: address }: Link): Promise<void> {
    const message = (await copyText(address))
      ? t`${address} is copied.`
      : t`The browser refused to copy ${address}.`;
    notifications.show({ message, autoClose: NOTICE_MS });
  }

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
    offerUndo({ message: <Trans>{link.code} is deleted.</Trans>, undo: () => restoreLink(link), refresh });
    await refresh();
  }

  return {
    run(deed: RowDeed, link: Link): void {
      if (deed === "copy") void copy(link);
      else if (deed === "open") window.open(link.short_url, "_blank", "noopener,noreferrer");
      else if (deed === "delete") void remove(link);
    },
  };
}

import { Trans } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Link, LinkPatch } from "../../base/api.ts";
import { useUndoOffer } from "../../ui/undo.tsx";
import { changeSeen, type OnLinkSaved, refreshLinks, setLinkBack } from "../link-queries.ts";

type Handlers = { onSaved: OnLinkSaved; onError(error: Error): void };

/** The patch that undoes a change. A password can't be restored. */
function reversalOf(link: Link, patch: LinkPatch): LinkPatch | null {
  if ("password" in patch) return null;
  const names = Object.keys(patch).filter((name) => name !== "keep_old");
  const before = Object.fromEntries(names.map((name) => [name, link[name as keyof Link]]));
  return { ...before, ...("domain" in before && { domain: link.domain ?? "" }) } as LinkPatch;
}

/** `seen`: the link whose fields the patch changes. */
type Save = { patch: LinkPatch; seen: Link };

/** Saves at once, and offers undo. Fails with ChangedElsewhere. */
export function useSaveLink({ onSaved, onError }: Handlers) {
  const queries = useQueryClient();
  const offer = useUndoOffer();
  return useMutation({
    mutationFn: ({ patch, seen }: Save) =>
      Object.keys(patch).length === 0 ? Promise.resolve(seen) : changeSeen(seen, patch),
    async onSuccess(saved, { patch, seen }) {
      onSaved(saved, seen);
      const back = reversalOf(seen, patch);
      const message = <Trans>{saved.code} is saved.</Trans>;
      if (back === null) notifications.show({ message });
      else if (Object.keys(back).length > 0) {
        const undo = async (): Promise<void> => onSaved(await setLinkBack(saved, back), saved);
        offer({ undo, refresh: () => refreshLinks(queries), message });
      }
      await refreshLinks(queries);
    },
    onError,
  });
}

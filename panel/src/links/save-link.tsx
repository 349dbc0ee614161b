import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Link, LinkPatch } from "../base/api.ts";
import { changeSeen, type OnLinkSaved, refreshLinks } from "./link-queries.ts";
import { useSavedNotice } from "./saved-notice.tsx";

type Handlers = { onSaved: OnLinkSaved; onError(error: Error): void };

/** `seen`: the link whose fields the patch changes. */
type Save = { patch: LinkPatch; seen: Link };

/** Saves at once, and offers undo. Fails with ChangedElsewhere. */
export function useSaveLink({ onSaved, onError }: Handlers) {
  const queries = useQueryClient();
  const tellSaved = useSavedNotice(onSaved);
  return useMutation({
    mutationFn: ({ patch, seen }: Save) =>
      Object.keys(patch).length === 0 ? Promise.resolve(seen) : changeSeen(seen, patch),
    async onSuccess(saved, { patch, seen }) {
      await onSaved(saved, seen);
      tellSaved(saved, seen, patch);
      await refreshLinks(queries);
    },
    onError,
  });
}

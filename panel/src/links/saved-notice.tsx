import { Trans } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import type { Link, LinkPatch } from "../base/api.ts";
import { useUndoOffer } from "../ui/notices/undo.tsx";
import { type OnLinkSaved, refreshLinks, setLinkBack } from "./link-queries.ts";

/** The patch that undoes a change. A password can't be restored, nor that nobody owned it. */
function reversalOf(link: Link, patch: LinkPatch): LinkPatch | null {
  if ("password" in patch || ("owner" in patch && link.owner === null)) return null;
  const names = Object.keys(patch).filter((name) => name !== "keep_old");
  const before = Object.fromEntries(names.map((name) => [name, link[name as keyof Link]]));
  return { ...before, ...("domain" in before && { domain: link.domain ?? "" }) } as LinkPatch;
}

/** Says that a patch of `seen` is saved, and offers undo where it can be undone. */
export function useSavedNotice(onSaved?: OnLinkSaved) {
  const queries = useQueryClient();
  const offer = useUndoOffer();
  return (saved: Link, seen: Link, patch: LinkPatch): void => {
    const back = reversalOf(seen, patch);
    const message = <Trans>{`/${saved.code}`} is saved.</Trans>;
    if (back === null) notifications.show({ message });
    else if (Object.keys(back).length > 0) {
      const undo = async (): Promise<void> => {
        const restored = await setLinkBack(saved, back);
        await onSaved?.(restored, saved);
      };
      offer({ undo, refresh: () => refreshLinks(queries), message });
    }
  };
}

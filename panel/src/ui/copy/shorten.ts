import { useQueryClient } from "@tanstack/react-query";
import { responseOf, api, type Link } from "../../base/api.ts";
import { findKnownLink, type KnownLink } from "../../base/same-target.ts";
import { copyMade } from "./copy.ts";
import { refreshMade, useFoundLink, useMadeLink } from "./made-link.tsx";
import { useFailureNotice } from "../notices/undo.tsx";

/** Makes a link of a target and copies its address. If there is one already, copies that one's instead. */
export function useShorten(): (target: string) => Promise<void> {
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const tellMade = useMadeLink();
  const tellFound = useFoundLink();

  async function finish(link: Promise<Link>, tell: (link: Link, isCopied: boolean) => void): Promise<void> {
    try {
      const { saved, isCopied } = await copyMade(link, (known) => known.short_url);
      tell(saved, isCopied);
      await refreshMade(queries);
    } catch (error) {
      onError(error as Error);
    }
  }
  const make = async (target: string): Promise<Link> =>
    (await responseOf(api.POST("/admin/v1/links", { body: { target } }))).data;

  return async (target) => {
    // Without an answer, a second link does no harm.
    let known: KnownLink | null = null;
    const link = findKnownLink(target).then(
      (found) => (known = found)?.link ?? make(target),
      () => make(target),
    );
    await finish(link, (shown, isCopied) => {
      if (known === null) tellMade(shown, isCopied);
      else tellFound(shown, isCopied, known.isOwn ? null : () => void finish(make(target), tellMade));
    });
  };
}

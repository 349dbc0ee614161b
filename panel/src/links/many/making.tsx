import { Plural, Trans } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Link } from "../../base/api.ts";
import { CopyAction } from "../../ui/copy/copy-action.tsx";
import { copyText } from "../../ui/copy/copy.ts";
import { useIsThere } from "../../ui/notices/late-answer.ts";
import { useUndoOffer } from "../../ui/notices/undo.tsx";
import { refreshLinks } from "../link-queries.ts";
import { type ForAll, makeLinks, type NewRow, unmakeLinks } from "./make-links.ts";

type Work = { rows: readonly NewRow[]; shared: ForAll };

const columnOf = (links: readonly Link[]): string => links.map((link) => link.short_url).join("\n");

/** Makes links, copies their addresses as a column, and offers undo. `onMade` gets the rows that failed. */
export function useMaking(onMade: (rest: NewRow[]) => void) {
  const queries = useQueryClient();
  const offerUndo = useUndoOffer();
  const isThere = useIsThere();
  const [done, setDone] = useState(0);
  const { mutate, isPending } = useMutation({
    async mutationFn({ rows, shared }: Work) {
      setDone(0);
      const outcomes = makeLinks(rows, shared, setDone);
      const made = outcomes.then((all) => all.flatMap((one) => one.made ?? []));
      // Begun by a press, so that browsers let the page copy when the links are made.
      const column = made.then((links) => (links.length > 0 ? columnOf(links) : Promise.reject(new Error())));
      const copied = copyText(column).catch(() => false);
      return { outcomes: await outcomes, made: await made, isCopied: await copied };
    },
    async onSuccess({ outcomes, made, isCopied }) {
      if (made.length > 0) {
        offerUndo({
          message: <Made count={made.length} isCopied={isCopied} />,
          more: isCopied ? null : <CopyAction address={columnOf(made)} />,
          undo: () => unmakeLinks(made),
          refresh: () => refreshLinks(queries),
        });
      }
      if (isThere()) onMade(outcomes.flatMap((one) => (one.made === null ? one.row : [])));
      await refreshLinks(queries);
    },
  });
  return { make: mutate, done, isPending };
}

const Made = ({ count, isCopied }: { count: number; isCopied: boolean }) => (
  <>
    <Text size="sm">
      <Plural value={count} one="# link is ready." other="# links are ready." />
    </Text>
    {isCopied && (
      <Text size="sm" c="dimmed">
        <Trans>Copied as a column.</Trans>
      </Text>
    )}
  </>
);

/** The active row for keys, and ranges that start at it. */
import { useLingui } from "@lingui/react/macro";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { formatNumber } from "../../base/i18n.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { linksBetween } from "./page-queries.ts";
import type { RowMove } from "./row-keys.ts";
import type { LinkRows } from "./rows.ts";
import { type Selected, type LinkSelection, withLinks } from "./selection.ts";
import type { RowWindow } from "./window.ts";

const MOST_RANGE = 5_000;

type Props = { rows: LinkRows; sight: RowWindow; selection: LinkSelection };

export function useRowCursor({ rows, sight, selection }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onFailure = useFailureNotice();
  const [cursor, setCursor] = useState<number | null>(null);
  const anchor = useRef<{ row: number; before: Selected }>(undefined);
  const turn = useRef(0);
  /** The end was asked for before the links were counted: whether the selection goes with it. */
  const awaited = useRef<boolean>(undefined);
  const last = rows.total - 1;
  const at = cursor === null ? null : Math.min(cursor, last);

  function put(row: number | null): void {
    anchor.current = undefined;
    awaited.current = undefined;
    turn.current++;
    setCursor(row);
  }

  /** Selects every row up to that one, even those that are not loaded. */
  async function extendTo(row: number): Promise<void> {
    awaited.current = undefined;
    anchor.current ??= { row: at ?? row, before: selection.selected };
    const { row: start, before } = anchor.current;
    setCursor(row);
    const range = { from: Math.min(start, row), to: Math.max(start, row) };
    if (range.to - range.from >= MOST_RANGE) {
      const most = formatNumber(MOST_RANGE);
      notifications.show({
        message: t`A range has at most ${most} links. Ctrl+A selects all that the list finds.`,
      });
      return;
    }
    const mine = ++turn.current;
    try {
      const links = await linksBetween(queries, rows.shown, range);
      if (mine === turn.current) selection.set(withLinks(before, links));
    } catch (error) {
      onFailure(error as Error);
    }
  }

  function rowAfter(way: RowMove): number {
    const from = at ?? sight.top() - (way === "down" ? 1 : 0);
    const step = { up: -1, down: 1, "page-up": -sight.fitting(), "page-down": sight.fitting() };
    const to = way === "start" ? 0 : way === "end" ? last : from + step[way];
    return Math.max(0, Math.min(to, last));
  }

  function move(to: RowMove, isExtending: boolean): void {
    if (last < 0) return;
    const row = rowAfter(to);
    if (isExtending) void extendTo(row);
    else put(row);
    awaited.current = to === "end" && !rows.isCounted ? isExtending : undefined;
    sight.reveal(row);
  }
  useEffect(() => {
    if (rows.isCounted && awaited.current !== undefined) move("end", awaited.current);
  }, [rows.isCounted]);

  return {
    at,
    put,
    /** At the first row in sight. */
    putInSight: () => put(sight.top()),
    extendTo,
    move,
    reveal: sight.reveal,
  };
}

export type RowCursor = ReturnType<typeof useRowCursor>;

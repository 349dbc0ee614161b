import { Trans } from "@lingui/react/macro";
import { Alert, Stack, Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { responseOf, api, type ImportResult } from "../../base/api.ts";
import { formatNumber } from "../../base/i18n.ts";
import type { ImportRecord } from "./import-record.ts";
import { settlePart } from "./import-state.ts";

const ASK_MS = 2_000;
const MOST_EVENTS = 100;

/** How far an import is, from the event that is written with its rows; null while there is none. */
const outcomeQuery = (id: string) =>
  queryOptions({
    queryKey: ["imports", id],
    async queryFn({ signal }): Promise<{ result: ImportResult; isOver: boolean } | null> {
      const query = { action: "links.import", limit: MOST_EVENTS };
      const { data } = await responseOf(api.GET("/admin/v1/events", { params: { query }, signal }));
      const after = data.find((event) => event.after?.["import_id"] === id)?.after;
      if (!after) return null;
      const count = (name: string): number => Number(after[name] ?? 0);
      const result = {
        total_rows: count("total_rows"),
        success_count: count("success_count"),
        overwritten_count: count("overwritten_count"),
        skipped_count: count("skipped_count"),
        failed_count: count("failed_count"),
        failed_items: [],
        unread_count: 0,
        unread_items: [],
        ignored_columns: [],
      };
      return { result, isOver: after["next_row"] === undefined };
    },
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.isOver ? false : ASK_MS),
  });

/** For an import whose answer was lost: asks the server until all rows are written. */
export function ImportUnknown({ record: { id, part, parts, failure } }: { record: ImportRecord }) {
  const { data } = useQuery(outcomeQuery(`${id}-${part}`));
  useEffect(() => {
    if (data?.isOver) settlePart(data.result);
  }, [data]);
  const written = data === undefined || data?.isOver ? null : formatNumber(data?.result.success_count ?? 0);
  return (
    <Alert color="yellow" variant="light" role="status">
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          {failure === null ? (
            <Trans>The page was reloaded before the server had answered.</Trans>
          ) : (
            <Trans>The connection was lost before the server had answered.</Trans>
          )}
        </Text>
        <Text size="sm">
          {written !== null && (
            <>
              {parts === 1 ? (
                <Trans>Rows written so far: {written}.</Trans>
              ) : (
                <Trans>
                  Rows of part {part + 1} of {parts} written so far: {written}.
                </Trans>
              )}{" "}
            </>
          )}
          <Trans>
            If it is still at work, its result appears here. Else import the file again: with “Skip them”
            links that exist stay as they are.
          </Trans>
        </Text>
      </Stack>
    </Alert>
  );
}

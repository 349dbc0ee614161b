import { Trans, useLingui } from "@lingui/react/macro";
import { Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { accountQuery } from "../../auth/account.ts";
import type { ProductImport } from "../../base/api.ts";
import { formatNumber, formatTime } from "../../base/i18n.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { DataList } from "../../ui/lists/data-list.tsx";
import { LoadOn } from "../../ui/long/load-on.tsx";
import { LongRows } from "../../ui/long/long-rows.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { PagePath } from "../../ui/lists/page-path.tsx";
import { MoveState } from "./move-state.tsx";
import { useProducts } from "./move-products.ts";
import { movesQuery } from "./move-queries.ts";
import { NewMove } from "./new-move.tsx";

/** Begins a move from another product, and lists those that were made. */
export function MovesPage() {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  const isAdmin = account.role === "admin";
  return (
    <Stack p="md" gap="md">
      <PagePath to="/links" search={{}} name={t`Move from another service`}>
        <Trans>Links</Trans>
      </PagePath>
      <PageHead
        title={t`Move from another service`}
        sentence={t`Links with their codes, titles, tags, dates and clicks. You see what will be imported before anything is written, and can undo it.`}
      />
      <Stack gap="md" maw={860}>
        {isAdmin ? (
          <>
            <NewMove />
            <Moves />
          </>
        ) : (
          <Text c="dimmed">
            <Trans>Only administrators import links.</Trans>
          </Text>
        )}
      </Stack>
    </Stack>
  );
}

function Moves() {
  const { t } = useLingui();
  const products = useProducts();
  const list = useInfiniteQuery(movesQuery);
  const moves = list.data?.pages.flatMap((page) => page.data);
  if (moves?.length === 0) return null;
  return (
    <Stack gap="xs" mt="lg">
      <Text component="h2" fw={600}>
        <Trans>Past imports</Trans>
      </Text>
      <DataList<ProductImport>
        long={{ Rows: LongRows, isMore: list.hasNextPage }}
        label={t`Past imports`}
        items={moves}
        error={list.error}
        onRetry={() => void list.refetch()}
        keyOf={({ id }) => id}
        empty=""
        columns={[
          {
            title: t({ message: "From", context: "service" }),
            cell: ({ id, product, source }) => (
              <>
                <AnchorLink to="/links/moves/$id" params={{ id: String(id) }} size="sm" fw={600}>
                  {products[product]?.title ?? product}
                </AnchorLink>
                <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                  <bdi>{source}</bdi>
                </Text>
              </>
            ),
          },
          { title: t`State`, fit: "value", cell: (move) => <MoveState move={move} /> },
          { title: t`Links`, fit: "number", cell: ({ counts }) => formatNumber(counts.links_imported) },
          {
            title: t`When`,
            isHidden: "narrow",
            fit: "value",
            cell: ({ created_at: created }) => formatTime(created),
          },
        ]}
      />
      <LoadOn list={list} />
    </Stack>
  );
}

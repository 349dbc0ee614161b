import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Center, Loader, Stack, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import type { Link } from "../app/api.ts";
import { useSentence } from "../ui/failure.tsx";
import { linksQuery } from "./link-queries.ts";
import { LinkRow } from "./link-row.tsx";
import type { LinkSearch, Sort } from "./link-search.ts";
import classes from "./links.module.css";

type Order = "asc" | "desc";
type Props = {
  search: LinkSearch;
  onSort(sort: Sort, order: Order): void;
  onEdit(link: Link): void;
};

const ROW = 48;
const NARROW_ROW = 68;
/** Rows below the last one that is shown, from where on the next page is asked for. */
const AHEAD = 40;
/** The order in which a first choice of the column sorts. */
const FIRST_ORDER: Record<Sort, Order> = {
  created_at: "desc",
  code: "asc",
  click_count: "desc",
  expires_at: "asc",
};

export function LinkTable({ search, onSort, onEdit }: Props) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useMediaQuery("(max-width: 48em)") ?? false;
  const { data, error, isPending, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(linksQuery(search));
  const links = data?.pages.flatMap((page) => page.data) ?? [];
  const rows = useVirtualizer({
    count: links.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? NARROW_ROW : ROW),
    overscan: 12,
    getItemKey: (at) => `${links[at]!.domain ?? ""}/${links[at]!.code}`,
  });
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;

  useEffect(() => rows.measure(), [rows, isNarrow]);
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last > links.length - AHEAD) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, last, links.length, fetchNextPage]);

  const column = (sort: Sort, label: string, className?: string) => {
    const isSorted = (search.sort ?? "created_at") === sort;
    const order = search.order ?? FIRST_ORDER[sort];
    const next =
      isSorted && order === FIRST_ORDER[sort] ? (order === "asc" ? "desc" : "asc") : FIRST_ORDER[sort];
    const Arrow = order === "asc" ? IconArrowUp : IconArrowDown;
    return (
      <div
        role="columnheader"
        aria-sort={isSorted ? (order === "asc" ? "ascending" : "descending") : "none"}
        className={className}
      >
        <UnstyledButton fz="xs" fw={isSorted ? 700 : 500} onClick={() => onSort(sort, next)}>
          {label} {isSorted && <Arrow size={12} aria-hidden />}
        </UnstyledButton>
      </div>
    );
  };

  if (error !== null && data === undefined) {
    return (
      <Alert color="red" m="md" role="alert">
        <Stack align="start" gap="xs">
          {sentenceOf(error)}
          <Button size="xs" variant="default" onClick={() => void refetch()}>
            <Trans>Try again</Trans>
          </Button>
        </Stack>
      </Alert>
    );
  }
  if (isPending) {
    return (
      <Center flex={1}>
        <Loader aria-label={t`Loading the links`} />
      </Center>
    );
  }
  if (links.length === 0) return <NoLinks isFiltered={Object.keys(search).length > 0} />;
  return (
    <div ref={scroller} className={classes["scroller"]} role="table" aria-label={t`Links`} tabIndex={0}>
      <div role="row" className={classes["head"]}>
        {column("code", t`Code`)}
        <div role="columnheader">
          <Trans>Target</Trans>
        </div>
        <div role="columnheader">
          <Trans>Tags</Trans>
        </div>
        {column("click_count", t`Clicks`, classes["number"])}
        {column("created_at", t`Created`)}
        <div role="columnheader">
          <VisuallyHidden>
            <Trans>Actions</Trans>
          </VisuallyHidden>
        </div>
      </div>
      <div role="rowgroup" className={classes["body"]} style={{ height: rows.getTotalSize() }}>
        {items.map(({ index, key, start, size }) => (
          <LinkRow key={key} link={links[index]!} place={{ start, size }} onEdit={onEdit} />
        ))}
      </div>
    </div>
  );
}

function NoLinks({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Center flex={1} p="md">
      <Stack gap={4} align="center" ta="center">
        <Text fw={600}>
          {isFiltered ? <Trans>No link matches</Trans> : <Trans>There are no links yet</Trans>}
        </Text>
        <Text c="dimmed" size="sm">
          {isFiltered ? (
            <Trans>Change the search or the filters.</Trans>
          ) : (
            <Trans>Make the first one with the button above, or press C.</Trans>
          )}
        </Text>
      </Stack>
    </Center>
  );
}

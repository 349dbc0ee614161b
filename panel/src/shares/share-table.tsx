import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Center, Skeleton, Stack, Table, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Account, Share } from "../app/api.ts";
import { useSentence } from "../ui/failure.tsx";
import { LoadFailure } from "../ui/load-failure.tsx";
import type { ShareAction } from "./share-menu.tsx";
import { sharesQuery } from "./share-queries.ts";
import { ShareRow } from "./share-row.tsx";
import type { ShareSearch, ShareSort } from "./share-search.ts";
import classes from "./shares.module.css";

type Props = {
  search: ShareSearch;
  account: Account;
  onSort(sort: ShareSort, order: "asc" | "desc"): void;
  onChoose(action: ShareAction, share: Share): void;
  empty: ReactNode;
};

export function ShareTable({ search, account, onSort, onChoose, empty }: Props) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const query = useInfiniteQuery(sharesQuery(search));
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  if (error !== null && data === undefined) {
    return <LoadFailure error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeletons />;
  const shares = data.pages.flatMap((page) => page.data);
  if (shares.length === 0) return empty;
  const head = { search, onSort };
  return (
    <>
      <Table aria-label={t`Shares`} verticalSpacing="xs" className={classes["table"]}>
        <Table.Thead>
          <Table.Tr>
            <Head {...head} sort="code" title={t({ message: "Share", context: "what is shared" })} />
            <Table.Th className={classes["state"]}>
              <Trans>State</Trans>
            </Table.Th>
            <Table.Th visibleFrom="sm" className={classes["usage"]}>
              <Trans>Use</Trans>
            </Table.Th>
            <Head {...head} sort="click_count" title={t`Visits`} from="md" width="visits" />
            <Head {...head} sort="expires_at" title={t`Expires`} from="sm" width="day" />
            <Head {...head} sort="created_at" title={t`Created`} from="md" width="day" />
            <Table.Th className={classes["actions"]}>
              <VisuallyHidden>
                <Trans>Actions</Trans>
              </VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shares.map((share) => (
            <ShareRow
              key={share.code}
              share={share}
              isOwn={share.owner === undefined || share.owner.id === account.id}
              onChoose={onChoose}
            />
          ))}
        </Table.Tbody>
      </Table>
      {hasNextPage && (
        <Center py="md">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            <Trans>Show more</Trans>
          </Button>
        </Center>
      )}
      {error !== null && (
        <Text size="sm" c="red" role="alert">
          {sentenceOf(error)}
        </Text>
      )}
    </>
  );
}

type HeadProps = Pick<Props, "search" | "onSort"> & {
  sort: ShareSort;
  title: string;
  from?: "sm" | "md";
  width?: "visits" | "day";
};

/** The newest, the latest and the most come first. */
function Head({ search, onSort, sort, title, from, width }: HeadProps) {
  const isSorted = (search.sort ?? "created_at") === sort;
  const order = search.order ?? "desc";
  const first = sort === "code" ? "asc" : "desc";
  const Icon = order === "asc" ? IconChevronUp : IconChevronDown;
  return (
    <Table.Th
      {...(from && { visibleFrom: from })}
      {...(width && { className: classes[width] })}
      {...(width === "visits" && { ta: "end" })}
      {...(isSorted && { "aria-sort": order === "asc" ? ("ascending" as const) : ("descending" as const) })}
    >
      <UnstyledButton
        className={classes["sort"]}
        onClick={() => onSort(sort, isSorted ? (order === "asc" ? "desc" : "asc") : first)}
      >
        {title}
        {isSorted && <Icon size={14} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  );
}

/** Of the size of the rows that come. */
function Skeletons() {
  return (
    <Stack gap={0} aria-busy mt={40}>
      {[0, 1, 2, 3].map((row) => (
        <div key={row} className={classes["waiting"]}>
          <Skeleton height={14} width="34%" />
          <Skeleton height={10} width="18%" mt={10} />
        </div>
      ))}
    </Stack>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { Skeleton, Stack, Table, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Account, Share } from "../../base/api.ts";
import { useTrees } from "../../auth/teams/trees.ts";
import { LoadFailure } from "../../ui/load-failure.tsx";
import { type RowPlace, SpacedRows } from "../../ui/long/rows-in-sight.tsx";
import { useShareKeys } from "./share-keys.ts";
import type { ShareAction } from "./share-menu.tsx";
import { ShareRow } from "./share-row.tsx";
import { useShareRows } from "./share-rows.ts";
import type { ShareSearch, ShareSort } from "../share-search.ts";
import classes from "../shares.module.css";

type Props = {
  search: ShareSearch;
  account: Account;
  onSort(sort: ShareSort, order: "asc" | "desc"): void;
  onChoose(action: ShareAction, share: Share): void;
  empty: ReactNode;
};

export function ShareTable({ search, account, onSort, onChoose, empty }: Props) {
  const { t } = useLingui();
  const { total, error, retry, rows, share } = useShareRows(search);
  const mayChange = useTrees().mayChange(search.team);
  const isOwn = ({ owner }: Share): boolean => mayChange && (owner === undefined || owner.id === account.id);
  useShareKeys({
    share,
    onChoose: (action, one) => (isOwn(one) || (mayChange && action === "end")) && onChoose(action, one),
  });
  if (error !== null && total === undefined) return <LoadFailure error={error} onRetry={retry} />;
  if (total === undefined) return <Skeletons />;
  if (total === 0) return empty;
  const head = { search, onSort };
  return (
    <>
      <Table
        aria-label={t`Shares`}
        verticalSpacing={6}
        className={classes["table"]}
        aria-rowcount={total + 1}
      >
        <Table.Thead>
          <Table.Tr aria-rowindex={1}>
            <Head {...head} sort="code" title={t({ message: "Share", context: "what is shared" })} />
            <Table.Th visibleFrom="sm" className={classes["state"]}>
              <Trans>State</Trans>
            </Table.Th>
            <Table.Th visibleFrom="md" className={classes["usage"]}>
              <Trans>Use</Trans>
            </Table.Th>
            <Head {...head} sort="human_clicks" title={t`Visits`} from="md" width="visits" />
            <Head {...head} sort="expires_at" title={t`Expires`} from="sm" width="day" />
            <Head {...head} sort="created_at" title={t`Created`} from="lg" width="day" />
            <Table.Th className={classes["actions"]}>
              <VisuallyHidden>
                <Trans>Actions</Trans>
              </VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody {...rows.bodyProps}>
          <SpacedRows
            rows={rows}
            row={(at, place) => {
              const known = share(at);
              if (known === undefined) return <WaitingRow place={place} />;
              return (
                <ShareRow
                  share={known}
                  place={place}
                  isOwn={isOwn(known)}
                  mayEnd={mayChange}
                  team={search.team}
                  onChoose={onChoose}
                />
              );
            }}
          />
        </Table.Tbody>
      </Table>
      {error !== null && <LoadFailure error={error} onRetry={retry} className={classes["failure"] ?? ""} />}
    </>
  );
}

type HeadProps = Pick<Props, "search" | "onSort"> & {
  sort: ShareSort;
  title: string;
  from?: "sm" | "md" | "lg";
  width?: "visits" | "day";
};

/** The first sort shows the newest, the latest or the most. */
function Head({ search, onSort, sort, title, from, width }: HeadProps) {
  const isSorted = (search.sort ?? "created_at") === sort;
  const order = search.order ?? "desc";
  const first = sort === "code" ? "asc" : "desc";
  const Icon = order === "asc" ? IconArrowUp : IconArrowDown;
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

const WaitingRow = ({ place }: { place: RowPlace }) => (
  <Table.Tr {...place} aria-busy className={classes["unknown"]}>
    <Table.Td>
      <Skeleton height={14} width="60%" />
    </Table.Td>
  </Table.Tr>
);

/** As high as the rows to come. */
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

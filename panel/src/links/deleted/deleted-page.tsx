import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { DeletedLink } from "../../base/api.ts";
import { formatNumber, formatTime } from "../../base/i18n.ts";
import { CodeName } from "../../ui/code-name.tsx";
import { DataList } from "../../ui/lists/data-list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { LoadOn } from "../../ui/long/load-on.tsx";
import { LongRows } from "../../ui/long/long-rows.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { PagePath } from "../../ui/lists/page-path.tsx";
import { SearchField } from "../../ui/lists/search-field.tsx";
import { TargetUse } from "../../ui/lists/target-use.tsx";
import { deletedLinksQuery } from "./deleted-queries.ts";
import { PutBack } from "./put-back.tsx";

const SEARCH_DELAY_MS = 200;

/** Deleted links, to put them back. */
export function DeletedLinksPage() {
  const { t } = useLingui();
  const { q = "" } = useSearch({ from: "/inside/links/deleted" });
  const navigate = useNavigate({ from: "/links/deleted" });
  const list = useInfiniteQuery(deletedLinksQuery(q));
  const { data, error, refetch } = list;
  function find(typed = ""): void {
    const next = typed.trim();
    void navigate({ search: next === "" ? {} : { q: next }, replace: true });
  }
  return (
    <Stack p="md" gap="md">
      <PagePath to="/links" search={{}} name={t`Deleted links`}>
        <Trans>Links</Trans>
      </PagePath>
      <PageHead
        title={t`Deleted links`}
        sentence={t`You can put them back with their clicks until they are removed for good. Until then, others can use their codes.`}
      >
        <Button component={Link} to="/links/changes" variant="default">
          <Trans>Bulk changes</Trans>
        </Button>
      </PageHead>
      <SearchField
        label={t`Search deleted links`}
        placeholder={t`Search code, target, title and note`}
        maw={480}
        q={q}
        delayMs={SEARCH_DELAY_MS}
        onSearch={find}
      />
      <DataList<DeletedLink>
        long={{ Rows: LongRows, isMore: list.hasNextPage }}
        label={t`Deleted links`}
        items={data?.pages.flatMap((page) => page.data)}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        empty={
          q !== "" ? (
            <Empty
              title={<Trans>No deleted link matches.</Trans>}
              sentence={<Trans>Change the search.</Trans>}
            />
          ) : (
            <Empty title={<Trans>No deleted links.</Trans>} />
          )
        }
        columns={[
          { title: t`Link`, cell: (link) => <Name link={link} /> },
          {
            title: t({ message: "Human clicks", context: "column" }),
            isHidden: "medium",
            fit: "number",
            cell: (link) => formatNumber(link.human_clicks),
          },
          {
            title: t`Deleted`,
            isHidden: "narrow",
            width: "13rem",
            cell: (link) => (
              <>
                {formatTime(link.deleted_at)}
                <Text size="xs" c="dimmed">
                  {link.deleted_by}
                </Text>
              </>
            ),
          },
          { title: t`Actions`, fit: "actions", cell: (link) => <PutBack link={link} /> },
        ]}
      />
      <LoadOn list={list} />
    </Stack>
  );
}

const deletionOf = (link: DeletedLink): string =>
  [formatTime(link.deleted_at), link.deleted_by].filter(Boolean).join(" · ");

const Name = ({ link }: { link: DeletedLink }) => (
  <>
    <Text size="sm" fw={600}>
      <CodeName code={link.code} domain={link.domain} wraps />
    </Text>
    <Text size="sm" c="dimmed" lineClamp={2} dir="auto">
      {link.title ?? <TargetUse target={link.target} />}
    </Text>
    <Text size="xs" c="dimmed" hiddenFrom="sm">
      {deletionOf(link)}
    </Text>
  </>
);

import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Box, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import type { TagCount } from "../../base/api.ts";
import { formatNumber } from "../../base/i18n.ts";
import { TaskBar } from "../bulk/bulk-bar.tsx";
import { undoRun } from "../bulk/found-run.ts";
import { useRuns } from "../bulk/runs.tsx";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { DataList } from "../../ui/lists/data-list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { giveFocusBack } from "../../ui/focus-back.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { PagePath } from "../../ui/lists/page-path.tsx";
import { SearchField } from "../../ui/lists/search-field.tsx";
import { tagsQuery } from "../link-queries.ts";
import { RenameTag } from "./rename-tag.tsx";
import { DeleteTag } from "./delete-tag.tsx";
import { type OnTagChanged, storedTag } from "./tag-queries.ts";

const MOST_SHOWN = 100;

/** All tags with the number of their links: to rename, merge and delete them. */
export function TagsPage() {
  const { t } = useLingui();
  const { data: tags, error, refetch } = useQuery(tagsQuery);
  const { q = "" } = useSearch({ from: "/inside/links/tags" });
  const navigate = useNavigate({ from: "/links/tags" });
  const requested = storedTag(useDeferredValue(q));
  const found = tags?.filter(({ tag }) => tag.includes(requested));
  const more = (found?.length ?? 0) - MOST_SHOWN;
  const runs = useRuns();

  /** @param links the links that changed */
  const onChanged =
    (links: number): OnTagChanged =>
    async ({ change }, message) => {
      if (change !== undefined) {
        const undo = () => runs.runAll(undoRun({ kind: "change", change, changed: links }));
        runs.offerUndo({ message, undo, refresh: runs.refresh });
      }
      await runs.refresh();
      giveFocusBack();
    };

  return (
    <Stack p="md" gap="md">
      <PagePath to="/links" search={{}} name={t`Tags`}>
        <Trans>Links</Trans>
      </PagePath>
      <PageHead title={t`Tags`} sentence={t`Giving a tag the name of another one merges the two.`} />
      <SearchField
        label={t`Search tags`}
        maw={480}
        q={q}
        delayMs={50}
        onSearch={(text) =>
          void navigate({
            search: text === undefined ? {} : { q: text },
            replace: true,
            resetScroll: false,
          })
        }
      />
      <DataList<TagCount>
        label={t`Tags`}
        items={found?.slice(0, MOST_SHOWN)}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ tag }) => tag}
        onOpen={({ tag }) => void navigate({ to: "/links", search: { tag: [tag] } })}
        empty={
          requested !== "" ? (
            <Empty title={<Trans>No tag matches.</Trans>} sentence={<Trans>Change the search.</Trans>} />
          ) : (
            <Empty
              title={<Trans>No link has a tag yet.</Trans>}
              sentence={<Trans>Tags group links. Add them in the form of a link.</Trans>}
            />
          )
        }
        columns={[
          {
            title: t`Tag`,
            cell: ({ tag }) => (
              <AnchorLink to="/links" search={{ tag: [tag] }} size="sm" dir="auto">
                {tag}
              </AnchorLink>
            ),
          },
          {
            title: t({ message: "Links", context: "how many" }),
            fit: "number",
            cell: ({ links }) => formatNumber(links),
          },
          {
            title: t`Actions`,
            fit: "actions",
            cell: ({ tag, links }) => (
              <Group gap={4} justify="end">
                <RenameTag tag={tag} tags={tags ?? []} onChanged={onChanged(links)} />
                <DeleteTag tag={tag} onChanged={onChanged(links)} />
              </Group>
            ),
          },
        ]}
      />
      {more > 0 && (
        <Text size="sm" c="dimmed">
          <Plural value={more} one="And # more: search for it." other="And # more: search for them." />
        </Text>
      )}
      <Box pos="sticky" bottom={0} style={{ zIndex: 3 }}>
        <TaskBar runs={runs} label={t`Tags`} />
      </Box>
    </Stack>
  );
}

import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import type { TagCount } from "../../app/api.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { DataList } from "../../ui/data-list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { tagsQuery } from "../link-queries.ts";
import { RenameTag } from "./rename-tag.tsx";
import { deleteTag, storedTag } from "./tag-queries.ts";

const MOST_SHOWN = 100;

/** All tags with the number of their links: to rename, merge and delete them. */
export function TagsPage() {
  const { t } = useLingui();
  const { data: tags, error, refetch } = useQuery(tagsQuery);
  const { q = "" } = useSearch({ from: "/inside/links/tags" });
  const navigate = useNavigate({ from: "/links/tags" });
  const wanted = storedTag(useDeferredValue(q));
  const found = tags?.filter(({ tag }) => tag.includes(wanted));
  const more = (found?.length ?? 0) - MOST_SHOWN;
  return (
    <Stack p="md" gap="md" maw={860}>
      <PageHead title={t`Tags`} sentence={t`A tag that gets the name of another one is merged with it.`}>
        <Button component={Link} to="/links" variant="default" leftSection={<IconArrowLeft size={16} />}>
          <Trans>Links</Trans>
        </Button>
      </PageHead>
      <SearchField
        label={t`Search tags`}
        maw={480}
        q={q}
        delayMs={50}
        onSearch={(text) =>
          void navigate({ search: text === undefined ? {} : { q: text }, replace: true, resetScroll: false })
        }
      />
      <DataList<TagCount>
        label={t`Tags`}
        items={found?.slice(0, MOST_SHOWN)}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ tag }) => tag}
        empty={
          wanted !== "" ? (
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
            title: t`Links`,
            fit: "value",
            cell: ({ links }) => <Plural value={links} one="# link" other="# links" />,
          },
          {
            title: t`Actions`,
            fit: "actions",
            cell: ({ tag, links }) => (
              <Group gap={4} justify="end">
                <RenameTag tag={tag} tags={tags ?? []} />
                <ConfirmButton
                  label={t`Delete`}
                  question={t`Take the tag ${tag} from ${links} links? This can't be undone.`}
                  run={() => deleteTag(tag)}
                  list="links"
                />
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
    </Stack>
  );
}

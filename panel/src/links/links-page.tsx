import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, CloseButton, Group, Select, SegmentedControl, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedCallback, useHotkeys } from "@mantine/hooks";
import { IconPlus, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { Link } from "../app/api.ts";
import { useAsked } from "../ui/asked.ts";
import { LinkForm } from "./link-form.tsx";
import { LinkTable } from "./link-table.tsx";
import { tagsQuery, totalQuery } from "./link-queries.ts";
import type { LinkSearch } from "./link-search.ts";
import { LinksMenu } from "./links-menu.tsx";
import classes from "./links.module.css";

const SEARCH_DELAY_MS = 150;

export function LinksPage() {
  const { t } = useLingui();
  const search = useSearch({ from: "/inside/links" });
  const navigate = useNavigate({ from: "/links" });
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(search.q ?? "");
  const [edited, setEdited] = useState<Link | "new" | null>(null);
  const { data: total } = useQuery(totalQuery(search));
  const { data: tags = [] } = useQuery(tagsQuery);

  const change = (next: Partial<Record<keyof LinkSearch, unknown>>): void =>
    void navigate({
      search: (now) =>
        Object.fromEntries(
          Object.entries({ ...now, ...next }).filter(([, value]) => value !== undefined),
        ) as LinkSearch,
      replace: true,
    });
  const find = useDebouncedCallback((q: string) => change({ q: q === "" ? undefined : q }), SEARCH_DELAY_MS);

  useAsked("new-link", () => setEdited("new"));
  useHotkeys([
    ["/", () => field.current?.focus()],
    ["c", () => setEdited("new")],
  ]);

  return (
    <div className={classes["page"]}>
      <Group justify="space-between" wrap="nowrap" px="md" pt="md">
        <div>
          <Title order={1} size="h3">
            <Trans>Links</Trans>
          </Title>
          <Text size="sm" c="dimmed" aria-live="polite">
            {total !== undefined && <Plural value={total} one="# link" other="# links" />}
          </Text>
        </div>
        <Group gap="xs" wrap="nowrap">
          <LinksMenu search={search} />
          <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited("new")}>
            <Trans>New link</Trans>
          </Button>
        </Group>
      </Group>
      <Group px="md" py="sm" gap="xs">
        <TextInput
          ref={field}
          className={classes["search"]}
          leftSection={<IconSearch size={16} />}
          placeholder={t`Search code, target, title and note`}
          aria-label={t`Search links`}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            find(event.currentTarget.value);
          }}
          rightSection={
            text !== "" && (
              <CloseButton
                size="sm"
                aria-label={t`Clear the search`}
                onClick={() => {
                  setText("");
                  change({ q: undefined });
                  field.current?.focus();
                }}
              />
            )
          }
        />
        <SegmentedControl
          aria-label={t`State`}
          value={search.state ?? "all"}
          onChange={(state) => change({ state: state === "all" ? undefined : state })}
          data={[
            { value: "all", label: t`All` },
            { value: "active", label: t`Active` },
            { value: "expired", label: t`Expired` },
          ]}
        />
        {tags.length > 0 && (
          <Select
            w={180}
            searchable
            clearable
            limit={100}
            placeholder={t`Every tag`}
            aria-label={t`Tag`}
            value={search.tag?.[0] ?? null}
            onChange={(tag) => change({ tag: tag === null ? undefined : [tag] })}
            data={tags.map(({ tag }) => tag)}
          />
        )}
      </Group>
      <LinkTable search={search} onSort={(sort, order) => change({ sort, order })} onEdit={setEdited} />
      <LinkForm edited={edited} onClose={() => setEdited(null)} />
    </div>
  );
}

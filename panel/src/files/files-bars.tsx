import { Trans, useLingui } from "@lingui/react/macro";
import { Group, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { inTree } from "../ui/tree-names.ts";
import { TreeSelect } from "../auth/teams/tree-select.tsx";
import { Heading } from "../ui/heading.tsx";
import { Crumbs } from "./crumbs.tsx";
import type { FileSearch } from "./file-search.ts";
import classes from "./list/files.module.css";
import { NewEntry } from "./new-entry.tsx";
import { FilesSearch } from "./search-field.tsx";

type Props = ComponentProps<typeof Crumbs> &
  ComponentProps<typeof NewEntry> & {
    search: FileSearch;
    onSearch(q: string | undefined): void;
    /** Beside the search. */
    children: ReactNode;
  };

/** What adds to the folder, in whose tree it is and where, and the search. */
export function FilesBars({ search, path, team, onMove, onSearch, children, ...adding }: Props) {
  const { t } = useLingui();
  const navigate = useNavigate({ from: "/files" });
  return (
    <>
      <Group justify="space-between" wrap="nowrap" px="md" pt="md" mih={52}>
        <Heading>
          <Trans>Files</Trans>
        </Heading>
        <NewEntry team={team} {...adding} />
      </Group>
      <Group px="md" py="xs" gap="xs" justify="end">
        <TreeSelect
          team={team}
          mr="auto"
          own={t`My files`}
          onChange={(chosen) => void navigate({ search: inTree(chosen) })}
        />
        {search.q !== undefined ? (
          <Text size="sm" fw={600} flex="1 1 14rem" lh={2.5} truncate visibleFrom="sm">
            <Trans>Names with “{search.q}”</Trans>
          </Text>
        ) : (
          <Crumbs path={path} team={team} onMove={onMove} />
        )}
        <div className={classes["find"]}>
          <FilesSearch q={search.q} onSearch={onSearch} />
          {children}
        </div>
      </Group>
    </>
  );
}

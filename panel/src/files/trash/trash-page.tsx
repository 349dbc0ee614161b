import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Box, Button, Group, Stack, Text } from "@mantine/core";
import { IconArrowBackUp, IconTrash } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { TrashedEntry } from "../../base/api.ts";
import { formatBytes, formatTime } from "../../base/i18n.ts";
import { serverNow } from "../../base/server-clock.ts";
import { ConfirmButton } from "../../ui/forms/confirm-button.tsx";
import { DataList } from "../../ui/lists/data-list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { giveFocusBack } from "../../ui/focus-back.ts";
import { RowLabel } from "../../ui/lists/row-label.tsx";
import { LoadOn } from "../../ui/long/load-on.tsx";
import { LongRows } from "../../ui/long/long-rows.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { PagePath } from "../../ui/lists/page-path.tsx";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { refreshFiles, restoreEntry } from "../file-queries.ts";
import { KindIcon } from "../kind-icon.tsx";
import { TreeSelect } from "../../auth/teams/tree-select.tsx";
import { inTree } from "../../ui/tree-names.ts";
import { useTrees } from "../../auth/teams/trees.ts";
import { UsageBar } from "../usage-bar.tsx";
import { deleteForGood, emptyTrash, trashQuery } from "./trash-queries.ts";

const DAY_MS = 86_400_000;

export function TrashPage() {
  const { t } = useLingui();
  const { team } = useSearch({ from: "/inside/files/trash" });
  const navigate = useNavigate({ from: "/files/trash" });
  const mayChange = useTrees().mayChange(team);
  const list = useInfiniteQuery(trashQuery(team));
  const { data, error, refetch } = list;
  const items = data?.pages.flatMap((page) => page.data);
  return (
    <Stack p="md" gap="md">
      <PagePath to="/files" search={inTree(team)} name={t`Trash`}>
        <Trans>Files</Trans>
      </PagePath>
      <PageHead
        title={t`Trash`}
        sentence={t`You can put back anything in the trash. It still counts toward the space in use.`}
      >
        <TreeSelect
          team={team}
          own={t`My files`}
          onChange={(chosen) => void navigate({ search: inTree(chosen) })}
        />
        {mayChange && items !== undefined && items.length > 0 && (
          <ConfirmButton
            label={t`Empty the trash`}
            question={t`Delete everything in the trash for good? This can't be undone.`}
            run={() => emptyTrash(team)}
            list="files"
          />
        )}
      </PageHead>
      {items?.length !== 0 && (
        <Box mih={19}>
          <UsageBar team={team} />
        </Box>
      )}
      <DataList<TrashedEntry>
        long={{ Rows: LongRows, isMore: list.hasNextPage }}
        label={t`Trash`}
        items={items}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ kind, id }) => `${kind} ${id}`}
        empty={<Empty title={<Trans>The trash is empty.</Trans>} />}
        columns={[
          { title: t`Name`, cell: (item) => <Name item={item} /> },
          {
            title: t`Size`,
            isHidden: "medium",
            fit: "value",
            cell: ({ size }) => (size === null ? "" : formatBytes(size)),
          },
          {
            title: t`Deleted for good`,
            isHidden: "narrow",
            fit: "value",
            cell: (item) => <Leaves item={item} />,
          },
          { title: t`Actions`, fit: "actions", cell: (item) => mayChange && <Actions item={item} /> },
        ]}
      />
      <LoadOn list={list} />
    </Stack>
  );
}

function Name({ item }: { item: TrashedEntry }) {
  const { t } = useLingui();
  return (
    <Group gap="sm" wrap="nowrap">
      <KindIcon entry={{ kind: item.kind, mime_type: null }} size={20} />
      <div>
        <Text size="sm" fw={500}>
          <bdi>{item.name}</bdi>
        </Text>
        <Text size="xs" c="dimmed">
          <Text span size="xs" hiddenFrom="sm">
            <DaysLeft item={item} />
            {" · "}
          </Text>
          {item.path === null ? (
            <Trans>Its folder is gone; it returns to the root.</Trans>
          ) : (
            <bdi>{[t`All files`, ...item.path.map(({ name }) => name)].join(" / ")}</bdi>
          )}
        </Text>
      </div>
    </Group>
  );
}

const daysLeft = (item: TrashedEntry): number =>
  Math.max(0, Math.ceil((Date.parse(item.expires_at) - serverNow()) / DAY_MS));

function DaysLeft({ item }: { item: TrashedEntry }) {
  const { t } = useLingui();
  const time = formatTime(item.expires_at);
  const days = daysLeft(item);
  return (
    <span title={t`Deleted for good ${time}`}>
      <Plural value={days} one="# day left" other="# days left" />
    </span>
  );
}

function Leaves({ item }: { item: TrashedEntry }) {
  const days = daysLeft(item);
  return (
    <span title={formatTime(item.expires_at)}>
      <Plural value={days} one="in # day" other="in # days" />
    </span>
  );
}

function Actions({ item }: { item: TrashedEntry }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const restore = useMutation({
    mutationFn: () => restoreEntry(item),
    async onSuccess() {
      await refreshFiles(queries);
      giveFocusBack();
    },
    onError,
  });
  return (
    <Group gap={4} justify="end" wrap="nowrap">
      <Button
        size="compact-sm"
        variant="default"
        loading={restore.isPending}
        aria-label={t`Put back: ${item.name}`}
        onClick={() => restore.mutate()}
      >
        <RowLabel Icon={IconArrowBackUp}>
          <Trans>Put back</Trans>
        </RowLabel>
      </Button>
      <ConfirmButton
        label={t`Delete`}
        Icon={IconTrash}
        of={item.name}
        question={t`Delete ${item.name} for good? This can't be undone.`}
        run={() => deleteForGood(item)}
        list="files"
      />
    </Group>
  );
}

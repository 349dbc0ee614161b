import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Stack, Text } from "@mantine/core";
import { useThrottledCallback } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconInbox, IconPlus } from "@tabler/icons-react";
import { keepPreviousData, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Share } from "../base/api.ts";
import { accountQuery } from "../auth/account.ts";
import { inTree } from "../ui/tree-names.ts";
import { useTrees } from "../auth/teams/trees.ts";
import { ButtonLink } from "../ui/button-link.tsx";
import { Dialog } from "../ui/dialogs/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { useShortcuts } from "../ui/keys/page-keys.ts";
import { hinted } from "../ui/keys/shortcuts.ts";
import { PageHead } from "../ui/page-head.tsx";
import { useDropEvents } from "../files/drop-events.ts";
import { EndShare } from "./end-share.tsx";
import { ShareFilters } from "./list/share-filters.tsx";
import type { ShareAction } from "./list/share-menu.tsx";
import { refreshShares, sharesQuery } from "./share-queries.ts";
import type { ShareSearch } from "./share-search.ts";
import { ShareQr } from "./share-qr.tsx";
import { ShareTable } from "./list/share-table.tsx";

const REFRESH_MS = 1_000;

export function SharesPage() {
  const { t } = useLingui();
  const search = useSearch({ from: "/inside/shares" });
  const navigate = useNavigate({ from: "/shares" });
  const queries = useQueryClient();
  const { data: account } = useSuspenseQuery(accountQuery);
  const [ended, setEnded] = useState<Share | null>(null);
  const [drawn, setDrawn] = useState<Share | null>(null);
  const { data } = useQuery({ ...sharesQuery(search, 0), placeholderData: keepPreviousData });
  const total = data?.total;
  const isNarrowed = search.q !== undefined || search.kind !== undefined || search.state !== undefined;

  const change = (next: Partial<Record<keyof ShareSearch, unknown>>): void =>
    void navigate({
      search: (now) =>
        Object.fromEntries(
          Object.entries({ ...now, ...next }).filter(([, value]) => value !== undefined),
        ) as ShareSearch,
      // Back undoes a choice, but not typing.
      replace: "q" in next,
    });
  const mayChange = useTrees().mayChange(search.team);
  const create = () => void navigate({ to: "/shares/new", search: inTree(search.team) });
  const refresh = useThrottledCallback(() => void refreshShares(queries), REFRESH_MS);
  useDropEvents(({ name, code, sender_name: sender }) => {
    refresh();
    notifications.show({
      title: code === undefined ? t`A file came in` : t`A file came into ${code}`,
      message: sender === null ? name : t`${name} from ${sender}`,
    });
  }, refresh);
  useShortcuts(mayChange ? { new: create } : {});
  const choose = (action: ShareAction, share: Share): void => {
    if (action === "end") setEnded(share);
    else if (action === "qr") setDrawn(share);
    else void navigate({ to: "/share/$", params: { _splat: share.code }, search: inTree(search.team) });
  };

  return (
    <Stack p="md" gap="md">
      <PageHead
        title={t`Shares`}
        sentence={t`Files and folders under short links, and drop boxes for others’ files.`}
      >
        {mayChange && (
          <>
            <ButtonLink
              to="/shares/new"
              search={{ ...inTree(search.team), drop: true }}
              variant="default"
              leftSection={<IconInbox size={16} />}
            >
              <Trans>New drop box</Trans>
            </ButtonLink>
            <Button leftSection={<IconPlus size={16} />} {...hinted(t`New share`, "new")} onClick={create}>
              <Trans>New share</Trans>
            </Button>
          </>
        )}
      </PageHead>
      <ShareFilters search={search} maySeeAll={account.role === "admin"} onChange={change} />
      <Text size="sm" c="dimmed" aria-live="polite" mih={20}>
        {total !== undefined && <Plural value={total} one="# share" other="# shares" />}
      </Text>
      <ShareTable
        search={search}
        account={account}
        onSort={(sort, order) => change({ sort, order })}
        onChoose={choose}
        empty={
          isNarrowed ? (
            <Empty
              title={<Trans>No share matches.</Trans>}
              sentence={<Trans>Change the search or the filters.</Trans>}
            />
          ) : (
            <Empty
              title={<Trans>There are no shares yet.</Trans>}
              sentence={<Trans>Share a file or a folder, or open a drop box for the files of others.</Trans>}
            >
              {mayChange && (
                <Button onClick={create}>
                  <Trans>Create the first share</Trans>
                </Button>
              )}
            </Empty>
          )
        }
      />
      {drawn !== null && (
        <Dialog title={t`QR code`} isOpen onClose={() => setDrawn(null)}>
          <ShareQr share={drawn} />
        </Dialog>
      )}
      <EndShare share={ended} account={account.id} onClose={() => setEnded(null)} />
    </Stack>
  );
}

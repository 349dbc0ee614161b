import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Stack, Text } from "@mantine/core";
import { useThrottledCallback } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconPlus } from "@tabler/icons-react";
import { keepPreviousData, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Share } from "../base/api.ts";
import { accountQuery } from "../auth/account.ts";
import { lazyPart } from "../base/lazy.ts";
import { useTrees } from "../auth/teams/trees.ts";
import { usePageRequest } from "../ui/dialogs/page-request.ts";
import { Empty } from "../ui/empty.tsx";
import { useShortcuts } from "../ui/keys/page-keys.ts";
import { hinted } from "../ui/keys/shortcuts.ts";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { useDropEvents } from "./drop-events.ts";
import { ShareDialog } from "./share-dialog.tsx";
import { ShareFilters } from "./list/share-filters.tsx";
import type { ShareAction } from "./list/share-menu.tsx";
import { refreshShares, type SharedItem, shareQuery, sharesQuery } from "./share-queries.ts";
import type { ShareSearch } from "./share-search.ts";
import { ShareTable } from "./list/share-table.tsx";
import type { ShareSubject } from "./form/share-values.ts";

const ShareOverlays = lazyPart(async () => (await import("./share-overlays.tsx")).ShareOverlays);

/** Of `file 7 name`. */
function itemOf(text: string): SharedItem | null {
  const [, kind, id, name] = /^(file|folder) (\d+) (.*)$/s.exec(text) ?? [];
  return kind === "file" || kind === "folder" ? { kind, id: Number(id), name: name! } : null;
}

const REFRESH_MS = 1_000;

export function SharesPage() {
  const { t } = useLingui();
  const { box, ...search } = useSearch({ from: "/inside/shares" });
  const navigate = useNavigate({ from: "/shares" });
  const queries = useQueryClient();
  const { data: account } = useSuspenseQuery(accountQuery);
  const [subject, setSubject] = useState<ShareSubject | null>(null);
  const [scanned, setScanned] = useState<Share | null>(null);
  const [ended, setEnded] = useState<Share | null>(null);
  // Loaded with the first that opens, and kept, so that closing gives the focus back.
  const [isOverlaid, setIsOverlaid] = useState(false);
  const isRequested = scanned !== null || ended !== null || box !== undefined;
  if (isRequested && !isOverlaid) setIsOverlaid(true);
  const { data } = useQuery({ ...sharesQuery(search, 0), placeholderData: keepPreviousData });
  const total = data?.total;
  const isNarrowed = search.q !== undefined || search.kind !== undefined || search.state !== undefined;

  const change = (next: Partial<Record<keyof ShareSearch, unknown>>): void =>
    void navigate({
      search: (now) =>
        Object.fromEntries(
          Object.entries({ ...now, ...next }).filter(([, value]) => value !== undefined),
        ) as ShareSearch,
      // Back undoes a choice, but neither typing nor, as its dialog goes, that of a drop box.
      replace: "q" in next || "box" in next,
      // A drop box opens beside the list.
      resetScroll: !("box" in next),
    });
  const mayChange = useTrees().mayChange(search.team);
  const create = () => setSubject({ form: "new", item: null });
  const refresh = useThrottledCallback(() => void refreshShares(queries), REFRESH_MS);
  useDropEvents(({ name, code, sender_name: sender }) => {
    refresh();
    // Its list shows the file.
    if (code !== undefined && code === box) return;
    notifications.show({
      title: code === undefined ? t`A file came in` : t`A file came into ${code}`,
      message: sender === null ? name : t`${name} from ${sender}`,
    });
  }, refresh);
  usePageRequest("new-share", (_, about) => setSubject({ form: "new", item: itemOf(about) }));
  const chooseRequested = (action: ShareAction) => (_: string, code: string) =>
    void queries.fetchQuery(shareQuery(code)).then(
      (share) => choose(action, share),
      () => {},
    );
  usePageRequest("edit", chooseRequested("edit"));
  usePageRequest("qr", chooseRequested("qr"));
  useShortcuts(mayChange ? { new: create } : {});

  function closeOverlays(): void {
    setScanned(null);
    setEnded(null);
    if (box !== undefined) change({ box: undefined });
  }
  function choose(action: ShareAction, share: Share): void {
    if (action === "edit") setSubject({ form: "edit", share });
    if (action === "qr") setScanned(share);
    if (action === "end") setEnded(share);
    if (action === "received") change({ box: share.code });
  }

  return (
    <Stack p="md" gap="md">
      <PageHead
        title={t`Shares`}
        sentence={t`Files and folders under short links, and drop boxes for others’ files.`}
      >
        {mayChange && (
          <Button leftSection={<IconPlus size={16} />} {...hinted(t`New share`, "new")} onClick={create}>
            <Trans>New share</Trans>
          </Button>
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
      <ShareDialog subject={subject} team={search.team} onClose={() => setSubject(null)} />
      {isOverlaid && (
        <LazyDialog isOpen={isRequested} onClose={closeOverlays}>
          <ShareOverlays
            scanned={scanned}
            onScanned={() => setScanned(null)}
            box={box}
            onBox={() => change({ box: undefined })}
            ended={ended}
            onEnded={() => setEnded(null)}
            account={account.id}
          />
        </LazyDialog>
      )}
    </Stack>
  );
}

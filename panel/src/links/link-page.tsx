import { Trans, useLingui } from "@lingui/react/macro";
import { Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useRef, useState } from "react";
import { ApiError, type Link } from "../base/api.ts";
import { lazyOrFailure } from "../base/lazy.ts";
import { LinkNumbers } from "../clicks/link-numbers.tsx";
import { Missing } from "../ui/failure.tsx";
import { useIsThere } from "../ui/notices/late-answer.ts";
import { LoadFailure } from "../ui/load-failure.tsx";
import { LinkHead } from "./link-head.tsx";
import { linkQuery, listedLink } from "./link-queries.ts";
import classes from "./link.module.css";
import { type LinkTab, readLinkTab } from "./link-tab.ts";

const LinkSettings = lazyOrFailure(async () => (await import("./settings/link-settings.tsx")).LinkSettings);
const LinkHistory = lazyOrFailure(async () => (await import("./link-history.tsx")).LinkHistory);

/** What stands at the left, and on phones above the rest. */
const LEFT_PX = 560;
/** The first part of the right. */
const RIGHT_PX = 490;

export function LinkPage() {
  const { _splat: code = "" } = useParams({ from: "/inside/link/$" });
  const { domain, tab, ...report } = useSearch({ from: "/inside/link/$" });
  const { t } = useLingui();
  const navigate = useNavigate({ from: "/link/$" });
  const queries = useQueryClient();
  const [wantsEdit, setWantsEdit] = useState(false);
  const place = { code, domain };
  const {
    data: link,
    error,
    refetch,
  } = useQuery({
    ...linkQuery(place),
    placeholderData: () => listedLink(queries, place),
  });
  const isThere = useIsThere();
  const shown = useRef("");
  shown.current = nameOf({ code, domain: domain ?? null });
  /** If another link is shown when the answer arrives, that one stays. */
  const isShown = (one: Link): boolean => isThere() && nameOf(one) === shown.current;

  /** A link that is given another code stays in place, with the focus. Any other link starts anew. */
  const firstNames = useRef(new Map<string, string>());
  const keyOf = (one: Link): string => firstNames.current.get(nameOf(one)) ?? nameOf(one);

  const show = async (saved: Link, before: Link): Promise<void> => {
    firstNames.current.set(nameOf(saved), keyOf(before));
    queries.setQueryData(linkQuery({ code: saved.code, domain: saved.domain ?? undefined }).queryKey, saved);
    if (!isShown(before)) return;
    const search = {
      ...report,
      ...(tab !== undefined && { tab }),
      ...(saved.domain !== null && { domain: saved.domain }),
    };
    await navigate({
      to: "/link/$",
      params: { _splat: saved.code },
      search,
      replace: true,
      resetScroll: false,
    });
  };

  const showTab = (next: LinkTab | undefined): void =>
    void navigate({
      search: { ...report, ...(domain !== undefined && { domain }), ...(next && { tab: next }) },
      resetScroll: false,
    });
  function edit(): void {
    if (tab !== undefined) showTab(undefined);
    setWantsEdit(true);
  }

  if (error instanceof ApiError && error.status === 404) return <Missing sentence={error.message} />;
  if (error !== null && link === undefined) {
    return <LoadFailure error={error} onRetry={() => void refetch()} m="md" />;
  }
  return (
    <Stack p="md" gap="md">
      {link ? (
        <LinkHead link={link} onEdit={edit} mayChange={domain === undefined} />
      ) : (
        <Skeleton className={classes["head"]!} maw={480} />
      )}
      <Tabs value={tab ?? "link"} keepMounted={false} onChange={(next) => showTab(readLinkTab(next))}>
        <Tabs.List mb="md" aria-label={t`Parts of the link`}>
          <Tabs.Tab value="link">
            <Trans>Link</Trans>
          </Tabs.Tab>
          <Tabs.Tab value="history">
            <Trans>History</Trans>
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="link" className={classes["thing"]!}>
          <div className={classes["what"]}>
            {link ? (
              <Suspense fallback={<Skeleton height={LEFT_PX} />}>
                <LinkSettings
                  key={keyOf(link)}
                  link={link}
                  wantsEdit={wantsEdit}
                  onEdit={() => setWantsEdit(false)}
                  onSaved={show}
                  onDeleted={async (deleted) => {
                    if (isShown(deleted)) await navigate({ to: "/links", search: {} });
                  }}
                />
              </Suspense>
            ) : (
              <Skeleton height={LEFT_PX} />
            )}
          </div>
          <div className={classes["happened"]}>
            {link ? (
              <LinkNumbers
                place={place}
                search={report}
                onChange={(next, isMore = false) =>
                  void navigate({
                    search: { ...next, ...(domain && { domain }) },
                    replace: isMore,
                    resetScroll: false,
                  })
                }
              />
            ) : (
              <Skeleton height={RIGHT_PX} />
            )}
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <Suspense fallback={<Skeleton height={LEFT_PX} />}>
            <LinkHistory place={place} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

const nameOf = ({ code, domain }: Pick<Link, "code" | "domain">): string => `${domain ?? ""}/${code}`;

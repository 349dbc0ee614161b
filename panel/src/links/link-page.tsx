import { Trans } from "@lingui/react/macro";
import { Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useRef, useState } from "react";
import { ApiError, type Link } from "../base/api.ts";
import { lazyOrFailure, lazyPart } from "../base/lazy.ts";
import { LinkNumbers } from "../clicks/link-numbers.tsx";
import { Missing } from "../ui/failure.tsx";
import { useIsThere } from "../ui/notices/late-answer.ts";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";
import { LoadFailure } from "../ui/load-failure.tsx";
import { LinkHead } from "./link-head.tsx";
import { linkQuery, listedLink } from "./link-queries.ts";
import type { LinkTab } from "./link-tab.ts";

const LinkForm = lazyPart(async () => (await import("./link-form.tsx")).LinkForm);

const SettingsTab = lazyOrFailure(async () => (await import("./settings-tab.tsx")).SettingsTab);
const LinkHistory = lazyOrFailure(async () => (await import("./link-history.tsx")).LinkHistory);

/** Above the tabs. */
const HEAD_PX = 110;
/** The first part of a tab. */
const TAB_PX = 490;

export function LinkPage() {
  const { _splat: code = "" } = useParams({ from: "/inside/link/$" });
  const { domain, tab, ...report } = useSearch({ from: "/inside/link/$" });
  const navigate = useNavigate({ from: "/link/$" });
  const queries = useQueryClient();
  const [form, setForm] = useState<"open" | "closed" | null>(null);
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

  const show = (saved: Link, before: Link): void => {
    queries.setQueryData(linkQuery({ code: saved.code, domain: saved.domain ?? undefined }).queryKey, saved);
    if (!isShown(before)) return;
    const search = {
      ...report,
      ...(tab !== undefined && { tab }),
      ...(saved.domain !== null && { domain: saved.domain }),
    };
    void navigate({
      to: "/link/$",
      params: { _splat: saved.code },
      search,
      replace: true,
      resetScroll: false,
    });
  };

  if (error instanceof ApiError && error.status === 404) return <Missing sentence={error.message} />;
  if (error !== null && link === undefined) {
    return <LoadFailure error={error} onRetry={() => void refetch()} m="md" />;
  }
  return (
    <Stack p="md" gap="md">
      {link ? (
        <LinkHead link={link} onEdit={() => setForm("open")} mayChange={domain === undefined} />
      ) : (
        <Skeleton height={HEAD_PX} maw={480} />
      )}
      {link ? (
        <Tabs
          value={tab ?? "clicks"}
          keepMounted={false}
          onChange={(next) =>
            void navigate({
              search: {
                ...report,
                ...(domain !== undefined && { domain }),
                ...(next !== "clicks" && { tab: next as LinkTab }),
              },
              resetScroll: false,
            })
          }
        >
          <Tabs.List mb="sm">
            <Tabs.Tab value="clicks">
              <Trans>Clicks</Trans>
            </Tabs.Tab>
            <Tabs.Tab value="settings">
              <Trans>Settings</Trans>
            </Tabs.Tab>
            <Tabs.Tab value="history">
              <Trans>History</Trans>
            </Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="clicks">
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
          </Tabs.Panel>
          <Suspense fallback={<Skeleton height={TAB_PX} />}>
            <Tabs.Panel value="settings">
              <SettingsTab
                link={link}
                onSaved={show}
                onDeleted={(deleted) => void (isShown(deleted) && navigate({ to: "/links", search: {} }))}
              />
            </Tabs.Panel>
            <Tabs.Panel value="history">
              <LinkHistory place={place} />
            </Tabs.Panel>
          </Suspense>
        </Tabs>
      ) : (
        <Skeleton height={TAB_PX} />
      )}
      {form !== null && (
        <LazyDialog isOpen={form === "open"} onClose={() => setForm("closed")}>
          <LinkForm
            edited={form === "open" && link ? link : null}
            onClose={() => setForm("closed")}
            onSaved={show}
          />
        </LazyDialog>
      )}
    </Stack>
  );
}

const nameOf = ({ code, domain }: Pick<Link, "code" | "domain">): string => `${domain ?? ""}/${code}`;

import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Anchor, Badge, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconCheck, IconCopy, IconPencil } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { ApiError, type Link } from "../base/api.ts";
import { formatNumber, formatTime } from "../base/i18n.ts";
import { lazyPart } from "../base/lazy.ts";
import { LinkNumbers } from "../clicks/link-numbers.tsx";
import { LinkMore } from "../shares/link-more.tsx";
import { useCopy } from "../ui/copy-state.ts";
import { Missing } from "../ui/failure.tsx";
import { Heading } from "../ui/heading.tsx";
import { useIsThere } from "../ui/late-answer.ts";
import { LazyDialog } from "../ui/lazy-dialog.tsx";
import { LoadFailure } from "../ui/load-failure.tsx";
import { LinkHistory } from "./link-history.tsx";
import { LinkQr } from "./link-qr.tsx";
import { linkQuery, listedLink } from "./link-queries.ts";
import { RulesRow } from "./rules/rules-row.tsx";
import { LinkSettings } from "./settings/link-settings.tsx";
import { isAddress, TargetUse } from "./target-use.tsx";

const LinkForm = lazyPart(async () => (await import("./link-form.tsx")).LinkForm);

/** A line of facts. */
const FACTS_PX = 28;
/** The chart of the clicks with its controls. */
const NUMBERS_PX = 490;

export function LinkPage() {
  const { _splat: code = "" } = useParams({ from: "/inside/link/$" });
  const { domain, ...report } = useSearch({ from: "/inside/link/$" });
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
    const search = { ...report, ...(saved.domain !== null && { domain: saved.domain }) };
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
      <Group justify="space-between" align="start">
        {link ? <Address link={link} /> : <Skeleton height={52} width={280} />}
        <Group gap="xs">
          <LinkQr link={link} />
          <Button
            variant="default"
            leftSection={<IconPencil size={16} />}
            onClick={() => setForm("open")}
            disabled={!link}
          >
            <Trans>Edit</Trans>
          </Button>
          <LinkMore link={link} mayChange={domain === undefined} />
        </Group>
      </Group>
      {link ? <Facts link={link} /> : <Skeleton height={FACTS_PX} maw={360} />}
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
        >
          <LinkSettings
            link={link}
            onSaved={show}
            onDeleted={(deleted) => void (isShown(deleted) && navigate({ to: "/links", search: {} }))}
          >
            <RulesRow link={link} onSaved={show} />
          </LinkSettings>
          <LinkHistory place={place} />
        </LinkNumbers>
      ) : (
        <Skeleton height={NUMBERS_PX} />
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

function Address({ link }: { link: Link }) {
  const { t } = useLingui();
  const { isCopied, copy } = useCopy(link.short_url);
  return (
    <div style={{ flex: "1 1 16rem", minWidth: 0 }}>
      <Group gap={6} wrap="nowrap">
        <Heading>{link.short_url.replace(/^https?:\/\//, "")}</Heading>
        <ActionIcon
          variant="subtle"
          color={isCopied ? "green" : "gray"}
          aria-label={isCopied ? t`Copied` : t`Copy ${link.short_url}`}
          title={isCopied ? t`Copied` : t`Copy`}
          onClick={copy}
        >
          {isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Group>
      {isAddress(link.target) ? (
        <Anchor
          href={link.target}
          target="_blank"
          rel="noreferrer noopener"
          size="sm"
          c="dimmed"
          lineClamp={3}
          style={{ overflowWrap: "anywhere" }}
        >
          {link.target}
        </Anchor>
      ) : (
        <Text size="sm" c="dimmed">
          <TargetUse target={link.target} />
        </Text>
      )}
    </div>
  );
}

function Facts({ link }: { link: Link }) {
  return (
    <Group gap="xs" mih={FACTS_PX}>
      {link.title !== null && (
        <Text fw={600} dir="auto" miw={0} style={{ overflowWrap: "anywhere" }}>
          {link.title}
        </Text>
      )}
      {link.tags.map((tag) => (
        <Badge key={tag} variant="default" tt="none" maw={200}>
          {tag}
        </Badge>
      ))}
      {link.expires_at !== null && (
        <Badge variant="light" color="gray" tt="none">
          <Trans>Expires {formatTime(link.expires_at)}</Trans>
        </Badge>
      )}
      {link.max_clicks !== null && (
        <Badge variant="light" color="gray" tt="none">
          <Trans>Max. {formatNumber(link.max_clicks)} visitors</Trans>
        </Badge>
      )}
      <Text size="sm" c="dimmed">
        <Trans>
          {formatNumber(link.human_clicks)} human clicks, {formatNumber(link.click_count)} in total
        </Trans>
      </Text>
    </Group>
  );
}

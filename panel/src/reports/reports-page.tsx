import { Trans, useLingui } from "@lingui/react/macro";
import { Box, Button, Group, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { ReportMail, ReportPage } from "../base/api.ts";
import { formatDate, formatTime } from "../base/i18n.ts";
import { hasRoom } from "../base/place.ts";
import { Empty } from "../ui/empty.tsx";
import { ConfirmButton } from "../ui/forms/confirm-button.tsx";
import { SideForm } from "../ui/forms/side-form.tsx";
import { DataList } from "../ui/lists/data-list.tsx";
import { Parts } from "../ui/lists/parts.tsx";
import { LoadOn } from "../ui/long/load-on.tsx";
import { LongRows } from "../ui/long/long-rows.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { StateBadge } from "../ui/state-badge.tsx";
import { useIntervalNames } from "./interval-names.ts";
import { ReportAddress } from "./report-address.tsx";
import { ReportFilterText } from "./report-filter-text.tsx";
import { ReportForm } from "./report-form.tsx";
import { ReportMailForm } from "./report-mail-form.tsx";
import { endReport, endReportMail, reportMailsQuery, reportPagesQuery } from "./report-queries.ts";
import { filterOfNew } from "./report-search.ts";

/** Pages with figures for people without an account, and their mails. */
export function ReportPagesPage() {
  const { t } = useLingui();
  const search = useSearch({ from: "/inside/analytics/pages" });
  const navigate = useNavigate({ from: "/analytics/pages" });
  const [edited, setEdited] = useState<ReportPage | null>(null);
  const [mailed, setMailed] = useState<{ page: ReportPage | null; mail: ReportMail | null } | null>(null);
  const list = useInfiniteQuery(reportPagesQuery);
  const { make, days, from, to } = search;
  const start = {
    filter: filterOfNew(search),
    ...(days !== undefined && { days }),
    ...(from !== undefined && to !== undefined && { from, to }),
  };
  const isMaking = make === true;
  const open = () => void navigate({ search: { make: true } });
  const close = () => {
    setEdited(null);
    if (isMaking) void navigate({ search: {}, replace: true });
  };
  return (
    <Stack p="md" gap="md">
      <PageHead
        title={t`Report pages`}
        sentence={t`Figures for people without an account, by a short URL or by mail.`}
      >
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          <Trans>New report page</Trans>
        </Button>
      </PageHead>
      <DataList<ReportPage>
        long={{ Rows: LongRows, isMore: list.hasNextPage }}
        label={t`Report pages`}
        items={list.data?.pages.flatMap((page) => page.data)}
        error={list.error}
        onRetry={() => void list.refetch()}
        keyOf={({ id }) => id}
        onOpen={setEdited}
        empty={
          <Empty
            title={<Trans>There are no report pages yet.</Trans>}
            sentence={
              <Trans>
                A report page shows clicks, sites, campaigns and places to whoever has its short URL.
              </Trans>
            }
          />
        }
        columns={[
          { title: t`Title`, cell: (report) => <ReportTitle report={report} /> },
          {
            title: t`Short URL`,
            isHidden: "narrow",
            cell: ({ short_url }) => <ReportAddress address={short_url} />,
          },
          {
            title: t`Actions`,
            fit: "actions",
            cell: (report) => (
              <Group gap={4} justify="end">
                {hasRoom("mail") && report.days !== null && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={t`Send ${report.title ?? report.code} by mail`}
                    onClick={() => setMailed({ page: report, mail: null })}
                  >
                    <Trans>Send by mail</Trans>
                  </Button>
                )}
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={t`Edit ${report.title ?? report.code}`}
                  onClick={() => setEdited(report)}
                >
                  <Trans>Edit</Trans>
                </Button>
                <ConfirmButton
                  label={t`End`}
                  of={report.title ?? report.code}
                  question={t`Its short URL leads nowhere then, and its mails end.`}
                  list="report pages"
                  run={() => endReport(report)}
                />
              </Group>
            ),
          },
        ]}
      />
      <LoadOn list={list} />
      {hasRoom("mail") && <ReportMails onEdit={(mail) => setMailed({ page: null, mail })} />}
      <SideForm
        title={edited === null ? t`New report page` : t`Edit ${edited.title ?? edited.code}`}
        isOpen={edited !== null || isMaking}
        onClose={close}
      >
        <ReportForm key={edited?.id ?? "new"} report={edited} start={start} onClose={close} />
      </SideForm>
      <SideForm
        title={t`Report by mail: ${mailed?.page?.title ?? mailed?.mail?.title ?? ""}`}
        isOpen={mailed !== null}
        onClose={() => setMailed(null)}
      >
        {mailed !== null && <ReportMailForm {...mailed} onClose={() => setMailed(null)} />}
      </SideForm>
    </Stack>
  );
}

function ReportTitle({ report }: { report: ReportPage }) {
  const { t } = useLingui();
  const { title, code, filter, days, from, to, paused, password, expires_at: end } = report;
  const range = days === null ? `${formatDate(from!)} – ${formatDate(to!)}` : t`Last ${days} days`;
  const facts = [
    range,
    ...(password === null ? [] : [t`with a password`]),
    ...(end === null ? [] : [t`until ${formatTime(end)}`]),
  ];
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
          {title ?? code}
        </Text>
        {paused && <StateBadge tone="bad">{t`Paused: its owner has changed`}</StateBadge>}
      </Group>
      <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        <Parts>
          <ReportFilterText filter={filter} />
          {facts}
        </Parts>
      </Text>
      <Box hiddenFrom="sm">
        <ReportAddress address={report.short_url} />
      </Box>
    </>
  );
}

function ReportMails({ onEdit }: { onEdit(mail: ReportMail): void }) {
  const { t } = useLingui();
  const names = useIntervalNames();
  const list = useInfiniteQuery(reportMailsQuery);
  const mails = list.data?.pages.flatMap((page) => page.data);
  if (mails === undefined || mails.length === 0) return null;
  return (
    <>
      <Text component="h2" fw={600} mt="md">
        <Trans>By mail</Trans>
      </Text>
      <DataList<ReportMail>
        long={{ Rows: LongRows, isMore: list.hasNextPage }}
        label={t`Reports by mail`}
        items={mails}
        error={list.error}
        onRetry={() => void list.refetch()}
        keyOf={({ id }) => id}
        onOpen={onEdit}
        empty={null}
        columns={[
          {
            title: t`Report page`,
            cell: (mail) => (
              <>
                <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
                  {mail.title}
                </Text>
                <Text size="xs" c="dimmed">
                  {names[mail.every]}, {mail.at} · {t`next: ${formatTime(mail.next_at)}`}
                </Text>
                <Readers mail={mail} />
              </>
            ),
          },
          {
            title: t`Actions`,
            fit: "actions",
            cell: (mail) => (
              <Group gap={4} justify="end">
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={t`Edit the mail of ${mail.title ?? ""}`}
                  onClick={() => onEdit(mail)}
                >
                  <Trans>Edit</Trans>
                </Button>
                <ConfirmButton
                  label={t`End`}
                  of={mail.title ?? ""}
                  question={t`Nobody gets this mail any more. The page stays.`}
                  list="report pages"
                  run={() => endReportMail(mail)}
                />
              </Group>
            ),
          },
        ]}
      />
      <LoadOn list={list} />
    </>
  );
}

function Readers({ mail: { readers } }: { mail: ReportMail }) {
  const { t } = useLingui();
  const states = { waiting: t`not confirmed yet`, active: "", ended: t`ended by the reader` };
  return (
    <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
      {readers
        .map(({ email, state }) => (states[state] === "" ? email : `${email} (${states[state]})`))
        .join(", ")}
    </Text>
  );
}

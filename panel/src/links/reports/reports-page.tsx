import { Trans, useLingui } from "@lingui/react/macro";
import { Button, SegmentedControl, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { VisitorReport } from "../../base/api.ts";
import { formatTime } from "../../base/i18n.ts";
import { SettingLink } from "../../config/setting-link.tsx";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { CodeName } from "../../ui/code-name.tsx";
import { DataList } from "../../ui/lists/data-list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { LoadOn } from "../../ui/long/load-on.tsx";
import { LongRows } from "../../ui/long/long-rows.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { PagePath } from "../../ui/lists/page-path.tsx";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { refreshLinks } from "../link-queries.ts";
import { TargetUse } from "../../ui/lists/target-use.tsx";
import { reportsQuery, resolveReport } from "./report-queries.ts";

/** What visitors report, for administrators. */
export function ReportsPage() {
  const { t } = useLingui();
  const [state, setState] = useState<"open" | "resolved">("open");
  const list = useInfiniteQuery(reportsQuery(state));
  const { data, error, refetch } = list;
  const reasons: Record<VisitorReport["reason"], string> = {
    phishing: t`Steals passwords or data`,
    malware: t`Spreads malware`,
    spam: t`Spam`,
    illegal: t`Illegal content`,
    other: t`Something else`,
  };
  const setting = <SettingLink settingKey="features.report_links" />;
  return (
    <Stack p="md" gap="md">
      <PagePath to="/links" search={{}} name={t`Reports`}>
        <Trans>Links</Trans>
      </PagePath>
      <PageHead
        title={t`Reports`}
        sentence={<Trans>Links that visitors have reported. Turn this on or off: {setting}.</Trans>}
      />
      <SegmentedControl
        aria-label={t`State`}
        style={{ alignSelf: "start" }}
        value={state}
        onChange={(next) => setState(next === "resolved" ? "resolved" : "open")}
        data={[
          { value: "open", label: t({ message: "Open", context: "not resolved" }) },
          { value: "resolved", label: t`Resolved` },
        ]}
      />
      <DataList<VisitorReport>
        long={{ Rows: LongRows, isMore: list.hasNextPage }}
        label={t`Reports`}
        items={data?.pages.flatMap((page) => page.data)}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        empty={<Empty title={<Trans>No reports.</Trans>} />}
        columns={[
          { title: t`Link`, cell: (report) => <Reported report={report} /> },
          {
            title: t`Reason`,
            cell: ({ reason, details, at }) => (
              <>
                <Text size="sm">{reasons[reason]}</Text>
                {details !== null && (
                  <Text size="sm" c="dimmed" dir="auto" style={{ overflowWrap: "anywhere" }}>
                    {details}
                  </Text>
                )}
                <Text size="xs" c="dimmed">
                  {formatTime(at)}
                </Text>
              </>
            ),
          },
          {
            title: state === "open" ? t`Actions` : t`Resolved`,
            fit: state === "open" ? "actions" : "value",
            cell: (report) =>
              report.resolved_at === null ? (
                <Resolve report={report} />
              ) : (
                [formatTime(report.resolved_at), report.resolved_by].filter(Boolean).join(" · ")
              ),
          },
        ]}
      />
      <LoadOn list={list} />
    </Stack>
  );
}

const Reported = ({ report: { code, domain, target } }: { report: VisitorReport }) => (
  <>
    <AnchorLink to="/link/$" params={{ _splat: code }} search={domain === null ? {} : { domain }} size="sm">
      <CodeName code={code} domain={domain} wraps />
    </AnchorLink>
    <Text size="sm" c="dimmed" lineClamp={2} dir="auto">
      <TargetUse target={target} />
    </Text>
  </>
);

function Resolve({ report }: { report: VisitorReport }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const resolve = useMutation({
    mutationFn: (action: "dismiss" | "take_down") => resolveReport(report.id, action),
    onSuccess: () => refreshLinks(queries),
    onError,
  });
  const { code } = report;
  return (
    <Stack gap={4} align="stretch">
      <Button
        size="compact-sm"
        variant="default"
        loading={resolve.isPending}
        aria-label={t`Dismiss the report of ${code}`}
        onClick={() => resolve.mutate("dismiss")}
      >
        <Trans>Dismiss</Trans>
      </Button>
      {report.held?.state !== "taken_down" && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          disabled={resolve.isPending}
          aria-label={t`Take ${code} down`}
          onClick={() => resolve.mutate("take_down")}
        >
          <Trans>Take down</Trans>
        </Button>
      )}
    </Stack>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Heading } from "../ui/heading.tsx";
import { CompareLinks } from "./compare-links.tsx";
import { ExportMenu } from "./export/export-menu.tsx";
import { LinkList } from "./link-lists.tsx";
import type { OnReportChange } from "./range.ts";
import { ReportControls } from "./report-controls.tsx";
import { topQuery } from "./report-queries.ts";
import { ReportView } from "./report-view.tsx";
import { useReport } from "./use-report.ts";

/** The clicks of all links. */
export function AnalyticsPage() {
  const { t } = useLingui();
  const search = useSearch({ from: "/inside/analytics" });
  const navigate = useNavigate({ from: "/analytics" });
  const report = useReport(null, search);
  const top = useQuery(topQuery({ span: report.shown, visitors: report.visitors }));
  const change: OnReportChange = (next, isMore = false) =>
    void navigate({ search: next, replace: isMore, resetScroll: false });
  return (
    <Stack p="md" gap="sm">
      <Group justify="space-between">
        <Heading>
          <Trans>Analytics</Trans>
        </Heading>
        <ReportControls search={search} onChange={change}>
          <ExportMenu report={report} place={null} top={top.data} />
        </ReportControls>
      </Group>
      <ReportView
        place={null}
        report={report}
        search={search}
        mayWatch
        compare={<CompareLinks search={search} onChange={change} />}
        onChange={change}
      >
        <LinkList
          title={t`Most clicked links`}
          items={top.data}
          countOf={({ clicks }) => clicks}
          empty={<Trans>No clicks in this range.</Trans>}
        />
      </ReportView>
    </Stack>
  );
}

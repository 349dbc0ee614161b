import { Trans, useLingui } from "@lingui/react/macro";
import { Group, Stack } from "@mantine/core";
import { useNavigate, useRouteContext, useSearch } from "@tanstack/react-router";
import { PageTitle } from "../ui/page-head.tsx";
import { CompareButton } from "./compare/compare-button.tsx";
import { ExportMenu } from "./export/export-menu.tsx";
import { FilterBar } from "./filter/filter-bar.tsx";
import { conditionsIn } from "./filter.ts";
import { ListCard } from "./lists/list-card.tsx";
import { listComparison } from "./lists/list-comparison.ts";
import { MissingCodes } from "./lists/missing-codes.tsx";
import type { OnReportChange } from "./range.ts";
import { ReportBar } from "./report-bar.tsx";
import { ShareReport } from "./share-report.tsx";
import { ReportView } from "./report-view.tsx";
import { useReport } from "./use-report.ts";

/** The clicks of all links that the account sees. */
export function AnalyticsPage() {
  const { t } = useLingui();
  const { account } = useRouteContext({ from: "/inside" });
  const search = useSearch({ from: "/inside/analytics" });
  const navigate = useNavigate({ from: "/analytics" });
  const report = useReport(null, search);
  const change: OnReportChange = (next, isMore = false) =>
    void navigate({ search: next, replace: isMore, resetScroll: false });
  return (
    <Stack p="md" gap="sm">
      <Group justify="space-between">
        <PageTitle>
          <Trans>Analytics</Trans>
        </PageTitle>
        <ReportBar search={search} onChange={change}>
          <ShareReport search={search} />
          <ExportMenu report={report} />
        </ReportBar>
      </Group>
      <FilterBar frame={report} search={search} onChange={change}>
        <CompareButton search={search} isNamed />
      </FilterBar>
      <ReportView
        place={null}
        report={report}
        search={search}
        mayWatch={account.role === "admin"}
        onChange={change}
      >
        <ListCard
          title={t`What was clicked`}
          tabs={[
            { dimension: "link", title: t`Links` },
            { dimension: "tag", title: t`Tags` },
            { dimension: "domain", title: t`Domains` },
            ...(account.role === "admin" ? [{ dimension: "owner" as const, title: t`Owners` }] : []),
          ]}
          frame={report}
          search={search}
          comparison={listComparison(report, search)}
          onChange={change}
        />
        {account.role === "admin" && conditionsIn(search).length === 0 && <MissingCodes frame={report} />}
      </ReportView>
    </Stack>
  );
}

import { Stack } from "@mantine/core";
import { useRouteContext } from "@tanstack/react-router";
import { CompareLinks } from "./compare-links.tsx";
import { ExportMenu } from "./export/export-menu.tsx";
import { FilterBar } from "./filter/filter-bar.tsx";
import type { OnReportChange, ReportSearch } from "./range.ts";
import { ReportBar } from "./report-bar.tsx";
import { filterFor, type Place } from "./report-queries.ts";
import { ReportView } from "./report-view.tsx";
import { ShareReport } from "./share-report.tsx";
import { useReport } from "./use-report.ts";

type Props = {
  place: Place;
  search: ReportSearch;
  onChange: OnReportChange;
};

/** The clicks of one link. */
export function LinkNumbers({ place, search, onChange }: Props) {
  const { account } = useRouteContext({ from: "/inside" });
  const report = useReport(place, search);
  return (
    <Stack gap="sm">
      <ReportBar search={search} onChange={onChange}>
        <ShareReport search={{ ...search, ...filterFor(place, search) }} />
        <ExportMenu report={report} name={place.code} />
      </ReportBar>
      <FilterBar frame={report} search={search} onChange={onChange} isOfLink />
      <ReportView
        place={place}
        report={report}
        search={search}
        compare={
          <CompareLinks search={search} onChange={onChange} without={place.code} domain={place.domain} />
        }
        mayWatch={account.role === "admin"}
        onChange={onChange}
      />
    </Stack>
  );
}

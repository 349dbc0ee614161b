import { Stack } from "@mantine/core";
import { useRouteContext } from "@tanstack/react-router";
import { CompareButton } from "./compare/compare-button.tsx";
import { comparedKey } from "./compare/compared-links.ts";
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
      <ReportBar search={search} onChange={onChange} isWide>
        <ShareReport search={{ ...search, ...filterFor(place, search) }} />
        <ExportMenu report={report} name={place.code} />
        <CompareButton search={search} keys={[comparedKey(place)]} />
        <FilterBar frame={report} search={search} onChange={onChange} isOfLink />
      </ReportBar>
      <ReportView
        place={place}
        report={report}
        search={search}
        mayWatch={account.role === "admin"}
        onChange={onChange}
      />
    </Stack>
  );
}

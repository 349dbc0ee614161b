import { Alert, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useSentence } from "../ui/failure.tsx";
import { NewestClicks } from "./newest-clicks.tsx";
import type { ReportSearch } from "./range.ts";
import type { Place } from "./report-queries.ts";
import { ReportLists } from "./report-lists.tsx";
import { TrendCard } from "./trend-card.tsx";
import type { Report } from "./use-report.ts";

type Props = {
  place: Place | null;
  report: Report;
  search: ReportSearch;
  mayWatch: boolean;
  onChange(search: ReportSearch): void;
  /** Beside the lists. */
  children?: ReactNode;
};

/** A chart and the lists that follow it. */
export function ReportView({ place, report, search, mayWatch, onChange, children }: Props) {
  const sentenceOf = useSentence();
  return (
    <Stack gap="sm">
      {report.error !== null && (
        <Alert color="red" role="alert">
          {sentenceOf(report.error)}
        </Alert>
      )}
      <TrendCard report={report} search={search} onChange={onChange} />
      <ReportLists
        report={report}
        top={children}
        newest={
          <NewestClicks place={place} frame={report} isDetailed={report.isDetailed} mayWatch={mayWatch} />
        }
      />
    </Stack>
  );
}

import { Plural, Trans } from "@lingui/react/macro";
import { Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { TIME_ZONE } from "../base/place.ts";
import { formatTime } from "../base/i18n.ts";
import { LoadFailure } from "../ui/load-failure.tsx";
import { NewestClicks } from "./live/newest-clicks.tsx";
import type { OnReportChange, ReportSearch } from "./range.ts";
import type { Place } from "./report-queries.ts";
import { ReportLists } from "./lists/report-lists.tsx";
import { TrendCard } from "./trend-card.tsx";
import type { Report } from "./use-report.ts";

type Props = {
  place: Place | null;
  report: Report;
  search: ReportSearch;
  mayWatch: boolean;
  onChange: OnReportChange;
  /** Above the lists. */
  children?: ReactNode;
};

/** A chart and the lists that follow it. */
export function ReportView({ place, report, search, mayWatch, onChange, children }: Props) {
  const queries = useQueryClient();
  // Without details a note stands above the lists. They load meanwhile, unseen, so that nothing moves.
  const isKnown = report.isDetailed !== undefined || report.error !== null;
  const isThere = report.error === null || report.trend !== undefined;
  return (
    <Stack gap="sm">
      {report.error !== null && (
        <LoadFailure
          error={report.error}
          onRetry={() => void queries.refetchQueries({ queryKey: ["clicks"], type: "active" })}
        />
      )}
      {report.detailsFrom !== undefined && (
        <Text size="sm" c="dimmed" role="note">
          <Trans>
            This filter needs the details of clicks, which were recorded from {formatTime(report.detailsFrom)}{" "}
            on.
          </Trans>
        </Text>
      )}
      {report.detailsLost > 0 && (
        <Text size="sm" c="dimmed" role="note">
          <Plural
            value={report.detailsLost}
            one="The details of # click of these days were dropped, because too many came at once. It is counted, but missing in the lists of sites, places and devices."
            other="The details of # clicks of these days were dropped, because too many came at once. They are counted, but missing in the lists of sites, places and devices."
          />
        </Text>
      )}
      {report.zoneSince !== undefined && (
        <Text size="sm" c="dimmed" role="note">
          <Trans>
            Days before {formatTime(report.zoneSince)} are those of another time zone than {TIME_ZONE}.
          </Trans>
        </Text>
      )}
      {isThere && <TrendCard report={report} search={search} onChange={onChange} />}
      {isThere && (
        <Stack gap="sm" style={isKnown ? undefined : { visibility: "hidden" }}>
          {children}
          <ReportLists
            report={report}
            search={search}
            onChange={onChange}
            newest={
              <NewestClicks place={place} frame={report} isDetailed={report.isDetailed} mayWatch={mayWatch} />
            }
          />
        </Stack>
      )}
    </Stack>
  );
}

import { Trans } from "@lingui/react/macro";
import { Group, Stack, Text } from "@mantine/core";
import { useRouteContext } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { CompareLinks } from "./compare-links.tsx";
import { ExportMenu } from "./export/export-menu.tsx";
import type { OnReportChange, ReportSearch } from "./range.ts";
import { ReportControls } from "./report-controls.tsx";
import type { Place } from "./report-queries.ts";
import { ReportView } from "./report-view.tsx";
import { useLinkReport } from "./use-report.ts";

type Props = {
  place: Place;
  search: ReportSearch;
  onChange: OnReportChange;
  /** Below the numbers, from their first answer on: until then their height is unknown. */
  children: ReactNode;
};

/** The clicks of one link. */
export function LinkNumbers({ place, search, onChange, children }: Props) {
  const { account } = useRouteContext({ from: "/inside" });
  const report = useLinkReport(place, search);
  const isKnown = useRef(false);
  isKnown.current ||= report.isDetailed !== undefined || report.error !== null;
  return (
    <>
      <Stack gap="sm" component="section">
        <Group justify="space-between">
          <Text component="h2" fw={600}>
            <Trans>Clicks</Trans>
          </Text>
          <ReportControls search={search} onChange={onChange}>
            <ExportMenu report={report} name={place.code} />
          </ReportControls>
        </Group>
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
      {isKnown.current && children}
    </>
  );
}

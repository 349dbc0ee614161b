import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Box } from "@mantine/core";
import { useIntersection } from "@mantine/hooks";
import { type ReactNode, Suspense, useRef } from "react";
import { lazyPart } from "../../base/lazy.ts";
import { SettingLink, SettingWaits } from "../../config/setting-link.tsx";
import classes from "../clicks.module.css";
import type { OnReportChange, ReportSearch } from "../range.ts";
import type { Report } from "../use-report.ts";
import { ListCard } from "./list-card.tsx";
import type { Counted } from "../list-items.ts";

const WorldMap = lazyPart(async () => (await import("./world-map.tsx")).WorldMap);

const DETAILS = "analytics.enable_detailed_logging";
/** Share of the map's place that must be visible. */
const SEEN_PART = 0.25;

type Props = {
  report: Report;
  search: ReportSearch;
  onChange: OnReportChange;
  newest: ReactNode;
};

/** Where the clicks of the shown time came from. */
export function ReportLists({ report, search, onChange, newest }: Props) {
  const { t } = useLingui();
  const shared = { frame: report, search, onChange };
  return (
    <>
      {report.isDetailed === false && <NoDetails />}
      <div className={classes["report"]}>
        <div className={classes["column"]}>
          <ListCard
            title={t`Places`}
            tabs={[
              {
                dimension: "country",
                title: t`Countries`,
                above: (items) => <MapPlace countries={items.filter(({ value }) => value !== undefined)} />,
              },
              { dimension: "city", title: t`Cities` },
              { dimension: "language", title: t`Languages` },
            ]}
            {...shared}
          />
        </div>
        <div className={classes["column"]}>
          <ListCard
            title={t`Sources`}
            tabs={[
              { dimension: "site", title: t`Sites` },
              { dimension: "channel", title: t`Channels` },
              { dimension: "utm_campaign", title: t`Campaigns` },
              { dimension: "utm_source", title: t`UTM sources` },
            ]}
            {...shared}
          />
          <ListCard
            title={t`Technology`}
            tabs={[
              { dimension: "device", title: t`Devices` },
              { dimension: "browser", title: t`Browsers` },
              { dimension: "os", title: t`Systems` },
            ]}
            {...shared}
          />
        </div>
        <div className={classes["last"]}>{newest}</div>
      </div>
    </>
  );
}

/** Loads the map when a part of its place is visible. */
function MapPlace({ countries }: { countries: readonly Counted[] }) {
  const { ref, entry } = useIntersection({ threshold: SEEN_PART });
  const wasSeen = useRef(false);
  wasSeen.current ||= entry?.isIntersecting ?? false;
  return (
    <Box ref={ref} className={classes["mapPlace"]!}>
      {wasSeen.current && (
        <Suspense fallback={null}>
          <WorldMap countries={countries} />
        </Suspense>
      )}
    </Box>
  );
}

function NoDetails() {
  const details = <SettingLink settingKey={DETAILS} />;
  return (
    <Alert color="gray" role="note" style={{ overflowWrap: "anywhere" }}>
      <Trans>
        Referrers, countries, devices and single clicks are not recorded, because “{details}” is off. Clicks
        are still counted.
      </Trans>
      <SettingWaits settingKey={DETAILS} value="true" />
    </Alert>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Box } from "@mantine/core";
import { useIntersection } from "@mantine/hooks";
import { type ReactNode, Suspense, useMemo, useRef } from "react";
import { sentenceGap } from "../base/i18n.ts";
import { lazyPart } from "../base/lazy.ts";
import { SettingLink, SettingWaits } from "../config/setting-link.tsx";
import classes from "./clicks.module.css";
import { agentName, deviceName, isRest, referrerName, regionName } from "./names.ts";
import { type Counted, SharesList } from "./shares-list.tsx";
import type { Report } from "./use-report.ts";

const WorldMap = lazyPart(async () => (await import("./world-map.tsx")).WorldMap);

const DETAILS = "analytics.enable_detailed_logging";
/** Share of the map's place that must be visible. */
const SEEN_PART = 0.25;
const NO_COUNTRIES: readonly Counted[] = [];

type Named = readonly { name: string; count: number; percentage: number }[] | undefined;

const listOf = (items: Named, nameOf: (name: string) => string): Counted[] | undefined =>
  restLast(items?.map((item) => ({ ...item, key: item.name, name: nameOf(item.name) })));

/** What is put together has no rank among names. */
const restLast = (items: readonly Counted[] | undefined): Counted[] | undefined =>
  items?.toSorted((a, b) => Number(isRest(a.key)) - Number(isRest(b.key)));

type Props = {
  report: Pick<Report, "referrers" | "countries" | "devices" | "isDetailed" | "isStale">;
  newest: ReactNode;
  /** Before the other lists. */
  top?: ReactNode;
};

/** Where the clicks of the shown time came from. */
export function ReportLists({ report, newest, top }: Props) {
  const { t, i18n } = useLingui();
  const { referrers, devices, isDetailed, isStale } = report;
  const countries = useMemo(
    () =>
      restLast(
        report.countries?.map(({ country, count, percentage }) => ({
          key: country,
          name: regionName(country),
          count,
          percentage,
        })),
      ),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- names by language
    [report.countries, i18n.locale],
  );
  const lists = [
    [
      t`Referrers`,
      restLast(
        referrers?.map(({ referrer, count, percentage }) => ({
          key: referrer,
          name: referrerName(referrer),
          count,
          percentage,
        })),
      ),
    ],
    [t`Devices`, listOf(devices?.devices, deviceName)],
    [t`Browsers`, listOf(devices?.browsers, agentName)],
    [t`Systems`, listOf(devices?.operating_systems, agentName)],
  ] as const;
  /** Without details an empty list would be misleading. */
  const isShown = (items: readonly Counted[] | undefined) => isDetailed !== false || (items?.length ?? 0) > 0;
  const hasSome = [countries, ...lists.map(([, items]) => items)].some((items) => (items?.length ?? 0) > 0);
  return (
    <>
      {isDetailed === false && <NoDetails hasSome={hasSome} />}
      <div
        className={classes["report"]}
        data-plain={(isDetailed === false && !hasSome) || undefined}
        data-stale={isStale || undefined}
        aria-busy={isStale}
      >
        <div className={classes["column"]}>
          {isShown(countries) && (
            <SharesList title={t`Countries`} items={countries}>
              <MapPlace countries={countries ?? NO_COUNTRIES} />
            </SharesList>
          )}
          <div className={classes["last"]}>{newest}</div>
        </div>
        <div className={classes["column"]}>
          {top}
          {lists.map(([title, items]) =>
            isShown(items) ? <SharesList key={title} title={title} items={items} /> : null,
          )}
        </div>
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

function NoDetails({ hasSome }: { hasSome: boolean }) {
  const details = <SettingLink settingKey={DETAILS} />;
  return (
    <Alert color="gray" role="note" style={{ overflowWrap: "anywhere" }}>
      <Trans>
        Referrers, countries, devices and single clicks are not recorded, because “{details}” is off. Clicks
        are still counted.
      </Trans>
      <SettingWaits settingKey={DETAILS} value="true" />
      {hasSome && sentenceGap()}
      {hasSome && <Trans>These entries are from when it was on.</Trans>}
    </Alert>
  );
}

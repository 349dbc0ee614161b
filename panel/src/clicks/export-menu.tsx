import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { TopLink } from "../app/api.ts";
import { answerOf, api } from "../app/api.ts";
import { ADMIN_PREFIX, SERVER_URL } from "../app/place.ts";
import { endOfBucket, isoDay, startOfBucket } from "./chart/buckets.ts";
import classes from "./clicks.module.css";
import { csvOf, download, follow } from "./csv.ts";
import { datesOf } from "./range.ts";
import type { Report } from "./use-report.ts";

type Props = {
  report: Report;
  /** Of one link; without it all links. */
  name?: string;
  top?: readonly TopLink[] | undefined;
};

/** The shown sums, and the clicks themselves, as CSV. */
export function ExportMenu({ report, name, top }: Props) {
  const { t } = useLingui();
  const { span, shown, visitors } = report;

  /** Asks first, which renews the session: a download can't. */
  async function exportClicks(): Promise<void> {
    await answerOf(api.GET("/admin/v1/auth/me"));
    const query = new URLSearchParams({ ...datesOf(shown), visitors, columns: "all" });
    follow(`${SERVER_URL}${ADMIN_PREFIX}/v1/analytics/export?${query}`, "");
  }

  const exportSums = (): void =>
    download(
      `${(name ?? "clicks").replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")}_${isoDay(span.start)}_${isoDay(span.end - 1)}.csv`,
      csvOf(rowsOf(report, top)),
    );

  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t`Export`}
          className={`${classes["control"]} ${classes["export"]}`}
        >
          <IconDownload size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={report.trend === undefined} onClick={exportSums}>
          <Trans>Shown sums as CSV</Trans>
        </Menu.Item>
        {name === undefined && (
          <Menu.Item onClick={() => void exportClicks()}>
            <Trans>Single clicks as CSV</Trans>
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** One table for all lists: which list, the name, and its numbers. */
function rowsOf({ trend, unit, referrers = [], countries = [], devices }: Report, top: Props["top"] = []) {
  const buckets = (trend?.labels ?? []).map((label, at) => {
    const start = startOfBucket(label);
    const [from, to] = [start, endOfBucket(start, unit)].map((time) => new Date(time).toISOString());
    const people = trend!.human_clicks[at] ?? 0;
    const machines = trend!.automated_clicks[at] ?? 0;
    return [unit, label, from!, to!, people + machines, people, machines];
  });
  const counted = (list: string, names: readonly { name: string; count: number }[] = []) =>
    names.map(({ name, count }) => [list, name, "", "", count, "", ""]);
  const both = (list: string, label: string, all: { human_clicks: number; automated_clicks: number }) => {
    const { human_clicks: people, automated_clicks: machines } = all;
    return [list, label, "", "", people + machines, people, machines];
  };
  return [
    ["list", "name", "from", "to", "clicks", "people", "machines"],
    ...buckets,
    ...top.map((link) => both("link", [link.domain, link.code].filter(Boolean).join("/"), link)),
    ...referrers.map((item) => both("referrer", item.referrer, item)),
    ...countries.map((item) => both("country", item.country, item)),
    ...counted("device", devices?.devices),
    ...counted("browser", devices?.browsers),
    ...counted("system", devices?.operating_systems),
  ];
}

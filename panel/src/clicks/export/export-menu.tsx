import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { TopLink } from "../../app/api.ts";
import { answerOf, api } from "../../app/api.ts";
import { markOutdated } from "../../app/connection.ts";
import { loaded } from "../../app/lazy.ts";
import { ADMIN_PREFIX, SERVER_URL } from "../../app/place.ts";
import classes from "../clicks.module.css";
import { follow } from "./csv.ts";
import { datesOf } from "../range.ts";
import type { Report } from "../use-report.ts";

type Props = {
  report: Report;
  /** Of one link; without it all links. */
  name?: string;
  top?: readonly TopLink[] | undefined;
};

/** The shown sums, and the clicks themselves, as CSV. */
export function ExportMenu({ report, name, top }: Props) {
  const { t } = useLingui();
  const { shown, visitors } = report;

  /** Asks first, which renews the session: a download can't. */
  async function exportClicks(): Promise<void> {
    await answerOf(api.GET("/admin/v1/auth/me"));
    const query = new URLSearchParams({ ...datesOf(shown), visitors, columns: "all" });
    follow(`${SERVER_URL}${ADMIN_PREFIX}/v1/analytics/export?${query}`, "");
  }

  /** Few export: what writes the file loads then. */
  const exportSums = (): Promise<void> =>
    loaded(() => import("./sums.ts")).then(
      ({ downloadSums }) => downloadSums(report, name, top),
      markOutdated,
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
        <Menu.Item disabled={report.trend === undefined} onClick={() => void exportSums()}>
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

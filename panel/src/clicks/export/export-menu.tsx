import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { markOutdated } from "../../base/connection.ts";
import { loaded } from "../../base/lazy.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import classes from "../clicks.module.css";
import { DIMENSIONS, LINK_DIMENSIONS } from "../dimensions.ts";
import type { Report } from "../use-report.ts";
import type * as Reports from "./reports.ts";

type Props = {
  report: Report;
  /** Of one link; absent for all links. */
  name?: string;
};

const ALL = [...new Set([...LINK_DIMENSIONS, ...DIMENSIONS])];

/** The shown sums, and the clicks themselves, as CSV. */
export function ExportMenu({ report, name }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onFailure = useFailureNotice();

  /** Few export, so the code loads on demand. */
  const load = (run: (part: typeof Reports) => unknown): Promise<unknown> =>
    loaded(() => import("./reports.ts")).then(
      (part) => Promise.resolve(run(part)).catch(onFailure),
      markOutdated,
    );

  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t`Export`}
          title={t`Export`}
          className={classes["control"]!}
        >
          <IconDownload size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          disabled={report.trend === undefined}
          onClick={() =>
            void load((part) =>
              part.downloadSums(queries, report, name ?? "clicks", name === undefined ? ALL : DIMENSIONS),
            )
          }
        >
          <Trans>Chart and lists as CSV</Trans>
        </Menu.Item>
        <Menu.Item onClick={() => void load((part) => part.exportClicks(report))}>
          <Trans>Every click as CSV</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

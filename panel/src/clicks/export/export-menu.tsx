import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import classes from "../clicks.module.css";
import { type Dimension, DIMENSIONS, LINK_DIMENSIONS } from "../dimensions.ts";
import type { Report } from "../use-report.ts";
import { useExport } from "./use-export.ts";

type Props = {
  report: Report;
  /** Of one link; absent for all links. */
  name?: string;
};

/** Those that the page lists: its sites stand for their hosts. */
const OF_LINK: readonly Dimension[] = DIMENSIONS.filter((name) => name !== "referrer");
const ALL = [...new Set([...LINK_DIMENSIONS, ...OF_LINK])];

/** The shown sums, and the clicks themselves, as CSV. */
export function ExportMenu({ report, name }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const run = useExport();

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
            run((part) =>
              part.downloadSums(queries, report, name ?? "clicks", name === undefined ? ALL : OF_LINK),
            )
          }
        >
          <Trans>Chart and lists as CSV</Trans>
        </Menu.Item>
        <Menu.Item onClick={() => run((part) => part.exportClicks(report))}>
          <Trans>Every click as CSV</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconShare } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import classes from "./clicks.module.css";
import { filterIn } from "./filter.ts";
import { RANGES, type ReportSearch } from "./range.ts";

/** Leads to a new report page of what is shown, and to those that exist. */
export function ShareReport({ search }: { search: ReportSearch }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { from, to, range } = search;
  const days = RANGES[range as keyof typeof RANGES];
  const shown = from !== undefined && to !== undefined ? { from, to } : days === undefined ? {} : { days };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t`Share`}
          title={t`Share`}
          className={classes["control"]!}
        >
          <IconShare size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          onClick={() =>
            void navigate({ to: "/analytics/pages", search: { make: true, ...shown, ...filterIn(search) } })
          }
        >
          <Trans>Share as a page…</Trans>
        </Menu.Item>
        <Menu.Item onClick={() => void navigate({ to: "/analytics/pages", search: {} })}>
          <Trans>Report pages</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

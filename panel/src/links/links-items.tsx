import { Trans } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import {
  IconDownload,
  IconFlag,
  IconHistory,
  IconHourglass,
  IconTag,
  IconTrash,
  IconTruck,
  IconUpload,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { hasRoom } from "../base/place.ts";

type Props = { isFiltered: boolean; isAdmin: boolean; onExport(): void; onWaiting(): void };

export const LinksItems = ({ isFiltered, isAdmin, onExport, onWaiting }: Props) => (
  <>
    <Menu.Item leftSection={<IconDownload size={16} />} onClick={onExport}>
      {isFiltered ? <Trans>Export what the filter finds (CSV)</Trans> : <Trans>Export all links (CSV)</Trans>}
    </Menu.Item>
    {isAdmin && (
      <>
        <Menu.Item component={Link} to="/links/import" leftSection={<IconUpload size={16} />}>
          <Trans>Import links (CSV)</Trans>
        </Menu.Item>
        {hasRoom("imports") && (
          <Menu.Item component={Link} to="/links/moves" leftSection={<IconTruck size={16} />}>
            <Trans>Move from another service</Trans>
          </Menu.Item>
        )}
      </>
    )}
    <Menu.Divider />
    <Menu.Item component={Link} to="/links/tags" leftSection={<IconTag size={16} />}>
      <Trans>Tags</Trans>
    </Menu.Item>
    <Menu.Item component={Link} to="/links/changes" leftSection={<IconHistory size={16} />}>
      <Trans>Past bulk changes</Trans>
    </Menu.Item>
    <Menu.Item component={Link} to="/links/deleted" leftSection={<IconTrash size={16} />}>
      <Trans>Deleted links</Trans>
    </Menu.Item>
    {isAdmin && (
      <>
        <Menu.Divider />
        <Menu.Item leftSection={<IconHourglass size={16} />} onClick={onWaiting}>
          <Trans>Waiting for approval</Trans>
        </Menu.Item>
        <Menu.Item component={Link} to="/links/reports" leftSection={<IconFlag size={16} />}>
          <Trans>Reports</Trans>
        </Menu.Item>
      </>
    )}
  </>
);

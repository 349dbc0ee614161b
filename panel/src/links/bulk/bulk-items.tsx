import { Trans } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import { IconArrowsDiff, IconListCheck, IconQrcode, IconTrash } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { formatNumber } from "../../base/i18n.ts";

/** What can be done with a selection besides its edit. Null: not with this one. */
export type OfferedForSelection = {
  /** The number of links that the list finds. */
  total: number;
  onAll: (() => void) | null;
  /** Keys of the links to compare. */
  compared: string[] | null;
  onQr: (() => void) | null;
  onDelete(): void;
};

export function BulkItems({ total, onAll, compared, onQr, onDelete }: OfferedForSelection) {
  const navigate = useNavigate();
  return (
    <>
      {onAll !== null && (
        <Menu.Item leftSection={<IconListCheck size={16} />} onClick={onAll}>
          <Trans>Select all {formatNumber(total)}</Trans>
        </Menu.Item>
      )}
      {compared !== null && (
        <Menu.Item
          leftSection={<IconArrowsDiff size={16} />}
          onClick={() => void navigate({ to: "/analytics/compare", search: { link: compared } })}
        >
          <Trans>Compare</Trans>
        </Menu.Item>
      )}
      {onQr !== null && (
        <Menu.Item leftSection={<IconQrcode size={16} />} onClick={onQr}>
          <Trans>QR codes</Trans>
        </Menu.Item>
      )}
      <Menu.Divider />
      <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={onDelete}>
        <Trans>Delete</Trans>
      </Menu.Item>
    </>
  );
}

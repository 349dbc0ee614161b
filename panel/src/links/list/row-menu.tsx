import { Trans, useLingui } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import {
  IconArrowsSplit2,
  IconChartLine,
  IconCopy,
  IconExternalLink,
  IconPencil,
  IconQrcode,
  IconTrash,
} from "@tabler/icons-react";
import type { Link } from "../../base/api.ts";
import { shownKeys } from "../../ui/keys/keys.tsx";
import type { LinkAction } from "./row-keys.ts";
import classes from "./list.module.css";

export type MenuPlace = { left: number; top: number; width: number; height: number };

type Props = {
  link: Link;
  /** Its button, or where the pointer is. */
  place: MenuPlace;
  onAction(action: LinkAction): void;
  onClose(): void;
};

/** One menu for all rows. */
export function RowMenu({ link, place, onAction, onClose }: Props) {
  const { t } = useLingui();
  const items = [
    { action: "page", icon: IconChartLine, label: t`Open`, keys: "open" },
    { action: "edit", icon: IconPencil, label: t`Edit here`, keys: "rename" },
    { action: "form", icon: IconArrowsSplit2, label: t`Edit where it leads`, keys: "edit" },
    { action: "copy", icon: IconCopy, label: t`Copy the short URL`, keys: "copy" },
    { action: "open", icon: IconExternalLink, label: t`Open the link`, keys: "visit" },
    { action: "qr", icon: IconQrcode, label: t`QR code`, keys: "qr" },
  ] as const;
  return (
    <Menu
      opened
      onClose={onClose}
      position={place.width === 0 ? "bottom-start" : "bottom-end"}
      withinPortal={false}
      trapFocus
      returnFocus={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <span
          role="button"
          tabIndex={-1}
          aria-label={t`Actions`}
          className={classes["anchor"]}
          style={place}
        />
      </Menu.Target>
      <Menu.Dropdown
        aria-label={t`Actions for ${link.code}`}
        onContextMenu={(event) => event.preventDefault()}
      >
        {items.map(({ action, icon: Icon, label, keys }) => (
          <Menu.Item
            key={action}
            leftSection={<Icon size={16} aria-hidden />}
            {...shownKeys(keys)}
            onClick={() => onAction(action)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} aria-hidden />}
          {...shownKeys("delete")}
          onClick={() => onAction("delete")}
        >
          <Trans>Delete</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

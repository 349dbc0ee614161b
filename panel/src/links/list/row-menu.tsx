import { Trans, useLingui } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import {
  IconChartLine,
  IconCopy,
  IconExternalLink,
  IconForms,
  IconPencil,
  IconQrcode,
  IconTrash,
} from "@tabler/icons-react";
import type { Link } from "../../base/api.ts";
import { shownKeys } from "../../ui/keys/keys.tsx";
import type { RowDeed } from "./row-keys.ts";
import classes from "./list.module.css";

export type MenuPlace = { left: number; top: number; width: number; height: number };

type Props = {
  link: Link;
  /** Its button, or where the pointer is. */
  place: MenuPlace;
  onDeed(deed: RowDeed): void;
  onClose(): void;
};

/** One menu for all rows. */
export function RowMenu({ link, place, onDeed, onClose }: Props) {
  const { t } = useLingui();
  const items = [
    { deed: "page", icon: IconChartLine, label: t`Clicks and history`, keys: "open" },
    { deed: "edit", icon: IconPencil, label: t`Edit here`, keys: "rename" },
    { deed: "form", icon: IconForms, label: t`Edit all fields`, keys: "edit" },
    { deed: "copy", icon: IconCopy, label: t`Copy the short URL`, keys: "copy" },
    { deed: "open", icon: IconExternalLink, label: t`Open the link`, keys: "visit" },
    { deed: "qr", icon: IconQrcode, label: t`QR code`, keys: "qr" },
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
        {items.map(({ deed, icon: Icon, label, keys }) => (
          <Menu.Item
            key={deed}
            leftSection={<Icon size={16} aria-hidden />}
            {...shownKeys(keys)}
            onClick={() => onDeed(deed)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} aria-hidden />}
          {...shownKeys("delete")}
          onClick={() => onDeed("delete")}
        >
          <Trans>Delete</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

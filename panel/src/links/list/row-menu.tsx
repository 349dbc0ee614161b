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
import type { RowDeed } from "./row-keys.ts";
import classes from "./list.module.css";

type Props = {
  link: Link;
  /** The button that opened it. */
  from: HTMLElement;
  onDeed(deed: RowDeed): void;
  onClose(): void;
};

/** One menu for all rows. */
export function RowMenu({ link, from, onDeed, onClose }: Props) {
  const { t } = useLingui();
  const { left, top, width, height } = from.getBoundingClientRect();
  const items = [
    { deed: "edit", icon: IconPencil, label: t`Edit here`, key: "F2" },
    { deed: "form", icon: IconForms, label: t`Edit all fields`, key: "E" },
    { deed: "copy", icon: IconCopy, label: t`Copy the link`, key: "C" },
    { deed: "open", icon: IconExternalLink, label: t`Open the link`, key: "O" },
    { deed: "qr", icon: IconQrcode, label: t`QR code`, key: "Q" },
    { deed: "page", icon: IconChartLine, label: t`Clicks and history`, key: "V" },
  ] as const;
  const close = (): void => {
    onClose();
    from.focus({ preventScroll: true });
  };
  return (
    <Menu
      opened
      onClose={close}
      position="bottom-end"
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
          style={{ left, top, width, height }}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={t`Actions for ${link.code}`}>
        {items.map(({ deed, icon: Icon, label, key }) => (
          <Menu.Item
            key={deed}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={<kbd className={classes["key"]}>{key}</kbd>}
            onClick={() => onDeed(deed)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => onDeed("delete")}
        >
          <Trans>Delete</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconExternalLink, IconQrcode, IconTrash } from "@tabler/icons-react";
import type { Share } from "../../base/api.ts";
import { shownKeys } from "../../ui/keys/keys.tsx";
import { useRowMenuPlace } from "../../ui/menus/row-menu-place.ts";

export type ShareAction = "open" | "qr" | "end";
type Props = { share: Share; isOwn: boolean; mayEnd: boolean; onChoose(action: ShareAction): void };

export function ShareMenu({ share, isOwn, mayEnd, onChoose }: Props) {
  const { t } = useLingui();
  const { place, onClick } = useRowMenuPlace();
  return (
    <Menu {...place} withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t`Actions for ${share.code}`}
          onClick={onClick}
        >
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component="a"
          href={share.short_url}
          target="_blank"
          rel="noreferrer noopener"
          leftSection={<IconExternalLink size={16} />}
          {...shownKeys("visit")}
        >
          <Trans>Open</Trans>
        </Menu.Item>
        <Menu.Item leftSection={<IconQrcode size={16} />} {...shownKeys("qr")} onClick={() => onChoose("qr")}>
          <Trans>QR code</Trans>
        </Menu.Item>
        {mayEnd && (
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} />}
            {...shownKeys("delete")}
            onClick={() => onChoose("end")}
          >
            {!isOwn ? (
              <Trans>Take down</Trans>
            ) : share.kind === "drop" ? (
              <Trans>Close the drop box</Trans>
            ) : (
              <Trans>End the share</Trans>
            )}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

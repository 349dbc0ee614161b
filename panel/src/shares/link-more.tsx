import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconArrowsExchange, IconDots, IconExternalLink } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { Link } from "../base/api.ts";
import { shownKeys } from "../ui/keys/keys.tsx";

type Props = {
  /** Undefined: still loading. */
  link: Link | undefined;
  mayChange: boolean;
};

/** Rare actions on a link. */
export function LinkMore({ link, mayChange }: Props) {
  const { t } = useLingui();
  const navigate = useNavigate();
  function change({ target, code }: Link): void {
    if (target.startsWith("waymark:"))
      void navigate({ to: "/share/$", params: { _splat: code }, search: { use: true } });
    else void navigate({ to: "/shares/new", search: { link: code } });
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t`Actions for ${link?.code ?? ""}`}
          disabled={link === undefined}
        >
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          {...shownKeys("visit")}
          component="a"
          href={link?.short_url}
          target="_blank"
          rel="noreferrer noopener"
          leftSection={<IconExternalLink size={16} />}
        >
          <Trans>Open the link</Trans>
        </Menu.Item>
        {mayChange && link !== undefined && (
          <Menu.Item leftSection={<IconArrowsExchange size={16} />} onClick={() => change(link)}>
            <Trans>Change what it leads to</Trans>
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

import { Plural, useLingui } from "@lingui/react/macro";
import { ActionIcon, Popover, Text } from "@mantine/core";
import { IconInbox, IconShare } from "@tabler/icons-react";
import { useState } from "react";
import type { ShareMark } from "../../base/api.ts";
import { EntryShares } from "./entry-shares.tsx";

/** Says that an entry is shared or takes files, and by which codes. */
export function ShareBadge({ name, mark, tabIndex }: { name: string; mark: ShareMark; tabIndex: number }) {
  const { t } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  const { shares, drops } = mark;
  const Icon = shares === 0 ? IconInbox : IconShare;
  return (
    <Popover opened={isOpen} onChange={setIsOpen} withinPortal shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="light"
          size={22}
          radius="xl"
          tabIndex={tabIndex}
          aria-label={shares === 0 ? t`${name} is a drop box` : t`${name} is shared`}
          title={shares === 0 ? t`Drop box` : t`Shared`}
          onClick={(event) => {
            event.stopPropagation();
            setIsOpen(!isOpen);
          }}
          onDoubleClick={(event) => event.stopPropagation()}
        >
          <Icon size={13} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => event.stopPropagation()}
      >
        <Text size="xs" c="dimmed">
          {shares > 0 && <Plural value={shares} one="# share" other="# shares" />}
          {shares > 0 && drops > 0 && " · "}
          {drops > 0 && <Plural value={drops} one="# drop box" other="# drop boxes" />}
        </Text>
        {isOpen && <EntryShares id={mark.id} />}
      </Popover.Dropdown>
    </Popover>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconHistory, IconPencil, IconTransfer, IconTrash } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { Suspense } from "react";
import type { ListedAccount } from "../../base/api.ts";
import { lazyPart } from "../../base/lazy.ts";
import { withMailTexts } from "../../base/mail-texts.ts";
import { SENDS_MAILS } from "../../base/place.ts";
import { useRowMenuPlace } from "../../ui/menus/row-menu-place.ts";

const InviteAgain = lazyPart(
  async () => (await withMailTexts(() => import("../by-mail/invite-again.tsx"))).InviteAgain,
);

type Props = { account: ListedAccount; onEdit(): void; onRemove(): void };

/** What can be done with an account of the list. */
export function AccountRowMenu({ account, onEdit, onRemove }: Props) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { place, onClick } = useRowMenuPlace();
  const { username, invited, disabled } = account;
  return (
    // Within the list, which is a part of the page.
    <Menu {...place} withinPortal={false} floatingStrategy="fixed">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t`Actions for ${username}`}
          onClick={onClick}
        >
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown ta="start">
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={onEdit}>
          <Trans>Edit</Trans>
        </Menu.Item>
        {SENDS_MAILS && invited && !disabled && (
          <Suspense>
            <InviteAgain account={account} />
          </Suspense>
        )}
        <Menu.Item
          leftSection={<IconTransfer size={16} />}
          onClick={() =>
            void navigate({ to: "/links", search: { owner: username }, state: { requested: "hand-over" } })
          }
        >
          <Trans>Hand over links</Trans>
        </Menu.Item>
        <Menu.Item
          leftSection={<IconHistory size={16} />}
          onClick={() => void navigate({ to: "/events", search: { actor: username } })}
        >
          <Trans>Events</Trans>
        </Menu.Item>
        <Menu.Item c="var(--mantine-color-error)" leftSection={<IconTrash size={16} />} onClick={onRemove}>
          <Trans>Delete</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

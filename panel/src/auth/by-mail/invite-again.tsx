import { Trans } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { type Account, responseOf, api } from "../../base/api.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { IconMail } from "@tabler/icons-react";

/** Says whom the invitation was sent to. */
export const tellInvited = (email: string): void =>
  void notifications.show({ message: <Trans>The invitation was sent to {email}.</Trans> });

/** An item of the account's menu, which it outlives. */
export function InviteAgain({ account }: { account: Account }) {
  const onError = useFailureNotice();
  const sending = useMutation({
    mutationFn: () =>
      responseOf(api.POST("/admin/v1/users/{id}/invite", { params: { path: { id: account.id } } })),
    onSuccess: () => tellInvited(account.email ?? ""),
    onError,
  });
  return (
    <Menu.Item leftSection={<IconMail size={16} />} onClick={() => sending.mutate()}>
      <Trans>Invite again</Trans>
    </Menu.Item>
  );
}

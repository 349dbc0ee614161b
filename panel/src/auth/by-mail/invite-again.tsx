import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { type Account, responseOf, api } from "../../base/api.ts";
import { useFailureNotice } from "../../ui/notices/undo.tsx";

export function InviteAgain({ account }: { account: Account }) {
  const { t } = useLingui();
  const onError = useFailureNotice();
  const sending = useMutation({
    mutationFn: () =>
      responseOf(api.POST("/admin/v1/users/{id}/invite", { params: { path: { id: account.id } } })),
    onSuccess: () =>
      notifications.show({ message: t`The invitation is on its way to ${account.email ?? ""}.` }),
    onError,
  });
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      loading={sending.isPending}
      aria-label={t`Send the invitation to ${account.username} again`}
      onClick={() => sending.mutate()}
    >
      <Trans>Invite again</Trans>
    </Button>
  );
}

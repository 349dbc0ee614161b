import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { responseOf, api } from "../../base/api.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { Entrance } from "../entrance.tsx";
import { Refusal } from "../refusal.tsx";

/** Asks for a press, because programs that check mails open their links. */
export function ConfirmPage() {
  const { t } = useLingui();
  const token = useLocation({ select: ({ hash }) => hash });
  const confirm = useMutation({
    mutationFn: () => responseOf(api.POST("/admin/v1/auth/confirm-address", { body: { token } })),
  });
  return (
    <Entrance
      title={t`Your address`}
      sentence={
        confirm.isSuccess ? (
          <Trans>The address is confirmed. Mails for your account come to it.</Trans>
        ) : (
          <Trans>Confirm that mails for your account should come to this address.</Trans>
        )
      }
    >
      {confirm.isSuccess ? (
        <AnchorLink to="/account">
          <Trans>Go to your account</Trans>
        </AnchorLink>
      ) : (
        <Stack gap="md">
          <Refusal error={confirm.error} />
          <Button loading={confirm.isPending} fullWidth autoFocus onClick={() => confirm.mutate()}>
            <Trans>Confirm the address</Trans>
          </Button>
        </Stack>
      )}
    </Entrance>
  );
}

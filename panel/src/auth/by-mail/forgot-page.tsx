import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { responseOf, api } from "../../base/api.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { Entrance } from "../entrance.tsx";
import { Refusal } from "../refusal.tsx";

/** Asks for a mail with a link for a new password. The answer does not tell whether there is such an account. */
export function ForgotPage() {
  const { t } = useLingui();
  const [account, setAccount] = useState("");
  const ask = useMutation({
    mutationFn: () => responseOf(api.POST("/admin/v1/auth/password-reset", { body: { account } })),
  });
  return (
    <Entrance
      title={t`New password`}
      sentence={!ask.isSuccess && <Trans>We send a link to the confirmed address of your account.</Trans>}
    >
      {ask.isSuccess ? (
        <Text role="status">
          <Trans>
            If there is such an account with a confirmed address, a mail is on its way. Its link works for one
            hour.
          </Trans>
        </Text>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            ask.mutate();
          }}
        >
          <Stack gap="md">
            <TextInput
              label={t`Username or e-mail address`}
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              required
              withAsterisk={false}
              maxLength={254}
              value={account}
              onChange={(event) => setAccount(event.currentTarget.value)}
              autoFocus
            />
            <Refusal error={ask.error} />
            <Button type="submit" loading={ask.isPending} fullWidth>
              <Trans>Send the link</Trans>
            </Button>
          </Stack>
        </form>
      )}
      <AnchorLink to="/sign-in" size="sm" ta="center">
        <Trans>Back to the sign-in</Trans>
      </AnchorLink>
    </Entrance>
  );
}

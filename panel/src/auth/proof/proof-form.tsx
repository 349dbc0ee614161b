import { Trans, useLingui } from "@lingui/react/macro";
import { PasswordInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { IdentityProof } from "../../base/api.ts";
import { FormFields } from "../../ui/forms/side-form.tsx";
import { accountQuery } from "../account.ts";
import { totpQuery } from "./totp-query.ts";

type Props = {
  username: string;
  action: string;
  run(proof: IdentityProof): Promise<unknown>;
  onClose(): void;
  children: ReactNode;
};

/**
 * Asks for the password before something that protects the account. An account without one gives a code of its
 * authenticator app, or has signed in just now.
 */
export function ProofForm({ username, action, run, onClose, children }: Props) {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: totp } = useQuery(totpQuery);
  const form = useForm({ initialValues: { proof: "" } });
  const running = useMutation({
    mutationFn: ({ proof }: typeof form.values) =>
      run(account.has_password ? { password: proof } : totp?.enabled ? { totp: proof } : {}),
  });
  const shared = {
    ...form.getInputProps("proof"),
    required: true,
    withAsterisk: false,
    "data-autofocus": true,
  } as const;
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => running.mutate(values))}
      onClose={onClose}
      error={running.error}
      isPending={running.isPending}
      action={action}
    >
      {children}
      {account.has_password ? (
        <>
          <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
          <PasswordInput {...shared} label={t`Password`} autoComplete="current-password" />
        </>
      ) : totp?.enabled ? (
        <TextInput
          {...shared}
          label={t`6-digit code`}
          description={t`From your authenticator app.`}
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={32}
        />
      ) : (
        <Text size="sm" c="dimmed">
          <Trans>This works for ten minutes after a sign-in.</Trans>
        </Text>
      )}
    </FormFields>
  );
}

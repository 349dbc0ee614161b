import { useLingui } from "@lingui/react/macro";
import { PasswordInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FormFields } from "../../ui/side-form.tsx";

type Props = {
  username: string;
  action: string;
  run(password: string): Promise<unknown>;
  onClose(): void;
  children: ReactNode;
};

/** Asks for the password before something that protects the account. */
export function ProofForm({ username, action, run, onClose, children }: Props) {
  const { t } = useLingui();
  const form = useForm({ initialValues: { password: "" } });
  const running = useMutation({ mutationFn: run });
  return (
    <FormFields
      onSubmit={form.onSubmit(({ password }) => running.mutate(password))}
      onClose={onClose}
      error={running.error}
      isPending={running.isPending}
      action={action}
    >
      {children}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <PasswordInput
        {...form.getInputProps("password")}
        label={t`Password`}
        autoComplete="current-password"
        required
        withAsterisk={false}
        data-autofocus
      />
    </FormFields>
  );
}

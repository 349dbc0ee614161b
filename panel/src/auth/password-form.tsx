import { Trans, useLingui } from "@lingui/react/macro";
import { PasswordInput, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { responseOf, api, ApiError } from "../base/api.ts";
import { useLateResponse } from "../ui/notices/late-answer.ts";
import { fieldErrors, FormFields, SideForm } from "../ui/forms/side-form.tsx";

type Props = { username: string; isOpen: boolean; onClose(): void };

export function PasswordChange({ username, isOpen, onClose }: Props) {
  const { t } = useLingui();
  return (
    <SideForm title={t`Change the password`} isOpen={isOpen} onClose={onClose}>
      <PasswordForm username={username} onClose={onClose} />
    </SideForm>
  );
}

function PasswordForm({ username, onClose }: { username: string; onClose(): void }) {
  const { t } = useLingui();
  const form = useForm({ initialValues: { current_password: "", new_password: "" } });
  const { close, tellIfGone } = useLateResponse(onClose);
  const change = useMutation({
    mutationFn: (body: typeof form.values) => responseOf(api.PUT("/admin/v1/auth/password", { body })),
    onSuccess() {
      close();
      notifications.show({ message: t`The password is changed. All other sessions have ended.` });
    },
    onError(error) {
      tellIfGone(error);
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => change.mutate(values))}
      onClose={onClose}
      error={change.error}
      isPending={change.isPending}
      action={t`Change the password`}
    >
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <PasswordInput
        {...form.getInputProps("current_password")}
        label={t`Current password`}
        autoComplete="current-password"
        required
        withAsterisk={false}
        data-autofocus
      />
      <PasswordInput
        {...form.getInputProps("new_password")}
        label={t`New password`}
        description={t`At least 8 characters.`}
        autoComplete="new-password"
        minLength={8}
        required
        withAsterisk={false}
      />
      <Text size="sm" c="dimmed">
        <Trans>Sessions in other browsers end. API tokens stay.</Trans>
      </Text>
    </FormFields>
  );
}

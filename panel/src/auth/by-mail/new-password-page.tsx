import { Trans, useLingui } from "@lingui/react/macro";
import { Button, PasswordInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { responseOf, api, ApiError } from "../../base/api.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { fieldErrors } from "../../ui/forms/side-form.tsx";
import { Entrance } from "../entrance.tsx";
import { Refusal } from "../refusal.tsx";

/** Where an invitation and a mail for a new password lead. */
export function NewPasswordPage() {
  const { t } = useLingui();
  const token = useLocation({ select: ({ hash }) => hash });
  const form = useForm({ initialValues: { password: "" } });
  const save = useMutation({
    mutationFn: ({ password }: typeof form.values) =>
      responseOf(api.PUT("/admin/v1/auth/password-reset", { body: { token, password } })),
    onError(error) {
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  if (save.isSuccess) {
    return (
      <Entrance sentence={<Trans>The password is set. All earlier sessions have ended.</Trans>}>
        <AnchorLink to="/sign-in">
          <Trans>Sign in</Trans>
        </AnchorLink>
      </Entrance>
    );
  }
  return (
    <Entrance title={t`New password`} sentence={<Trans>Choose a password for your account.</Trans>}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack gap="md">
          <PasswordInput
            {...form.getInputProps("password")}
            label={t`New password`}
            description={t`At least 8 characters.`}
            autoComplete="new-password"
            minLength={8}
            required
            withAsterisk={false}
            autoFocus
          />
          {form.errors["password"] === undefined && <Refusal error={save.error} />}
          <Button type="submit" loading={save.isPending} fullWidth>
            <Trans>Set the password</Trans>
          </Button>
        </Stack>
      </form>
    </Entrance>
  );
}

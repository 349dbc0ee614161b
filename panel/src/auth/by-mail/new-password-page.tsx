import { Trans, useLingui } from "@lingui/react/macro";
import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { responseOf, api, ApiError } from "../../base/api.ts";
import { INSTANCE_NAME, SIGN_IN } from "../../base/place.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { fieldErrors } from "../../ui/forms/side-form.tsx";
import { Entrance } from "../entrance.tsx";
import { Refusal } from "../refusal.tsx";
import { enter, logIn } from "../sign-in.ts";

type Claims = { email?: unknown; invites?: unknown };

/** What the link says of itself. The server checks it when the form is sent. */
function readClaims(token: string): { email: string; invites: string | null } {
  try {
    const payload = token.split(".")[0]!.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
    const { email, invites } = JSON.parse(new TextDecoder().decode(bytes)) as Claims;
    return {
      email: typeof email === "string" ? email : "",
      invites: typeof invites === "string" ? invites : null,
    };
  } catch {
    return { email: "", invites: null };
  }
}

/** Where an invitation and a mail for a new password lead. Ends signed in. */
export function NewPasswordPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const token = useLocation({ select: ({ hash }) => hash });
  const { email, invites } = readClaims(token);
  const form = useForm({ initialValues: { name: invites ?? "", password: "" } });
  const save = useMutation({
    async mutationFn({ name, password }: typeof form.values) {
      const invited = invites !== null && { display_name: name.trim() || null };
      const body = { token, password, ...invited };
      const { data } = await responseOf(api.PUT("/admin/v1/auth/password-reset", { body }));
      if (!SIGN_IN.password) return null;
      await logIn(data.username, password);
      const account = await enter();
      return account.display_name ?? account.username;
    },
    onSuccess(name) {
      if (name === null) return;
      notifications.show({ message: invites === null ? t`The password is set.` : t`Welcome, ${name}` });
      void navigate({ to: "/", replace: true });
    },
    onError(error) {
      if (!(error instanceof ApiError)) return;
      // The password is set, and the account has a second factor.
      if (error.details[0]?.field === "totp") void navigate({ to: "/sign-in", replace: true });
      form.setErrors(fieldErrors(error.details));
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
  const isInvited = invites !== null;
  return (
    <Entrance
      title={isInvited ? t`Welcome to ${INSTANCE_NAME}` : t`New password`}
      sentence={
        isInvited ? (
          <Trans>You sign in with {email} and a password of your choice.</Trans>
        ) : (
          <Trans>Choose a password for your account.</Trans>
        )
      }
    >
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack gap="md">
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          {isInvited && (
            <TextInput
              {...form.getInputProps("name")}
              label={t`Your name`}
              description={t`Others see it in lists, in mails and on the pages of what you share.`}
              autoComplete="name"
              maxLength={100}
              autoFocus={invites === ""}
            />
          )}
          <PasswordInput
            {...form.getInputProps("password")}
            label={isInvited ? t`Password` : t`New password`}
            description={t`At least 8 characters.`}
            autoComplete="new-password"
            minLength={8}
            required
            withAsterisk={false}
            autoFocus={invites !== ""}
          />
          {form.errors["password"] === undefined && <Refusal error={save.error} />}
          <Button type="submit" loading={save.isPending} fullWidth>
            {isInvited ? <Trans>Sign in</Trans> : <Trans>Set the password and sign in</Trans>}
          </Button>
        </Stack>
      </form>
    </Entrance>
  );
}

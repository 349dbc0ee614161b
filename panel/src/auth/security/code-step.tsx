import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { Refusal } from "../refusal.tsx";
import { logIn } from "../sign-in.ts";

type Props = { username: string; password: string; onSignedIn(): Promise<unknown> | void; onBack(): void };

/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
export function CodeStep({ username, password, onSignedIn, onBack }: Props) {
  const { t } = useLingui();
  const [isLost, setIsLost] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const signIn = useMutation({
    async mutationFn(code: string) {
      await logIn(username, password, isLost ? { recovery_code: code } : { totp: code });
      await onSignedIn();
    },
    onError: () => field.current?.select(),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    // Its parent in React may be a waiting form.
    event.stopPropagation();
    signIn.mutate(field.current?.value ?? "");
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          key={String(isLost)}
          ref={field}
          label={isLost ? t`Recovery code` : t`6-digit code`}
          description={isLost ? t`Each one works once.` : t`From your authenticator app.`}
          autoComplete={isLost ? "off" : "one-time-code"}
          inputMode={isLost ? "text" : "numeric"}
          autoCapitalize="none"
          spellCheck={false}
          maxLength={isLost ? 64 : 32}
          required
          withAsterisk={false}
          autoFocus
          data-autofocus
        />
        <Refusal error={signIn.error} />
        <Button type="submit" loading={signIn.isPending} fullWidth>
          <Trans>Sign in</Trans>
        </Button>
        <Button variant="subtle" size="compact-sm" onClick={() => setIsLost(!isLost)}>
          {isLost ? <Trans>Use the authenticator app</Trans> : <Trans>Use a recovery code</Trans>}
        </Button>
        <Button variant="subtle" size="compact-sm" color="gray" onClick={onBack}>
          <Trans>Back</Trans>
        </Button>
      </Stack>
    </form>
  );
}

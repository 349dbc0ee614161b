import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, Suspense, useEffect, useRef, useState } from "react";
import { SIGN_IN } from "../base/place.ts";
import { tellTabs } from "../base/session-end.ts";
import { accountQuery } from "./account.ts";
import { OidcButton } from "./oidc-button.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { QuestionModal } from "./question-modal.tsx";
import { Refusal } from "./refusal.tsx";
import { SecondStep } from "./second-step.ts";
import { asksForCode, logIn } from "./sign-in.ts";

type Props = { username: string; onAnswer(isSignedIn: boolean): void };

/** Asks for the password over the page. */
export function SessionForm(props: Props) {
  return (
    <QuestionModal title={<Trans>The session has ended</Trans>}>
      <PasswordForm {...props} />
    </QuestionModal>
  );
}

function PasswordForm({ username, onAnswer }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const password = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  /** The password, while its account's code is missing. */
  const [proved, setProved] = useState<string | null>(null);
  // A form below may still take the focus, for example one that has just opened.
  useEffect(() => {
    const takeBack = ({ target }: FocusEvent) => {
      if (!form.current?.contains(target as Node)) password.current?.focus();
    };
    document.addEventListener("focusin", takeBack);
    return () => document.removeEventListener("focusin", takeBack);
  }, []);
  const signIn = useMutation({
    mutationFn: (secret: string) => logIn(username, secret),
    onSuccess: settle,
    onError(error, secret) {
      if (asksForCode(error)) setProved(secret);
      else password.current?.select();
    },
  });

  function settle(): void {
    // The role may have changed.
    void queries.invalidateQueries(accountQuery);
    tellTabs({ what: "signed-in", username });
    onAnswer(true);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    // Its parent in React may be the waiting form.
    event.stopPropagation();
    signIn.mutate(password.current?.value ?? "");
  }

  if (proved !== null) {
    return (
      <Suspense>
        <SecondStep
          username={username}
          password={proved}
          onSignedIn={settle}
          onBack={() => setProved(null)}
        />
      </Suspense>
    );
  }
  return (
    <form ref={form} onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          <Trans>Sign in again as {username}. What you typed is kept and sent.</Trans>
        </Text>
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        {SIGN_IN.password && (
          <PasswordInput
            ref={password}
            label={t`Password`}
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus
          />
        )}
        <Refusal error={signIn.error} />
        <PasskeyButton
          onSignedIn={async () => {
            const now = await queries.fetchQuery({ ...accountQuery, staleTime: 0 });
            // The page shows another account's data.
            if (now.username === username) settle();
            else window.location.reload();
          }}
        />
        <OidcButton to="/" isElsewhere />
        <Group justify="end">
          <Button variant="default" onClick={() => onAnswer(false)}>
            <Trans>Leave</Trans>
          </Button>
          {SIGN_IN.password && (
            <Button type="submit" loading={signIn.isPending}>
              <Trans>Sign in</Trans>
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

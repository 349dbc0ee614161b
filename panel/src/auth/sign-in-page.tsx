import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Code, Divider, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, Suspense, useEffect, useRef, useState } from "react";
import { parsePanelPath } from "../../../src/lib/panel-path.ts";
import { SENDS_MAILS, SIGN_IN } from "../base/place.ts";
import { onTabNews } from "../base/session-end.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { Entrance } from "./entrance.tsx";
import { OidcButton } from "./oidc-button.tsx";
import { OidcTrouble } from "./oidc-trouble.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { Refusal } from "./refusal.tsx";
import { setUpQuery } from "./set-up.ts";
import { SecondStep } from "./second-step.ts";
import { asksForCode, enter, HAS_PASSKEYS, logIn } from "./sign-in.ts";

export function SignInPage() {
  const { data: isSetUp } = useQuery(setUpQuery);
  return isSetUp ? <SignInForm /> : <NotSetUp />;
}

function SignInForm() {
  const { t } = useLingui();
  const { to: requested, oidc } = useSearch({ from: "/sign-in" });
  // Whatever the router makes of the address.
  const to = parsePanelPath(requested) ?? "/";
  const navigate = useNavigate();
  const [username, setUsername] = useState("");
  /** The password, while its account's code is missing. */
  const [proved, setProved] = useState<string | null>(null);
  const password = useRef<HTMLInputElement>(null);

  const signIn = useMutation({
    /** Null: the provider of OpenID Connect did it. */
    async mutationFn(secret: string | null) {
      if (secret !== null) await logIn(username, secret);
      await enter();
    },
    onSuccess: () => navigate({ href: to, replace: true }),
    onError(error, secret) {
      if (asksForCode(error)) setProved(secret);
      else password.current?.select();
    },
  });
  const isBack = oidc === "done";
  const { mutate } = signIn;
  useEffect(() => void (isBack && mutate(null)), [isBack, mutate]);
  useEffect(
    () => onTabNews(({ what }) => void (what === "signed-in" && navigate({ href: to, replace: true }))),
    [navigate, to],
  );

  function submit(event: FormEvent): void {
    event.preventDefault();
    signIn.mutate(password.current?.value ?? "");
  }

  if (proved !== null) {
    return (
      <Entrance sentence={<Trans>Sign in to manage links and files.</Trans>}>
        <Suspense>
          <SecondStep
            username={username}
            password={proved}
            onSignedIn={async () => {
              await enter();
              await navigate({ href: to, replace: true });
            }}
            onBack={() => setProved(null)}
          />
        </Suspense>
      </Entrance>
    );
  }
  return (
    <Entrance sentence={<Trans>Sign in to manage links and files.</Trans>}>
      <Stack gap="md">
        {oidc !== undefined && !isBack && signIn.isIdle && <OidcTrouble trouble={oidc} />}
        {!SIGN_IN.password && <Refusal error={signIn.error} />}
        {SIGN_IN.password && (
          <form onSubmit={submit}>
            <Stack gap="md">
              <TextInput
                label={t`Username or e-mail address`}
                description={t`Leave empty to sign in as the built-in administrator.`}
                autoComplete="username"
                autoCapitalize="none"
                spellCheck={false}
                autoFocus
                value={username}
                onChange={(event) => setUsername(event.currentTarget.value)}
              />
              <PasswordInput
                ref={password}
                label={t`Password`}
                autoComplete="current-password"
                required
                withAsterisk={false}
              />
              <Refusal error={signIn.error} />
              <Button type="submit" loading={signIn.isPending} fullWidth>
                <Trans>Sign in</Trans>
              </Button>
              {SENDS_MAILS && (
                <AnchorLink to="/forgot-password" size="sm" ta="center">
                  <Trans>Forgotten the password?</Trans>
                </AnchorLink>
              )}
            </Stack>
          </form>
        )}
        {SIGN_IN.password && (SIGN_IN.oidc !== null || HAS_PASSKEYS) && <Divider label={t`or`} />}
        <PasskeyButton
          fullWidth
          onSignedIn={async () => {
            await enter();
            await navigate({ href: to, replace: true });
          }}
        />
        <OidcButton to={to} />
      </Stack>
    </Entrance>
  );
}

function NotSetUp() {
  return (
    <Entrance sentence={<Trans>The panel is off until the administrator has a password.</Trans>}>
      <Text size="sm">
        <Trans>
          Open the one-time address that the server printed at its start. After an hour, a restart prints a
          new one.
        </Trans>
      </Text>
      <Text size="sm">
        <Trans>Or run this on the server. This page then continues by itself.</Trans>
      </Text>
      <Code block>waymark reset-password</Code>
    </Entrance>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { answerOf, api, ApiError } from "../app/api.ts";
import { INSTANCE_NAME } from "../app/place.ts";
import { useSentence } from "../ui/failure.tsx";
import { accountQuery } from "./account.ts";

/** The built-in administrator has no name to type. */
const ADMINISTRATOR = "admin";

export function SignInPage() {
  const { t } = useLingui();
  const { to = "/" } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const sentenceOf = useSentence();
  const [username, setUsername] = useState("");
  const password = useRef<HTMLInputElement>(null);

  const signIn = useMutation({
    async mutationFn(secret: string) {
      const name = username.trim();
      const body =
        name === "" || name === ADMINISTRATOR ? { password: secret } : { username: name, password: secret };
      await answerOf(api.POST("/admin/v1/auth/login", { body }));
      // The browser may have refused the cookies: then the account is not known.
      return queries.fetchQuery({ ...accountQuery, staleTime: 0 });
    },
    onSuccess: () => navigate({ href: to, replace: true }),
    onError: () => password.current?.select(),
  });

  const isCookieLost =
    signIn.error instanceof ApiError &&
    signIn.error.error === "Unauthorized" &&
    location.protocol === "http:" &&
    !/^(?:localhost|127\.|\[::1\])/.test(location.hostname);

  function submit(event: FormEvent): void {
    event.preventDefault();
    signIn.mutate(password.current?.value ?? "");
  }

  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder shadow="sm" radius="lg" p="xl" w="100%" maw={400}>
        <form onSubmit={submit}>
          <Stack gap="md">
            <div>
              <Title order={1} size="h3">
                {INSTANCE_NAME}
              </Title>
              <Text c="dimmed" size="sm">
                <Trans>Sign in to manage links and files.</Trans>
              </Text>
            </div>
            <TextInput
              label={t`Account`}
              description={t`Empty for the administrator.`}
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              value={username}
              onChange={(event) => setUsername(event.currentTarget.value)}
            />
            <PasswordInput
              ref={password}
              label={t`Password`}
              autoComplete="current-password"
              required
              withAsterisk={false}
              autoFocus
            />
            {signIn.isError && (
              <Alert color="red" variant="light" role="alert">
                {isCookieLost ? (
                  <Trans>
                    The browser did not keep the session, because this page is not served over HTTPS. Use
                    HTTPS, or switch off api.cookie_secure.
                  </Trans>
                ) : (
                  sentenceOf(signIn.error)
                )}
              </Alert>
            )}
            <Button type="submit" loading={signIn.isPending} fullWidth>
              <Trans>Sign in</Trans>
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}

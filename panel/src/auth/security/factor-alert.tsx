import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { totpQuery } from "../proof/totp-query.ts";
import { Refusal } from "../refusal.tsx";
import { HAS_PASSKEYS } from "../sign-in.ts";
import { askPasskey } from "./passkeys.ts";
import { confirmSignIn, passkeysQuery, refreshSecurity } from "./security-queries.ts";

type Props = { state: "off" | "on" | "required" | "unproved" };

/** Says that the role needs a second factor, and takes that which the sign-in by OpenID Connect did not ask for. */
export function FactorAlert({ state }: Props) {
  const { t } = useLingui();
  if (state !== "required" && state !== "unproved") return null;
  return (
    <Alert
      color="orange"
      title={t`Your role needs a second factor`}
      styles={{ title: { color: "var(--mantine-color-text)" } }}
    >
      {state === "unproved" ? (
        <Confirmation />
      ) : (
        <Text size="sm">
          <Trans>Set up a passkey or an authenticator app. The other pages open after that.</Trans>
        </Text>
      )}
    </Alert>
  );
}

function Confirmation() {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { data: totp } = useQuery(totpQuery);
  const { data: passkeys = [] } = useQuery(passkeysQuery);
  const [isLost, setIsLost] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const confirm = useMutation({
    async mutationFn(code: string | null) {
      if (code === null) await confirmSignIn({ passkey: (await askPasskey()) as never });
      else await confirmSignIn(isLost ? { recovery_code: code } : { totp: code });
      await refreshSecurity(queries);
    },
    onError: () => field.current?.select(),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    confirm.mutate(field.current?.value ?? "");
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={360}>
        <Text size="sm">
          <Trans>Confirm this sign-in. The other pages open after that.</Trans>
        </Text>
        {totp?.enabled && (
          <TextInput
            key={String(isLost)}
            ref={field}
            label={isLost ? t`Recovery code` : t`6-digit code`}
            autoComplete={isLost ? "off" : "one-time-code"}
            inputMode={isLost ? "text" : "numeric"}
            maxLength={isLost ? 64 : 32}
            required
            withAsterisk={false}
          />
        )}
        <Refusal error={confirm.error} />
        <Group gap="xs">
          {totp?.enabled && (
            <>
              <Button type="submit" size="xs" loading={confirm.isPending}>
                <Trans>Confirm</Trans>
              </Button>
              <Button variant="default" size="xs" onClick={() => setIsLost(!isLost)}>
                {isLost ? <Trans>Use the authenticator app</Trans> : <Trans>Use a recovery code</Trans>}
              </Button>
            </>
          )}
          {passkeys.length > 0 && HAS_PASSKEYS && (
            <Button variant="default" size="xs" onClick={() => confirm.mutate(null)}>
              <Trans>Use a passkey</Trans>
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

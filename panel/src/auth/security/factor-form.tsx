import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { totpQuery } from "../proof/totp-query.ts";
import { QuestionModal } from "../question-modal.tsx";
import { Refusal } from "../refusal.tsx";
import { HAS_PASSKEYS } from "../sign-in.ts";
import { askPasskey } from "./passkeys.ts";
import { confirmSignIn, passkeysQuery, refreshSecurity } from "./security-queries.ts";

/** Whether the account has a factor that a session can show. */
export async function hasFactor(queries: QueryClient): Promise<boolean> {
  const [totp, passkeys] = await Promise.all([
    queries.fetchQuery({ ...totpQuery, staleTime: 0 }),
    queries.fetchQuery({ ...passkeysQuery, staleTime: 0 }),
  ]);
  return totp.enabled || passkeys.length > 0;
}

/** Asks for the second factor over the page. */
export function FactorForm({ onAnswer }: { onAnswer(isShown: boolean): void }) {
  return (
    <QuestionModal title={<Trans>Confirm this sign-in</Trans>}>
      <Confirmation onShown={() => onAnswer(true)} onCancel={() => onAnswer(false)}>
        <Trans>
          Your sign-in did not ask for your second factor, and this change needs it. What you typed is kept
          and sent.
        </Trans>
      </Confirmation>
    </QuestionModal>
  );
}

type Props = { children: ReactNode; onShown?: () => void; onCancel?: () => void };

/** Takes a code of the app, a recovery code or a passkey. */
export function Confirmation({ children, onShown, onCancel }: Props) {
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
      onShown?.();
      await refreshSecurity(queries);
    },
    onError: () => field.current?.select(),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    // Its parent in React may be a waiting form.
    event.stopPropagation();
    confirm.mutate(field.current?.value ?? "");
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={360}>
        <Text size="sm">{children}</Text>
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
            data-autofocus
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
          {onCancel && (
            <Button variant="default" size="xs" onClick={onCancel}>
              <Trans>Cancel</Trans>
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

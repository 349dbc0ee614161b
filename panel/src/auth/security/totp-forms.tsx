import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Code, Group, Image, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { renderSVG } from "uqr";
import { INSTANCE_NAME } from "../../base/place.ts";
import { useCopy } from "../../ui/copy/copy-state.ts";
import { FormFoot } from "../../ui/forms/form-foot.tsx";
import { FormFields } from "../../ui/forms/side-form.tsx";
import { ProofForm } from "../proof/proof-form.tsx";
import { beginTotp, confirmTotp, refreshSecurity, removeTotp, renewCodes } from "./security-queries.ts";

type Props = { username: string; onClose(): void };

/** Password, then the QR code with a first code, then the recovery codes. */
export function TotpSetUp({ username, onClose }: Props) {
  const { t } = useLingui();
  const [begun, setBegun] = useState<{ secret: string; uri: string } | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) return <RecoveryCodes username={username} codes={codes} onClose={onClose} />;
  if (begun !== null) return <FirstCode {...begun} onClose={onClose} onDone={setCodes} />;
  return (
    <ProofForm
      username={username}
      action={t`Continue`}
      run={async (proof) => setBegun(await beginTotp(proof))}
      onClose={onClose}
    >
      <Text size="sm">
        <Trans>
          From then on, a sign-in with the password also asks for a code from an app on your phone, such as
          Aegis, 2FAS or Google Authenticator.
        </Trans>
      </Text>
    </ProofForm>
  );
}

type FirstCodeProps = {
  secret: string;
  uri: string;
  onClose(): void;
  onDone(codes: readonly string[]): void;
};

function FirstCode({ secret, uri, onClose, onDone }: FirstCodeProps) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { code: "" } });
  const confirm = useMutation({
    mutationFn: ({ code }: typeof form.values) => confirmTotp(code),
    onSuccess(codes) {
      onDone(codes);
      return refreshSecurity(queries);
    },
  });
  const picture = `data:image/svg+xml,${encodeURIComponent(renderSVG(uri, { border: 2 }))}`;
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => confirm.mutate(values))}
      onClose={onClose}
      error={confirm.error}
      isPending={confirm.isPending}
      action={t`Turn on`}
    >
      <Text size="sm">
        <Trans>Scan this with the app, or type the key into it.</Trans>
      </Text>
      <Image src={picture} alt={t`QR code for the authenticator app`} w={220} h={220} radius="md" />
      <Code block style={{ whiteSpace: "normal", overflowWrap: "anywhere" }}>
        {secret.match(/.{1,4}/g)?.join(" ")}
      </Code>
      <TextInput
        {...form.getInputProps("code")}
        label={t`6-digit code`}
        description={t`That the app shows now.`}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={32}
        required
        withAsterisk={false}
        data-autofocus
      />
    </FormFields>
  );
}

export function CodeRenewal({ username, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) return <RecoveryCodes username={username} codes={codes} onClose={onClose} />;
  return (
    <ProofForm
      username={username}
      action={t`Make new codes`}
      run={async (proof) => {
        setCodes(await renewCodes(proof));
        await refreshSecurity(queries);
      }}
      onClose={onClose}
    >
      <Text size="sm">
        <Trans>The recovery codes that you have now stop working.</Trans>
      </Text>
    </ProofForm>
  );
}

export function TotpRemoval({ username, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  return (
    <ProofForm
      username={username}
      action={t`Remove`}
      run={async (proof) => {
        await removeTotp(proof);
        onClose();
        await refreshSecurity(queries);
      }}
      onClose={onClose}
    >
      <Text size="sm">
        <Trans>Sign-ins then ask for the password alone. The recovery codes are deleted.</Trans>
      </Text>
    </ProofForm>
  );
}

/** Shown once. */
function RecoveryCodes({ username, codes, onClose }: Props & { codes: readonly string[] }) {
  const { t } = useLingui();
  const { isCopied, copy } = useCopy(codes.join("\n"));
  const title = t`Recovery codes of ${username}, ${INSTANCE_NAME}`;
  return (
    <Stack gap="sm">
      <Alert
        color="green"
        title={t`Keep these codes now. They are not shown again.`}
        styles={{ title: { color: "var(--mantine-color-text)" } }}
      >
        <Text size="sm">
          <Trans>Without the phone, each code lets you sign in once.</Trans>
        </Text>
      </Alert>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        {codes.map((code) => (
          <Code key={code} fz="sm">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={copy}>
          {isCopied ? <Trans>Copied</Trans> : <Trans>Copy</Trans>}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => print(title, codes)}>
          <Trans>Print</Trans>
        </Button>
      </Group>
      <FormFoot>
        <Button onClick={onClose} data-autofocus>
          <Trans>I have kept them</Trans>
        </Button>
      </FormFoot>
    </Stack>
  );
}

/** In a window of its own, without the page. */
function print(title: string, codes: readonly string[]): void {
  const paper = window.open("", "_blank", "width=480,height=640");
  if (paper === null) return;
  paper.document.title = title;
  const text = paper.document.createElement("pre");
  text.textContent = `${title}\n\n${codes.join("\n")}\n`;
  paper.document.body.append(text);
  paper.print();
}

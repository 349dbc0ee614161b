import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Passkey } from "../../base/api.ts";
import { formatTime } from "../../base/i18n.ts";
import { DataList } from "../../ui/lists/data-list.tsx";
import { useNamed } from "../../ui/forms/named.ts";
import { FormFields, SideForm } from "../../ui/forms/side-form.tsx";
import { HAS_PASSKEYS } from "../sign-in.ts";
import { ProofForm } from "../proof/proof-form.tsx";
import { passkeysQuery, refreshSecurity, removePasskey, renamePasskey } from "./security-queries.ts";

type Opened = { what: "new" } | { what: "name" | "removal"; passkey: Passkey };

/** The passkeys of the account. */
export function PasskeysSection({ username }: { username: string }) {
  const { t } = useLingui();
  const named = useNamed();
  const { data, error, refetch } = useQuery(passkeysQuery);
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = (): void => setOpened(null);
  const titleOf = (form: Opened): string => {
    if (form.what === "new") return t`Add a passkey`;
    const { passkey } = form;
    return form.what === "name" ? t`Rename ${passkey.name}` : t`Remove ${passkey.name}?`;
  };
  return (
    <Stack gap="xs" component="section" aria-labelledby="passkeys">
      <div>
        <Title order={2} size="h5" id="passkeys">
          <Trans>Passkeys</Trans>
        </Title>
        <Text size="sm" c="dimmed">
          <Trans>
            Sign in with your fingerprint, face or PIN, without username and password. A passkey also counts
            as a second factor.
          </Trans>
        </Text>
      </div>
      {(data === undefined || data.length > 0) && (
        <DataList<Passkey>
          label={t`Passkeys`}
          items={data}
          error={error}
          onRetry={() => void refetch()}
          keyOf={({ id }) => String(id)}
          empty={null}
          columns={[
            {
              title: t`Name`,
              cell: ({ name, last_used_at: used }) => (
                <>
                  <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
                    {name}
                  </Text>
                  <Text size="xs" c="dimmed" hiddenFrom="sm">
                    {used === null ? t`Not used yet` : formatTime(used)}
                  </Text>
                </>
              ),
            },
            {
              title: t`Last used`,
              isHidden: "narrow",
              fit: "value",
              cell: ({ last_used_at: used }) => (used === null ? t`Not used yet` : formatTime(used)),
            },
            {
              title: t({ message: "Added", context: "a passkey" }),
              isHidden: "medium",
              fit: "value",
              cell: ({ created_at: created }) => formatTime(created),
            },
            {
              title: t`Actions`,
              fit: "actions",
              cell: (passkey) => (
                <Group gap={4} justify="end">
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={t`Rename ${passkey.name}`}
                    onClick={() => setOpened({ what: "name", passkey })}
                  >
                    <Trans>Rename</Trans>
                  </Button>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    aria-label={named(t`Remove`, passkey.name)}
                    onClick={() => setOpened({ what: "removal", passkey })}
                  >
                    <Trans>Remove</Trans>
                  </Button>
                </Group>
              ),
            },
          ]}
        />
      )}
      {HAS_PASSKEYS ? (
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setOpened({ what: "new" })}>
            <Trans>Add a passkey</Trans>
          </Button>
        </Group>
      ) : (
        <Text size="sm">
          <Trans>This browser makes passkeys at addresses with HTTPS only.</Trans>
        </Text>
      )}
      <SideForm title={titleOf(opened ?? { what: "new" })} isOpen={opened !== null} onClose={close}>
        {opened?.what === "new" && <Addition username={username} onClose={close} />}
        {opened?.what === "name" && <Renaming passkey={opened.passkey} onClose={close} />}
        {opened?.what === "removal" && (
          <Removal username={username} passkey={opened.passkey} onClose={close} />
        )}
      </SideForm>
    </Stack>
  );
}

function Addition({ username, onClose }: { username: string; onClose(): void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  return (
    <ProofForm
      username={username}
      action={t`Continue`}
      run={async (proof) => {
        const { addPasskey } = await import("./passkeys.ts");
        await addPasskey(proof);
        onClose();
        await refreshSecurity(queries);
      }}
      onClose={onClose}
    >
      <Text size="sm">
        <Trans>
          The browser then asks where to keep the passkey: on this device, a phone or a security key.
        </Trans>
      </Text>
    </ProofForm>
  );
}

type RemovalProps = { username: string; passkey: Passkey; onClose(): void };

function Removal({ username, passkey, onClose }: RemovalProps) {
  const { t } = useLingui();
  const queries = useQueryClient();
  return (
    <ProofForm
      username={username}
      action={t`Remove`}
      run={async (proof) => {
        await removePasskey(passkey.id, proof);
        onClose();
        await refreshSecurity(queries);
      }}
      onClose={onClose}
    >
      <Text size="sm">
        <Trans>Nobody can sign in with {passkey.name} any more. Delete it on your device too.</Trans>
      </Text>
    </ProofForm>
  );
}

function Renaming({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { name: passkey.name } });
  const save = useMutation({
    mutationFn: ({ name }: typeof form.values) => renamePasskey(passkey.id, name),
    async onSuccess() {
      onClose();
      await queries.invalidateQueries(passkeysQuery);
    },
  });
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={t`Save`}
    >
      <TextInput
        {...form.getInputProps("name")}
        label={t`Name`}
        autoComplete="off"
        maxLength={64}
        required
        withAsterisk={false}
        data-autofocus
      />
    </FormFields>
  );
}

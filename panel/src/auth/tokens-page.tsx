import { Trans, useLingui } from "@lingui/react/macro";
import {
  Alert,
  Badge,
  Button,
  Checkbox,
  Code,
  CopyButton,
  Group,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconPlus } from "@tabler/icons-react";
import { queryOptions, useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api, ApiError, type NewToken, type Token } from "../app/api.ts";
import { formatDate } from "../app/i18n.ts";
import { useAsked } from "../ui/asked.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { DataList } from "../ui/data-list.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { fieldErrors, FormFields, SideForm } from "../ui/side-form.tsx";
import { accountQuery } from "./account.ts";

type Scope = NewToken["scopes"][number];

const MOST_SHOWN = 100;
const SCOPES: Record<"user" | "editor" | "admin", readonly Scope[]> = {
  user: ["files:read", "files:write"],
  editor: ["links:read", "links:write", "analytics:read", "files:read", "files:write"],
  admin: ["links:read", "links:write", "analytics:read", "files:read", "files:write", "admin"],
};

const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: async ({ signal }) => {
    const query = { page_size: MOST_SHOWN };
    return (await answerOf(api.GET("/admin/v1/tokens", { params: { query }, signal }))).data;
  },
});

export function TokensPage() {
  const { t } = useLingui();
  const [isMaking, setIsMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const { data, error, refetch } = useQuery(tokensQuery);
  useAsked("new-token", () => setIsMaking(true));
  return (
    <Stack p="md" gap="md">
      <PageHead title={t`API tokens`} sentence={t`Programs use a token instead of a password.`}>
        <Button leftSection={<IconPlus size={16} />} onClick={() => setIsMaking(true)}>
          <Trans>New token</Trans>
        </Button>
      </PageHead>
      {secret !== null && <Secret secret={secret} onClose={() => setSecret(null)} />}
      <DataList<Token>
        label={t`API tokens`}
        items={data}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        empty={<Trans>There are no tokens yet.</Trans>}
        columns={[
          {
            title: t`Name`,
            cell: ({ name, expired }) => (
              <Group gap={6}>
                <Text size="sm" fw={600}>
                  {name}
                </Text>
                {expired && (
                  <Badge size="xs" color="gray" variant="light">
                    <Trans>Expired</Trans>
                  </Badge>
                )}
              </Group>
            ),
          },
          {
            title: t`Scopes`,
            cell: ({ scopes }) => (
              <Text size="sm" c="dimmed">
                {scopes.join(", ")}
              </Text>
            ),
          },
          {
            title: t`Last used`,
            isHidden: "narrow",
            cell: ({ last_used_at: used }) => (used === null ? t`Never` : formatDate(used)),
          },
          {
            title: t`Expires`,
            isHidden: "narrow",
            cell: ({ expires_at: expires }) => (expires === null ? t`Never` : formatDate(expires)),
          },
          { title: t`Actions`, cell: (token) => <Revoke token={token} /> },
        ]}
      />
      <SideForm title={t`New token`} isOpen={isMaking} onClose={() => setIsMaking(false)}>
        <TokenFields onClose={() => setIsMaking(false)} onMade={setSecret} />
      </SideForm>
    </Stack>
  );
}

export function Secret({ secret, onClose }: { secret: string; onClose(): void }) {
  const { t } = useLingui();
  return (
    <Alert
      color="green"
      withCloseButton
      onClose={onClose}
      closeButtonLabel={t`Close`}
      title={t`Copy the token now. It is not shown again.`}
    >
      <Group gap="xs">
        <Code style={{ overflowWrap: "anywhere" }}>{secret}</Code>
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button size="compact-sm" variant="default" onClick={copy}>
              {copied ? <Trans>Copied</Trans> : <Trans>Copy</Trans>}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Alert>
  );
}

function Revoke({ token }: { token: Token }) {
  const { t } = useLingui();
  return (
    <ConfirmButton
      label={t`Revoke`}
      question={t`Programs that use ${token.name} lose access at once.`}
      list="tokens"
      run={() => answerOf(api.DELETE("/admin/v1/tokens/{id}", { params: { path: { id: token.id } } }))}
    />
  );
}

export function TokenFields({ onClose, onMade }: { onClose(): void; onMade(secret: string): void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { data: account } = useSuspenseQuery(accountQuery);
  const form = useForm({ initialValues: { name: "", scopes: [] as Scope[], expires_at: "90d" } });
  const make = useMutation({
    mutationFn: async ({ name, scopes, expires_at: expires }: typeof form.values) => {
      const body = {
        name: name.trim(),
        scopes,
        ...(expires.trim() !== "" && { expires_at: expires.trim() }),
      };
      return (await answerOf(api.POST("/admin/v1/tokens", { body }))).data;
    },
    async onSuccess({ token }) {
      onMade(token);
      onClose();
      await queries.invalidateQueries({ queryKey: ["tokens"] });
    },
    onError(error) {
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => make.mutate(values))}
      onClose={onClose}
      error={make.error}
      isPending={make.isPending}
      action={t`Create`}
    >
      <TextInput
        {...form.getInputProps("name")}
        label={t`Name`}
        required
        withAsterisk={false}
        maxLength={64}
        data-autofocus
      />
      <Checkbox.Group {...form.getInputProps("scopes")} label={t`Scopes`}>
        <Stack gap={8} mt={6}>
          {SCOPES[account.role].map((scope) => (
            <Checkbox key={scope} value={scope} label={scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TextInput
        {...form.getInputProps("expires_at")}
        label={t`Expires`}
        description={t`A date such as 2027-01-31T18:00:00Z, or a time from now such as 7d. Empty: never.`}
      />
    </FormFields>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { Badge, Button, Group, PasswordInput, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconPlus } from "@tabler/icons-react";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Account, answerOf, api, ApiError } from "../app/api.ts";
import { formatDate } from "../app/i18n.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { DataList } from "../ui/data-list.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { fieldErrors, FormFields, SideForm } from "../ui/side-form.tsx";

const MOST_SHOWN = 100;

const usersQuery = queryOptions({
  queryKey: ["users"],
  queryFn: async ({ signal }) => {
    const query = { page_size: MOST_SHOWN };
    return (await answerOf(api.GET("/admin/v1/users", { params: { query }, signal }))).data;
  },
});

function useRoleNames(): Record<Account["role"], string> {
  const { t } = useLingui();
  return { admin: t`Administrator`, editor: t`Editor`, user: t`Files only` };
}

export function UsersPage() {
  const { t } = useLingui();
  const roles = useRoleNames();
  const [edited, setEdited] = useState<Account | "new" | null>(null);
  const { data, error, refetch } = useQuery(usersQuery);
  return (
    <Stack p="md" gap="md">
      <PageHead title={t`Accounts`} sentence={t`The built-in administrator is not listed.`}>
        <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited("new")}>
          <Trans>New account</Trans>
        </Button>
      </PageHead>
      <DataList<Account>
        label={t`Accounts`}
        items={data}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        empty={<Trans>There are no other accounts yet.</Trans>}
        columns={[
          {
            title: t`Name`,
            cell: ({ username, disabled }) => (
              <Group gap={6}>
                <Text size="sm" fw={600}>
                  {username}
                </Text>
                {disabled && (
                  <Badge size="xs" color="gray" variant="light">
                    <Trans>Disabled</Trans>
                  </Badge>
                )}
              </Group>
            ),
          },
          { title: t`Role`, cell: ({ role }) => roles[role] },
          {
            title: t`Created`,
            isHidden: "narrow",
            cell: ({ created_at: created }) => (created === null ? "" : formatDate(created)),
          },
          {
            title: t`Actions`,
            cell: (account) => (
              <Group gap={4} wrap="nowrap">
                <Button size="compact-sm" variant="subtle" onClick={() => setEdited(account)}>
                  <Trans>Edit</Trans>
                </Button>
                <Remove account={account} />
              </Group>
            ),
          },
        ]}
      />
      <SideForm
        title={edited === "new" || edited === null ? t`New account` : t`Edit ${edited.username}`}
        isOpen={edited !== null}
        onClose={() => setEdited(null)}
      >
        {edited !== null && (
          <AccountFields account={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
        )}
      </SideForm>
    </Stack>
  );
}

function Remove({ account }: { account: Account }) {
  const { t } = useLingui();
  return (
    <ConfirmButton
      label={t`Delete`}
      question={t`The account ${account.username} and its files go for good. Its links stay.`}
      list="users"
      run={() => answerOf(api.DELETE("/admin/v1/users/{id}", { params: { path: { id: account.id } } }))}
    />
  );
}

function AccountFields({ account, onClose }: { account: Account | null; onClose(): void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const roles = useRoleNames();
  const form = useForm({
    initialValues: {
      username: account?.username ?? "",
      password: "",
      role: account?.role ?? ("editor" as const),
      disabled: account?.disabled ?? false,
    },
  });
  const save = useMutation({
    async mutationFn({ password, ...values }: typeof form.values) {
      if (account === null) {
        await answerOf(api.POST("/admin/v1/users", { body: { ...values, password } }));
        return;
      }
      const body = { ...values, ...(password !== "" && { password }) };
      await answerOf(api.PATCH("/admin/v1/users/{id}", { params: { path: { id: account.id } }, body }));
    },
    async onSuccess() {
      onClose();
      await queries.invalidateQueries({ queryKey: ["users"] });
    },
    onError(error) {
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={account === null ? t`Create` : t`Save`}
    >
      <TextInput
        {...form.getInputProps("username")}
        label={t`Name`}
        required
        withAsterisk={false}
        autoCapitalize="none"
        autoComplete="off"
        maxLength={64}
        data-autofocus
      />
      <PasswordInput
        {...form.getInputProps("password")}
        label={t`Password`}
        description={
          account === null ? t`At least 8 characters.` : t`Empty keeps it. A new one ends the sessions.`
        }
        required={account === null}
        withAsterisk={false}
        minLength={8}
        autoComplete="new-password"
      />
      <Select
        {...form.getInputProps("role")}
        label={t`Role`}
        allowDeselect={false}
        data={Object.entries(roles).map(([value, label]) => ({ value, label }))}
      />
      {account !== null && (
        <Switch
          {...form.getInputProps("disabled", { type: "checkbox" })}
          label={t`Disabled: may not sign in`}
        />
      )}
    </FormFields>
  );
}

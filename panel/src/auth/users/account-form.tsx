import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Group, PasswordInput, Select, Switch, Text, TextInput } from "@mantine/core";
import type { GetInputPropsReturnType, UseFormReturnType } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError, type ListedAccount } from "../../base/api.ts";
import { lazyPart } from "../../base/lazy.ts";
import { withMailTexts } from "../../base/mail-texts.ts";
import { SENDS_MAILS } from "../../base/place.ts";
import { ButtonLink } from "../../ui/button-link.tsx";
import { BytesField } from "../../ui/forms/bytes-field.tsx";
import { ConfirmButton } from "../../ui/forms/confirm-button.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { fieldErrors, FormFields } from "../../ui/forms/side-form.tsx";
import { useDraftForm } from "../../ui/forms/use-draft-form.tsx";
import { useRoleNames, useRoleTexts } from "./role-names.ts";
import { refreshUsers, resetSecondFactor, saveAccount } from "./user-queries.ts";

const MailFields = lazyPart(
  async () => (await withMailTexts(() => import("../by-mail/account-fields.tsx"))).MailFields,
);

async function tellInvited(address: string): Promise<void> {
  (await withMailTexts(() => import("../by-mail/invite-again.tsx"))).tellInvited(address);
}

type Props = { account: ListedAccount | null; onClose(): void };

export function AccountForm({ account, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const [roles, texts] = [useRoleNames(), useRoleTexts()];
  const { form, notice, forget } = useDraftForm(
    account === null ? "new account" : `account ${account.id}`,
    {
      username: account?.username ?? "",
      display_name: account?.display_name ?? "",
      email: account?.email ?? "",
      invite: account === null && SENDS_MAILS,
      password: "",
      role: account?.role ?? ("editor" as const),
      disabled: account?.disabled ?? false,
      quota_bytes: account?.quota_bytes ?? 0,
    },
    { secrets: ["password"] },
  );
  const { password, invite, role, disabled, quota_bytes: quota } = form.values;
  const { close, tellIfGone } = useLateResponse(onClose);
  const save = useMutation({
    mutationFn: (values: typeof form.values) => {
      const { password: typed, invite: isInvited, email: address, display_name: name, ...shared } = values;
      const isKept = isInvited || (account !== null && typed === "");
      return saveAccount(account, {
        ...shared,
        display_name: name.trim() || null,
        email: address.trim() || null,
        ...(isInvited && { invite: true }),
        ...(!isKept && { password: typed }),
      });
    },
    async onSuccess(_, { invite: isInvited, email: address }) {
      forget();
      close();
      if (isInvited) void tellInvited(address.trim());
      await refreshUsers(queries);
    },
    onError(error) {
      tellIfGone(error);
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  const endsSessions = account !== null && (password !== "" || role !== account.role);
  const suggest = (): void => void (account === null && suggestUsername(form));
  // Before the password only if the address can stand in for it.
  const mailFields = (
    <MailFields
      account={account}
      email={{ ...form.getInputProps("email"), onBlur: suggest }}
      invite={form.getInputProps("invite", { type: "checkbox" })}
    />
  );
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={account !== null ? t`Save` : invite ? t`Invite` : t`Create`}
    >
      {notice}
      <TextInput
        {...form.getInputProps("display_name")}
        label={t({ message: "Name", context: "of a person" })}
        description={t`As others see it, in any script.`}
        autoComplete="off"
        maxLength={100}
        data-autofocus
        onBlur={suggest}
      />
      {SENDS_MAILS && mailFields}
      {!invite && (
        <PasswordInput
          {...form.getInputProps("password")}
          label={account === null ? t`Password` : t`New password`}
          description={account === null ? t`At least 8 characters.` : t`Empty keeps the old one.`}
          required={account === null}
          withAsterisk={false}
          minLength={8}
          autoComplete="new-password"
        />
      )}
      <UsernameField {...form.getInputProps("username")} />
      <Select
        {...form.getInputProps("role")}
        label={t`Role`}
        description={texts[role]}
        allowDeselect={false}
        data={Object.entries(roles).map(([value, label]) => ({ value, label }))}
      />
      {!SENDS_MAILS && mailFields}
      <BytesField
        label={t`Space for files`}
        value={quota === 0 ? null : quota}
        placeholder={t`Unlimited`}
        onChange={(bytes) => form.setFieldValue("quota_bytes", bytes ?? 0)}
        error={form.errors["quota_bytes"]?.toString()}
      />
      {account !== null && (
        <Switch
          {...form.getInputProps("disabled", { type: "checkbox" })}
          label={t`Disabled: may not sign in`}
        />
      )}
      {account !== null && <HandOver username={account.username} />}
      {account?.second_factor && <SecondFactorReset account={account} onDone={onClose} />}
      {account !== null && disabled && !account.disabled && <DisablingNote />}
      {endsSessions && !disabled && (
        <Text size="sm" c="dimmed">
          {t`This ends the sessions of the account.`}
        </Text>
      )}
    </FormFields>
  );
}

const HandOver = ({ username }: { username: string }) => (
  <ButtonLink
    to="/links"
    search={{ owner: username }}
    state={{ requested: "hand-over" }}
    variant="default"
    size="compact-sm"
    style={{ alignSelf: "start" }}
  >
    <Trans>Hand over links</Trans>
  </ButtonLink>
);

function DisablingNote() {
  const { t } = useLingui();
  return (
    <Alert color="orange" variant="light">
      <Text size="sm">
        {t`Its sessions end at once and its API tokens are removed for good. Links and files stay.`}
      </Text>
    </Alert>
  );
}

type NameForm = Pick<
  UseFormReturnType<{ username: string; display_name: string; email: string }>,
  "values" | "setFieldValue"
>;

/** From the address, else from the name in Latin letters without their marks. */
function suggestUsername({ values, setFieldValue }: NameForm): void {
  if (values.username !== "") return;
  const [local = ""] = values.email.trim().split("@");
  const latin = (local || values.display_name.trim()).normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  const parts = latin.toLowerCase().split(/[^a-z0-9._-]+/);
  setFieldValue("username", parts.filter(Boolean).join(".").slice(0, 64));
}

/** Below the others, because it follows from them. */
function UsernameField(field: GetInputPropsReturnType) {
  const { t } = useLingui();
  return (
    <TextInput
      {...field}
      label={t`Username`}
      description={t`Letters, digits and . _ @ -`}
      required
      withAsterisk={false}
      autoCapitalize="none"
      autoComplete="off"
      spellCheck={false}
      maxLength={64}
    />
  );
}

function SecondFactorReset({ account, onDone }: { account: ListedAccount; onDone(): void }) {
  const { t } = useLingui();
  return (
    <Group gap="xs" justify="space-between">
      <Text size="sm">{t`Signs in with a second factor.`}</Text>
      <ConfirmButton
        label={t`Reset`}
        question={t`The authenticator app and the passkeys of ${account.username} are removed, and its sessions end.`}
        list="users"
        run={async () => {
          await resetSecondFactor(account);
          onDone();
        }}
      />
    </Group>
  );
}

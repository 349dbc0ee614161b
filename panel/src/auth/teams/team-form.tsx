import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Input, Select, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError, type Team } from "../../base/api.ts";
import { BytesField } from "../../ui/forms/bytes-field.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { fieldErrors, FormFields } from "../../ui/forms/side-form.tsx";
import { useDraftForm } from "../../ui/forms/use-draft-form.tsx";
import { AccountField } from "./owner-field.tsx";
import { saveTeam, useTeamRoles } from "./team-queries.ts";

type Props = {
  team: Team | null;
  /** Whether the account sets how much space the files take. */
  maySetQuota: boolean;
  onClose(): void;
};

export function TeamForm({ team, maySetQuota, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { form, notice, forget } = useDraftForm(team === null ? "new team" : `team ${team.id}`, {
    name: team?.name ?? "",
    members: team?.members ?? [],
    quota_bytes: team?.quota_bytes ?? 0,
  });
  const { close, tellIfGone } = useLateResponse(onClose);
  const save = useMutation({
    mutationFn({ quota_bytes, ...body }: typeof form.values) {
      return saveTeam(team, { ...body, ...(maySetQuota && { quota_bytes }) });
    },
    async onSuccess() {
      forget();
      close();
      await queries.invalidateQueries({ queryKey: ["teams"] });
    },
    onError(error) {
      tellIfGone(error);
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  const roles = Object.entries(useTeamRoles()).map(([value, label]) => ({ value, label }));
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={team === null ? t`Create` : t`Save`}
    >
      {notice}
      <TextInput
        {...form.getInputProps("name")}
        label={t`Name`}
        description={t`Letters, digits and . _ @ -`}
        required
        withAsterisk={false}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        maxLength={64}
        data-autofocus
      />
      {maySetQuota && (
        <BytesField
          label={t`Space for files`}
          value={form.values.quota_bytes || null}
          placeholder={t`Unlimited`}
          onChange={(bytes) => form.setFieldValue("quota_bytes", bytes ?? 0)}
          error={form.errors["quota_bytes"]?.toString()}
        />
      )}
      <Input.Wrapper
        label={t`Members`}
        labelElement="div"
        description={t`Viewers see links and analytics, editors also change them, managers also change members.`}
        error={form.errors["members"]}
      >
        <Stack gap="xs" mt="xs">
          {form.values.members.map(({ account }, at) => (
            <Group key={at} gap="xs" wrap="nowrap">
              <AccountField
                {...form.getInputProps(`members.${at}.account`)}
                value={account}
                required
                style={{ flex: 1, minWidth: 0 }}
              />
              <Select
                {...form.getInputProps(`members.${at}.role`)}
                aria-label={t`Role`}
                allowDeselect={false}
                data={roles}
                w={130}
              />
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={t`Remove ${account}`}
                onClick={() => form.removeListItem("members", at)}
              >
                <Trans>Remove</Trans>
              </Button>
            </Group>
          ))}
          <Button
            variant="default"
            onClick={() => form.insertListItem("members", { account: "", role: "editor" })}
          >
            <Trans>Add a member</Trans>
          </Button>
        </Stack>
      </Input.Wrapper>
    </FormFields>
  );
}

import { useLingui } from "@lingui/react/macro";
import { Radio, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError, type Policy } from "../../base/api.ts";
import { BytesField } from "../../ui/forms/bytes-field.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { fieldErrors, FormFields } from "../../ui/forms/side-form.tsx";
import { useDraftForm } from "../../ui/forms/use-draft-form.tsx";
import { LinkedFields } from "./linked-fields.tsx";
import { refreshPolicies, savePolicy } from "./policy-queries.ts";
import { newPolicyOf, policyUpdateOf, policyValuesOf } from "./policy-values.ts";
import { S3Fields } from "./s3-fields.tsx";

type Props = { policy: Policy | null; onClose(): void; onSaved(policy: Policy): void };

export function PolicyForm({ policy, onClose, onSaved }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { form, notice, forget } = useDraftForm(
    policy === null ? "new storage" : `storage ${policy.id}`,
    policyValuesOf(policy),
    { secrets: ["access_key", "secret_key"] },
  );
  const { driver_type: driver } = form.values;
  const isS3 = driver === "s3";
  const isLinked = driver === "linked";
  const isFixed = policy !== null;
  const { close, tellIfGone } = useLateResponse(onClose);
  const save = useMutation({
    mutationFn: (values: typeof form.values) =>
      savePolicy(policy, newPolicyOf(values), policy === null ? {} : policyUpdateOf(policy, values)),
    async onSuccess(saved) {
      forget();
      close();
      await refreshPolicies(queries);
      onSaved(saved);
    },
    onError(error) {
      tellIfGone(error);
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={policy === null ? t`Create` : t`Save`}
    >
      {notice}
      <TextInput
        {...form.getInputProps("name")}
        label={t`Name`}
        required
        withAsterisk={false}
        maxLength={255}
        data-autofocus
      />
      {isFixed ? (
        <Text size="sm" c="dimmed">
          {isS3 ? t`S3 storage` : isLinked ? t`Existing folder` : t`Folder on this machine`}.{" "}
          {t`Where the files are can't be changed, because files are stored there. Make another storage instead.`}
        </Text>
      ) : (
        <Radio.Group {...form.getInputProps("driver_type")} label={t`Kind`}>
          <Stack gap={8} mt={6}>
            <Radio value="local" label={t`Folder on this machine`} />
            <Radio value="s3" label={t`S3 storage`} />
            <Radio
              value="linked"
              label={t`Existing folder`}
              description={t`Shows the files that are already in it. Waymark changes nothing there unless you allow it.`}
            />
          </Stack>
        </Radio.Group>
      )}
      {isS3 && <S3Fields form={form} isFixed={isFixed} />}
      <TextInput
        {...form.getInputProps("base_path")}
        label={isS3 ? t`Prefix in the bucket` : t`Folder`}
        description={
          isS3
            ? t`Empty: the whole bucket.`
            : isLinked
              ? t`The full path, such as /srv/photos, inside a folder that the server's configuration allows.`
              : t`In the data folder unless it begins with a slash. Empty: one of its own.`
        }
        disabled={isFixed}
        spellCheck={false}
      />
      {isLinked && <LinkedFields form={form} />}
      {!isLinked && (
        <BytesField
          label={t`Largest file`}
          value={form.values.max_file_size === 0 ? null : form.values.max_file_size}
          placeholder={t`Unlimited`}
          onChange={(bytes) => form.setFieldValue("max_file_size", bytes ?? 0)}
          error={form.errors["max_file_size"]?.toString()}
        />
      )}
      {isS3 && (
        <Select
          {...form.getInputProps("download")}
          label={t`Downloads`}
          allowDeselect={false}
          data={[
            { value: "relay", label: t`Through Waymark` },
            { value: "redirect", label: t`Straight from the storage, by a signed address` },
          ]}
        />
      )}
      {!isLinked && (
        <Switch
          {...form.getInputProps("is_default", { type: "checkbox" })}
          label={t`Default: takes the files of folders without a storage of their own`}
          disabled={policy?.is_default ?? false}
        />
      )}
    </FormFields>
  );
}

import { useLingui } from "@lingui/react/macro";
import { PasswordInput, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { PolicyValues } from "./policy-values.ts";

type Props = { form: UseFormReturnType<PolicyValues>; isFixed: boolean };

/** Stored keys are never shown; what is typed replaces them. */
export function S3Fields({ form, isFixed }: Props) {
  const { t } = useLingui();
  const key = isFixed
    ? { placeholder: t`Set; type to replace it` }
    : { required: true, withAsterisk: false as const };
  return (
    <>
      <TextInput
        {...form.getInputProps("endpoint")}
        label={t`Endpoint`}
        placeholder="https://s3.example.com"
        required
        withAsterisk={false}
        disabled={isFixed}
        spellCheck={false}
      />
      <TextInput
        {...form.getInputProps("bucket")}
        label={t`Bucket`}
        required
        withAsterisk={false}
        disabled={isFixed}
        spellCheck={false}
        autoCapitalize="none"
      />
      <TextInput
        {...form.getInputProps("region")}
        label={t`Region`}
        placeholder="us-east-1"
        spellCheck={false}
        autoCapitalize="none"
      />
      <PasswordInput
        {...form.getInputProps("access_key")}
        {...key}
        label={t`Access key`}
        autoComplete="off"
      />
      <PasswordInput
        {...form.getInputProps("secret_key")}
        {...key}
        label={t`Secret key`}
        autoComplete="new-password"
      />
    </>
  );
}

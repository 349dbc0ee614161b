import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useFailureNotice } from "../ui/notices/undo.tsx";
import { generateSecret, type ShownSetting } from "./setting-queries.ts";
import { wordsOf } from "./words/setting-words.ts";

type Props = {
  shown: ShownSetting;
  /** Null: remove it. */
  value: string | null;
  error: string | undefined;
  onChange(value: string | null): void;
};

/** Never shows the stored value. Takes a new one, or generates it. */
export function SecretField({ shown: { definition, setting }, value, error, onChange }: Props) {
  const { t } = useLingui();
  const { key, action, allowed } = definition;
  const isSet = setting.value !== "";
  const mayBeEmpty = allowed.startsWith("empty");
  const make = useMutation({
    mutationFn: () => generateSecret(key),
    onSuccess: onChange,
    onError: useFailureNotice(),
  });
  return (
    <Stack gap={6}>
      <Text size="sm">
        {value === null ? (
          <Trans>It is removed when you save.</Trans>
        ) : isSet ? (
          <Trans>A value is set. It is never shown.</Trans>
        ) : (
          <Trans>No value is set.</Trans>
        )}
      </Text>
      <PasswordInput
        size="sm"
        aria-label={`${wordsOf(definition).name}, ${key}`}
        value={value ?? ""}
        error={error}
        placeholder={isSet ? t`Replace it` : t`A new value`}
        autoComplete="new-password"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Group gap="xs">
        {action === "generate_token" && (
          <Button
            size="compact-sm"
            variant="default"
            loading={make.isPending}
            aria-label={t`Generate a value for ${key}`}
            onClick={() => make.mutate()}
          >
            <Trans>Generate</Trans>
          </Button>
        )}
        {isSet && mayBeEmpty && value !== null && (
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={t`Remove the value of ${key}`}
            onClick={() => onChange(null)}
          >
            <Trans>Remove the value</Trans>
          </Button>
        )}
      </Group>
    </Stack>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import {
  Alert,
  Button,
  Code,
  CopyButton,
  Group,
  NumberInput,
  PasswordInput,
  Stack,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { ApiError } from "../app/api.ts";
import { fieldErrors, FormFields } from "../ui/side-form.tsx";
import { type Entry, shareEntry } from "./file-queries.ts";

/** Makes a short link to a file or folder. */
export function ShareForm({ entry, onClose }: { entry: Entry; onClose(): void }) {
  const { t } = useLingui();
  const form = useForm({
    initialValues: { expires_at: "7d", password: "", max_downloads: "" as number | string },
  });
  const share = useMutation({
    mutationFn: ({ expires_at: expires, password, max_downloads: most }: typeof form.values) =>
      shareEntry(entry, {
        ...(expires.trim() !== "" && { expires_at: expires.trim() }),
        ...(password !== "" && { password }),
        ...(most !== "" && { max_downloads: Number(most) }),
      }),
    onError(error) {
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  if (share.data !== undefined) {
    return (
      <Stack gap="sm">
        <Alert color="green" title={t`The share is ready.`}>
          <Code style={{ overflowWrap: "anywhere" }}>{share.data}</Code>
        </Alert>
        <Group justify="end">
          <CopyButton value={share.data}>
            {({ copied, copy }) => (
              <Button onClick={copy}>{copied ? <Trans>Copied</Trans> : <Trans>Copy</Trans>}</Button>
            )}
          </CopyButton>
          <Button variant="default" onClick={onClose}>
            <Trans>Close</Trans>
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => share.mutate(values))}
      onClose={onClose}
      error={share.error}
      isPending={share.isPending}
      action={t`Share`}
    >
      <TextInput
        {...form.getInputProps("expires_at")}
        label={t`Expires`}
        description={t`A date such as 2027-01-31T18:00:00Z, or a time from now such as 7d. Empty: never.`}
        data-autofocus
      />
      <PasswordInput
        {...form.getInputProps("password")}
        label={t`Password`}
        description={t`At least 8 characters. Empty: none.`}
        autoComplete="new-password"
      />
      <NumberInput
        {...form.getInputProps("max_downloads")}
        label={t`Downloads`}
        description={t`How often it may be downloaded. Empty: as often as wanted.`}
        min={1}
        allowDecimal={false}
      />
    </FormFields>
  );
}

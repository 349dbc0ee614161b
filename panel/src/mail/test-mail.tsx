import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { ApiError } from "../base/api.ts";
import { fieldErrors } from "../ui/forms/side-form.tsx";
import { sendTest } from "./mail-queries.ts";

export function TestMail({ onSent }: { onSent(): Promise<unknown> }) {
  const { t } = useLingui();
  const form = useForm({ initialValues: { to: "" } });
  const send = useMutation({
    mutationFn: ({ to }: typeof form.values) => sendTest(to),
    async onSuccess() {
      notifications.show({ message: t`The test mail is queued. The list shows what becomes of it.` });
      await onSent();
    },
    onError(error) {
      const errors = error instanceof ApiError ? fieldErrors(error.details) : {};
      form.setErrors("to" in errors ? errors : { to: error.message });
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => send.mutate(values))}>
      <Group align="start" gap="xs">
        <TextInput
          {...form.getInputProps("to")}
          type="email"
          aria-label={t`Address for a test mail`}
          placeholder={t`Address for a test mail`}
          required
          maxLength={254}
          w={280}
        />
        <Button type="submit" variant="default" loading={send.isPending}>
          <Trans>Send a test mail</Trans>
        </Button>
      </Group>
    </form>
  );
}

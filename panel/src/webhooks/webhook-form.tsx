import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Checkbox, Group, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError, type CreatedWebhook, type Webhook } from "../base/api.ts";
import { formatTime } from "../base/i18n.ts";
import { fieldErrors, FormFields } from "../ui/forms/side-form.tsx";
import { useDraftForm } from "../ui/forms/use-draft-form.tsx";
import { useLateResponse } from "../ui/notices/late-answer.ts";
import { useFailureNotice } from "../ui/notices/undo.tsx";
import { addWebhook, changeWebhook, rotateSecret } from "./webhook-queries.ts";
import { type EventName, useEventNames } from "./webhook-names.ts";

type Props = { webhook: Webhook | null; onClose(): void; onSecret(secret: string): void };

export function WebhookForm({ webhook, onClose, onSecret }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const names = useEventNames();
  const { form, notice, forget } = useDraftForm(webhook === null ? "new webhook" : `webhook ${webhook.id}`, {
    url: webhook?.url ?? "",
    events: (webhook?.events ?? []) as EventName[],
    enabled: webhook?.enabled ?? true,
  });
  const { close, tellIfGone } = useLateResponse(onClose);
  const save = useMutation({
    mutationFn: async ({ enabled, ...fields }: typeof form.values) => {
      if (webhook === null) return addWebhook(fields);
      return changeWebhook(webhook, { ...fields, ...(enabled !== webhook.enabled && { enabled }) });
    },
    async onSuccess(saved) {
      forget();
      if (webhook === null) onSecret((saved as CreatedWebhook).secret);
      close();
      await queries.invalidateQueries({ queryKey: ["webhooks"] });
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
      action={webhook === null ? t`Create` : t`Save`}
    >
      {notice}
      <TextInput
        {...form.getInputProps("url")}
        label={t`Address`}
        description={t`Requests go there. It begins with https:// or http://.`}
        placeholder="https://"
        required
        withAsterisk={false}
        maxLength={2000}
        spellCheck={false}
        autoCapitalize="none"
        data-autofocus
      />
      <Checkbox.Group {...form.getInputProps("events")} label={t`Events`}>
        <Stack gap={8} mt={6}>
          {Object.entries(names).map(([name, label]) => (
            <Checkbox key={name} value={name} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
      {webhook !== null && (
        <>
          <Switch
            {...form.getInputProps("enabled", { type: "checkbox" })}
            label={t`Enabled`}
            description={t`What waits is sent as soon as it is enabled. What happens meanwhile is not queued.`}
          />
          <NewSecret webhook={webhook} onClose={onClose} onSecret={onSecret} />
        </>
      )}
    </FormFields>
  );
}

function NewSecret({ webhook, onClose, onSecret }: Omit<Props, "webhook"> & { webhook: Webhook }) {
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const rotate = useMutation({
    mutationFn: () => rotateSecret(webhook),
    async onSuccess({ secret }) {
      onSecret(secret);
      onClose();
      await queries.invalidateQueries({ queryKey: ["webhooks"] });
    },
    onError,
  });
  const { previous_secret_until: until } = webhook;
  return (
    <Stack gap={4}>
      <Group>
        <Button size="xs" variant="default" loading={rotate.isPending} onClick={() => rotate.mutate()}>
          <Trans>New secret</Trans>
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {until === null ? (
          <Trans>For a day, requests have a second signature by the secret before.</Trans>
        ) : (
          <Trans>The secret before signs too until {formatTime(until)}.</Trans>
        )}
      </Text>
    </Stack>
  );
}

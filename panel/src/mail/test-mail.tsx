import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../base/api.ts";
import { fieldErrors } from "../ui/forms/side-form.tsx";
import { StateBadge } from "../ui/state-badge.tsx";
import { MAIL_TONES, mailQuery, sendTest } from "./mail-queries.ts";
import { useStateNames } from "./mail-texts.ts";

/** Sends a mail the way of every mail, and says what becomes of it. */
export function TestMail() {
  const { t } = useLingui();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { to: "" } });
  const send = useMutation({
    mutationFn: ({ to }: typeof form.values) => sendTest(to),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["mails"] }),
    onError(error) {
      const errors = error instanceof ApiError ? fieldErrors(error.details) : {};
      form.setErrors("to" in errors ? errors : { to: error.message });
    },
  });
  return (
    <Stack gap="xs">
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
      {send.data !== undefined && <Sent id={send.data.id} />}
    </Stack>
  );
}

function Sent({ id }: { id: number }) {
  const states = useStateNames();
  const { data } = useQuery(mailQuery(id));
  return (
    <Group gap="xs" mih={22} role="status">
      {data !== undefined && (
        <>
          <StateBadge tone={MAIL_TONES[data.state]}>{states[data.state]}</StateBadge>
          <Text size="sm">{data.recipient}</Text>
        </>
      )}
      {data !== undefined && data.error !== null && (
        <Text size="sm" lang="en" style={{ overflowWrap: "anywhere" }}>
          {data.error}
        </Text>
      )}
    </Group>
  );
}

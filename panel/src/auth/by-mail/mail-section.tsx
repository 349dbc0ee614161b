import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Select, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AccountMail, MailPreferences } from "../../base/api.ts";
import { LANGUAGES } from "../../base/i18n.ts";
import { lazyPart } from "../../base/lazy.ts";
import { LazyDialog } from "../../ui/dialogs/lazy-dialog.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { contactQuery, saveContact } from "./contact-queries.ts";

const AddressForm = lazyPart(async () => (await import("./address-form.tsx")).AddressForm);

/** Where the account gets mails, and which. Nothing is shown where no mail can be sent. */
export function MailSection({ username, isAdmin }: { username: string; isAdmin: boolean }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const [form, setForm] = useState<"open" | "closed" | null>(null);
  const { data } = useQuery(contactQuery);
  const save = useMutation({
    mutationFn: saveContact,
    onSuccess: (saved) => queries.setQueryData(contactQuery.queryKey, saved),
  });
  if (!data?.available) return null;
  const { email, email_verified: isVerified, mails } = data;
  const onOff = [
    { value: "on", label: t`On` },
    { value: "off", label: t`Off` },
  ];
  const pace = [
    { value: "minute", label: t`Within a minute` },
    { value: "hour", label: t`Once an hour` },
    { value: "day", label: t`Once a day` },
    { value: "off", label: t`Off` },
  ];
  const kinds: { name: keyof MailPreferences; label: string; options: typeof pace }[] = [
    { name: "sign_in", label: t`Sign-in from a new browser, new passkey`, options: onOff },
    { name: "drop", label: t`Files in a drop box`, options: pace },
    { name: "download", label: t`Downloads of a share`, options: pace },
    { name: "share_ending", label: t`A share ends soon`, options: onOff },
    { name: "link_threshold", label: t`A link has reached 100, 1,000, … human clicks`, options: onOff },
    { name: "target_dead", label: t`The target of a link does not answer`, options: onOff },
  ];
  if (isAdmin)
    kinds.push(
      { name: "backup", label: t`A backup has failed`, options: onOff },
      { name: "webhook", label: t`A webhook was disabled`, options: onOff },
      { name: "certificate", label: t`A certificate was not renewed`, options: onOff },
    );
  return (
    <Stack gap="sm" component="section" aria-labelledby="mail">
      <div>
        <Title order={2} size="h5" id="mail">
          <Trans>Mail</Trans>
        </Title>
        <Text size="sm" c="dimmed">
          <Trans>Your address gets these mails, and a link when you have forgotten the password.</Trans>
        </Text>
      </div>
      <Group gap="xs">
        <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
          {email ?? t`No address`}
        </Text>
        {email !== null && (
          <StateBadge tone={isVerified ? "good" : "warning"}>
            {isVerified ? <Trans>Confirmed</Trans> : <Trans>Not confirmed</Trans>}
          </StateBadge>
        )}
        <Button size="compact-sm" variant="default" onClick={() => setForm("open")}>
          {email === null ? <Trans>Add an address</Trans> : <Trans>Change the address</Trans>}
        </Button>
      </Group>
      {email !== null && isVerified && (
        <Group gap="md" align="end">
          <Select
            label={t`Language`}
            allowDeselect={false}
            w={220}
            data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
            value={data.language}
            onChange={(language) =>
              language !== null && save.mutate({ language: language as AccountMail["language"] })
            }
          />
          {kinds.map(({ name, label, options }) => (
            <Select
              key={name}
              label={label}
              allowDeselect={false}
              w={220}
              data={options}
              value={mails[name]}
              onChange={(value) => save.mutate({ mails: { [name]: value as never } })}
            />
          ))}
        </Group>
      )}
      {form !== null && (
        <LazyDialog isOpen={form === "open"} onClose={() => setForm("closed")}>
          <AddressForm
            username={username}
            email={email}
            isOpen={form === "open"}
            onClose={() => setForm("closed")}
          />
        </LazyDialog>
      )}
    </Stack>
  );
}

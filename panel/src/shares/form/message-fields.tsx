import { useLingui } from "@lingui/react/macro";
import { Stack, Switch, Textarea } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { SENDS_MAILS } from "../../base/place.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { recipientsIn, type ShareValues } from "./share-values.ts";

type Props = { form: UseFormReturnType<ShareValues>; isOpen: boolean; onToggle(): void };

/** What a share says, and to whom. Recipients show where mails can be sent, or were. */
export function MessageFields({ form, isOpen, onToggle }: Props) {
  const { t } = useLingui();
  const { values, getInputProps } = form;
  const recipients = recipientsIn(values);
  const isDrop = values.use === "drop";
  const hasRecipients = !isDrop && (SENDS_MAILS || recipients.length > 0);
  const said = [isDrop ? "" : recipients.join(", "), values.message].filter((text) => text !== "");
  return (
    <Disclosure
      label={hasRecipients ? t`Message and recipients` : t`Message`}
      summary={said.join(" · ")}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <Stack gap="sm" pt="xs">
        <Textarea
          {...getInputProps("message")}
          label={t`Message`}
          description={isDrop ? t`Visitors see it above the form.` : t`Visitors see it above the files.`}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={2000}
        />
        {hasRecipients && (
          <Textarea
            {...getInputProps("recipients")}
            label={t`Recipients`}
            description={t`They get a mail with the link.`}
            autosize
            maxRows={6}
            inputMode="email"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
        {!isDrop && recipients.length > 0 && (
          <Switch
            {...getInputProps("verify", { type: "checkbox" })}
            label={t`For recipients only`}
            description={t`They prove their address by a code in a mail.`}
          />
        )}
      </Stack>
    </Disclosure>
  );
}

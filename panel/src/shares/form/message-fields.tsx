import { useLingui } from "@lingui/react/macro";
import { Switch, Textarea } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { ReactNode } from "react";
import { SENDS_MAILS } from "../../base/place.ts";
import { recipientsIn, type ShareValues } from "./share-values.ts";

type Props = {
  form: UseFormReturnType<ShareValues>;
  isFirst: boolean;
  /** The field of the title, which stands between them. */
  title: ReactNode;
};

/** For whom it is, and what it says. Recipients show where mails can be sent, or were. */
export function MessageFields({ form, isFirst, title }: Props) {
  const { t } = useLingui();
  const { values, getInputProps } = form;
  const recipients = recipientsIn(values);
  const isDrop = values.use === "drop";
  const hasRecipients = SENDS_MAILS || recipients.length > 0;
  return (
    <>
      {isDrop && title}
      {hasRecipients && (
        <Textarea
          {...getInputProps("recipients")}
          label={t`Recipients`}
          description={
            isDrop
              ? t`They get a mail that asks for files. Separate several addresses by commas, blanks or lines.`
              : t`They get a mail with the link. Separate several addresses by commas, blanks or lines.`
          }
          autosize
          maxRows={6}
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus={isFirst || undefined}
        />
      )}
      {/* It is there before somebody is named, so that nothing moves. */}
      {!isDrop && hasRecipients && (
        <Switch
          disabled={recipients.length === 0}
          {...getInputProps("verify", { type: "checkbox" })}
          label={t`For recipients only`}
          description={t`They prove their address by a code in a mail.`}
        />
      )}
      {!isDrop && title}
      <Textarea {...getInputProps("message")} label={t`Message`} autosize maxRows={8} maxLength={2000} />
    </>
  );
}

import { useLingui } from "@lingui/react/macro";
import { Switch, TextInput } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";
import type { Account } from "../../base/api.ts";
import { SENDS_MAILS } from "../../base/place.ts";

type Field = GetInputPropsReturnType;
type Props = { account: Account | null; email: Field; invite: Field };

/** The address of an account, and whether a new one is invited. */
export function MailFields({ account, email, invite }: Props) {
  const { t } = useLingui();
  const isKept = account?.email !== null && account?.email === email.value;
  const state = account?.email_verified ? t`Confirmed.` : t`Not confirmed yet.`;
  return (
    <>
      <TextInput
        {...email}
        type="email"
        label={t`E-mail address`}
        description={
          isKept
            ? state
            : invite.checked
              ? t`The invitation is sent here.`
              : t`Gets mails once its owner has followed a link sent there.`
        }
        required={Boolean(invite.checked)}
        withAsterisk={false}
        autoComplete="off"
        maxLength={254}
      />
      {account === null && SENDS_MAILS && (
        <Switch
          {...invite}
          label={t`Invite by mail`}
          description={t`A link, valid for 24 hours, by which the account chooses its password.`}
        />
      )}
    </>
  );
}

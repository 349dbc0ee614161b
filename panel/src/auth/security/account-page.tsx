import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import type { Account } from "../../base/api.ts";
import { lazyPart } from "../../base/lazy.ts";
import { withMailTexts } from "../../base/mail-texts.ts";
import { PEOPLE } from "../../ui/person-name.tsx";
import { SENDS_MAILS } from "../../base/place.ts";
import { useSentence } from "../../ui/failure.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { accountQuery, saveOwnName } from "../account.ts";
import { FactorAlert } from "./factor-alert.tsx";
import { PasskeysSection } from "./passkeys-section.tsx";
import { SessionsList } from "./sessions-list.tsx";
import { TotpSection } from "./totp-section.tsx";

const MailSection = lazyPart(
  async () => (await withMailTexts(() => import("../by-mail/mail-section.tsx"))).MailSection,
);

/** What others see in place of the username. */
function OwnName({ account }: { account: Pick<Account, "username" | "display_name"> }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const [name, setName] = useState(account.display_name ?? "");
  const save = useMutation({
    mutationFn: () => saveOwnName(name.trim() || null),
    async onSuccess() {
      await queries.invalidateQueries(accountQuery);
      await queries.invalidateQueries({ queryKey: [PEOPLE] });
      notifications.show({ message: t`Your name is saved.` });
    },
  });
  const sentenceOf = useSentence();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Group align="end" gap="xs">
        <TextInput
          label={t`Your name`}
          description={t`Others see it in lists, in mails and on the pages of what you share.`}
          placeholder={account.username}
          autoComplete="name"
          maxLength={100}
          w={480}
          maw="100%"
          error={save.error && sentenceOf(save.error)}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          loading={save.isPending}
          disabled={name.trim() === (account.display_name ?? "")}
        >
          <Trans>Save</Trans>
        </Button>
      </Group>
    </form>
  );
}

export function AccountPage() {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  return (
    <Stack p="md" gap="xl">
      <PageHead title={t`Your account`} sentence={account.username} />
      <OwnName account={account} />
      <FactorAlert state={account.second_factor} />
      <PasskeysSection username={account.username} />
      <TotpSection username={account.username} />
      {SENDS_MAILS && (
        <Suspense>
          <MailSection username={account.username} isAdmin={account.role === "admin"} />
        </Suspense>
      )}
      <SessionsList />
    </Stack>
  );
}

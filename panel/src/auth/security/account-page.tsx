import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { lazyPart } from "../../base/lazy.ts";
import { withMailTexts } from "../../base/mail-texts.ts";
import { SENDS_MAILS } from "../../base/place.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { accountQuery } from "../account.ts";
import { SessionsList } from "./sessions-list.tsx";
import { TotpSection } from "./totp-section.tsx";

const MailSection = lazyPart(
  async () => (await withMailTexts(() => import("../by-mail/mail-section.tsx"))).MailSection,
);

export function AccountPage() {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  return (
    <Stack p="md" gap="xl">
      <PageHead title={t`Your account`} sentence={account.username} />
      {account.second_factor === "required" && (
        <Alert
          color="orange"
          title={t`Your role needs a second factor`}
          styles={{ title: { color: "var(--mantine-color-text)" } }}
        >
          <Text size="sm">
            <Trans>Set up an authenticator app. The other pages open after that.</Trans>
          </Text>
        </Alert>
      )}
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

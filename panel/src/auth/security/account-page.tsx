import { useLingui } from "@lingui/react/macro";
import { Stack } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { lazyPart } from "../../base/lazy.ts";
import { withMailTexts } from "../../base/mail-texts.ts";
import { SENDS_MAILS } from "../../base/place.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { accountQuery } from "../account.ts";
import { FactorAlert } from "./factor-alert.tsx";
import { PasskeysSection } from "./passkeys-section.tsx";
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

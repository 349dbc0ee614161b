import { useLingui } from "@lingui/react/macro";
import { Stack } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { PageHead } from "../../ui/page-head.tsx";
import { accountQuery } from "../account.ts";
import { MailSection } from "./mail-section.tsx";
import { SessionsList } from "./sessions-list.tsx";

export function AccountPage() {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  return (
    <Stack p="md" gap="xl">
      <PageHead title={t`Your account`} sentence={account.username} />
      <MailSection username={account.username} isAdmin={account.role === "admin"} />
      <SessionsList />
    </Stack>
  );
}

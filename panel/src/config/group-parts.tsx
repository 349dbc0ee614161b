import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Suspense } from "react";
import { api, responseOf } from "../base/api.ts";
import { lazyPart } from "../base/lazy.ts";
import { withMailTexts } from "../base/mail-texts.ts";
import { ADMIN_PREFIX, SERVER_URL } from "../base/place.ts";
import { useFailureNotice } from "../ui/notices/undo.tsx";
import { StateBadge } from "../ui/state-badge.tsx";
import { type ShownSetting, storedText } from "./setting-queries.ts";
import type { SettingGroup } from "./setting-search.ts";

const TestMail = lazyPart(async () => (await withMailTexts(() => import("../mail/test-mail.tsx"))).TestMail);

type Props = { group: SettingGroup | null; all: readonly ShownSetting[] };

/** What one tries after setting up a group. */
export function GroupParts({ group, all }: Props) {
  const isSet = (key: string) => all.some((shown) => shown.setting.key === key && storedText(shown) !== "");
  if (group === "mail") {
    return isSet("mail.host") && isSet("mail.from") ? (
      <Suspense>
        <TestMail />
      </Suspense>
    ) : (
      <Text size="sm" c="dimmed">
        <Trans>Save a server and a sender, then send a test mail here.</Trans>
      </Text>
    );
  }
  return group === "sign-in" ? <TestProvider isSet={isSet("oidc.issuer")} /> : null;
}

/** Whether the provider of single sign-on answers, and what to register there. */
function TestProvider({ isSet }: { isSet: boolean }) {
  const { t } = useLingui();
  const test = useMutation({
    mutationFn: async () => (await responseOf(api.POST("/admin/v1/auth/oidc/test"))).data.message,
    onError: useFailureNotice(),
  });
  const address = `${SERVER_URL}${ADMIN_PREFIX}/v1/auth/oidc/callback`;
  return (
    <Stack gap="xs">
      <Text size="sm">
        <Trans>
          For single sign-on, register this redirect address at the provider: <Code>{address}</Code>
        </Trans>
      </Text>
      {isSet && (
        <Group gap="xs" role="status">
          <Button variant="default" size="sm" loading={test.isPending} onClick={() => test.mutate()}>
            {t`Test single sign-on`}
          </Button>
          {test.data === "" && (
            <StateBadge tone="good">
              <Trans>The provider answers</Trans>
            </StateBadge>
          )}
          {test.data !== undefined && test.data !== "" && (
            <>
              <StateBadge tone="bad">
                <Trans>The provider does not answer</Trans>
              </StateBadge>
              <Text size="sm" lang="en" style={{ overflowWrap: "anywhere" }}>
                {test.data}
              </Text>
            </>
          )}
        </Group>
      )}
    </Stack>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import type { Share } from "../base/api.ts";
import { formatTime } from "../base/i18n.ts";
import { ShareAddress } from "./share-address.tsx";
import { ShareQr } from "./share-qr.tsx";

/** A new share with its address, to copy and to scan. */
export function ShareReady({ share, onClose }: { share: Share; onClose(): void }) {
  const { t } = useLingui();
  const facts = [
    share.password === null ? t`No password is asked for.` : t`A password is asked for.`,
    share.expires_at === null ? t`It never expires.` : t`It expires on ${formatTime(share.expires_at)}.`,
  ];
  return (
    <Stack gap="md" role="status">
      <Text size="sm">
        {share.kind === "drop" ? (
          <Trans>Whoever has this short URL can put files into the folder.</Trans>
        ) : (
          <Trans>Whoever has this short URL can open it.</Trans>
        )}{" "}
        <Text span size="sm" c="dimmed">
          {facts.join(" ")}
        </Text>
      </Text>
      <ShareAddress address={share.short_url} isFocused />
      <ShareQr address={share.short_url} code={share.code} />
      <Group justify="end">
        <Button variant="default" onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

import { Trans } from "@lingui/react/macro";
import { Button, Paper, Stack, Text } from "@mantine/core";
import { formatDate } from "../base/i18n.ts";
import { endOf } from "./form/limit-fields.tsx";
import type { ShareValues } from "./form/share-values.ts";

/** What visitors will see first. */
export function SharePreview({ values }: { values: ShareValues }) {
  const { use, title, message, item, items, isProtected, expires } = values;
  const isDrop = use === "drop";
  const end = endOf(expires);
  const name = title.trim() || (items?.length ? undefined : item?.name);
  return (
    <section>
      <Text size="sm" c="dimmed" mb="xs">
        <Trans>What visitors see</Trans>
      </Text>
      <Paper withBorder radius="md" p="lg" aria-hidden>
        <Stack gap="sm">
          <Text fw={600} size="lg" lh={1.3} style={{ overflowWrap: "anywhere" }}>
            <bdi>{name || (isDrop ? <Trans>Send files</Trans> : <Trans>Shared files</Trans>)}</bdi>
          </Text>
          {message !== "" && (
            <Text size="sm" style={{ whiteSpace: "pre-line", overflowWrap: "anywhere" }}>
              {message}
            </Text>
          )}
          <Button component="span" fullWidth style={{ pointerEvents: "none" }}>
            {isDrop ? <Trans>Send files</Trans> : <Trans>Download</Trans>}
          </Button>
          <Text size="xs" c="dimmed">
            {isProtected && (
              <>
                <Trans>After a password</Trans> ·{" "}
              </>
            )}
            {end === "" ? <Trans>It never expires.</Trans> : <Trans>Until {formatDate(end)}</Trans>}
          </Text>
        </Stack>
      </Paper>
    </section>
  );
}

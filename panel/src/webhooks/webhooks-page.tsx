import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Box, Button, Group, Stack, Text } from "@mantine/core";
import { IconHistory, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode, useState } from "react";
import type { Webhook } from "../base/api.ts";
import { formatList, formatTime } from "../base/i18n.ts";
import { Empty } from "../ui/empty.tsx";
import { ConfirmButton } from "../ui/forms/confirm-button.tsx";
import { SideForm } from "../ui/forms/side-form.tsx";
import { useShortcuts } from "../ui/keys/page-keys.ts";
import { hinted } from "../ui/keys/shortcuts.ts";
import { DataList } from "../ui/lists/data-list.tsx";
import { RowLabel } from "../ui/lists/row-label.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { StateBadge } from "../ui/state-badge.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { WebhookLog } from "./webhook-log.tsx";
import { useEventNames } from "./webhook-names.ts";
import { removeWebhook, webhooksQuery } from "./webhook-queries.ts";
import { WebhookSecret } from "./webhook-secret.tsx";

export function WebhooksPage() {
  const { t } = useLingui();
  const names = useEventNames();
  const [edited, setEdited] = useState<Webhook | "new" | null>(null);
  const [logged, setLogged] = useState<number | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const { data, error, refetch } = useQuery(webhooksQuery);
  useShortcuts({ new: () => setEdited("new") });
  const shown = data?.find(({ id }) => id === logged);
  return (
    <Stack p="md" gap="md">
      <PageHead title={t`Webhooks`} sentence={t`Requests that tell other programs what happens here.`}>
        <Button
          leftSection={<IconPlus size={16} />}
          {...hinted(t`New webhook`, "new")}
          onClick={() => setEdited("new")}
        >
          <Trans>New webhook</Trans>
        </Button>
      </PageHead>
      {secret !== null && <WebhookSecret secret={secret} onClose={() => setSecret(null)} />}
      <DataList<Webhook>
        label={t`Webhooks`}
        items={data}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        onOpen={({ id }) => setLogged(id)}
        empty={
          <Empty
            title={<Trans>There are no webhooks yet.</Trans>}
            sentence={
              <Trans>A webhook sends a signed request to an address of yours when something happens.</Trans>
            }
          />
        }
        columns={[
          {
            title: t`Address`,
            cell: (webhook) => (
              <>
                <Text size="sm" fw={600} title={webhook.url}>
                  <Address url={webhook.url} />
                </Text>
                <Text size="xs" c="dimmed" title={formatList(webhook.events.map((name) => names[name]))}>
                  <Plural value={webhook.events.length} one="# event" other="# events" />
                </Text>
                <Box hiddenFrom="sm">
                  <State webhook={webhook} />
                </Box>
              </>
            ),
          },
          { title: t`State`, isHidden: "narrow", cell: (webhook) => <State webhook={webhook} /> },
          {
            title: t`Actions`,
            fit: "actions",
            cell: (webhook) => (
              <Group gap={4} justify="end">
                <RowAction
                  Icon={IconHistory}
                  label={t`Log of ${webhook.url}`}
                  onClick={() => setLogged(webhook.id)}
                >
                  <Trans>Log</Trans>
                </RowAction>
                <RowAction
                  Icon={IconPencil}
                  label={t`Edit ${webhook.url}`}
                  onClick={() => setEdited(webhook)}
                >
                  <Trans>Edit</Trans>
                </RowAction>
                <ConfirmButton
                  label={t`Delete`}
                  Icon={IconTrash}
                  of={webhook.url}
                  question={t`Nothing more is sent to it, and its log is gone.`}
                  list="webhooks"
                  run={() => removeWebhook(webhook)}
                />
              </Group>
            ),
          },
        ]}
      />
      <SideForm
        title={edited === "new" || edited === null ? t`New webhook` : t`Edit ${edited.url}`}
        isOpen={edited !== null}
        onClose={() => setEdited(null)}
      >
        {edited !== null && (
          <WebhookForm
            webhook={edited === "new" ? null : edited}
            onClose={() => setEdited(null)}
            onSecret={setSecret}
          />
        )}
      </SideForm>
      <SideForm
        title={t`Log of ${shown?.url ?? ""}`}
        isOpen={shown !== undefined}
        onClose={() => setLogged(null)}
      >
        {shown !== undefined && <WebhookLog webhook={shown} />}
      </SideForm>
    </Stack>
  );
}

/** Without the usual protocol; its lines end at separators. */
const Address = ({ url }: { url: string }) =>
  url
    .replace(/^https:\/\//, "")
    .split(/(?<=[/.])/)
    .map((part, at) => (
      <Fragment key={at}>
        {part}
        <wbr />
      </Fragment>
    ));

type ActionProps = { Icon: typeof IconPencil; label: string; onClick(): void; children: ReactNode };

const RowAction = ({ Icon, label, onClick, children }: ActionProps) => (
  <Button size="compact-sm" variant="subtle" aria-label={label} onClick={onClick}>
    <RowLabel Icon={Icon}>{children}</RowLabel>
  </Button>
);

function State({ webhook }: { webhook: Webhook }) {
  const { t } = useLingui();
  const { enabled, disabled_reason: because, failing_since: since, paused_until: until } = webhook;
  const reasons = {
    requested: t`By request.`,
    gone: t`The receiver says that it is gone (410).`,
    failing: t`Every attempt of three days has failed.`,
  };
  const working = since === null ? t`Enabled` : t`Failing`;
  const word = enabled ? working : t({ message: "Disabled", context: "webhook" });
  const tone = enabled ? (since === null ? "good" : "bad") : "quiet";
  return (
    <>
      <StateBadge tone={tone}>{word}</StateBadge>
      <Text size="xs" c="dimmed">
        {because !== null && reasons[because]}
        {enabled && since !== null && t`No success since ${formatTime(since)}.`}
        {enabled && until !== null && ` ${t`The receiver wants nothing before ${formatTime(until)}.`}`}
      </Text>
    </>
  );
}

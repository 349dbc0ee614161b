import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Webhook, WebhookDelivery } from "../base/api.ts";
import { formatTime } from "../base/i18n.ts";
import { Empty } from "../ui/empty.tsx";
import { DataList } from "../ui/lists/data-list.tsx";
import { ConfirmButton } from "../ui/forms/confirm-button.tsx";
import { LoadOn } from "../ui/long/load-on.tsx";
import { LongRows } from "../ui/long/long-rows.tsx";
import { useFailureNotice } from "../ui/notices/undo.tsx";
import { StateBadge } from "../ui/state-badge.tsx";
import { DeliveryParts } from "./delivery-parts.tsx";
import { deliveriesQuery, replayEvents, resendDelivery, sendTestEvent } from "./webhook-queries.ts";
import { type EventName, useDeliveryStates, useEventNames } from "./webhook-names.ts";

const TONES = { waiting: "quiet", sending: "quiet", delivered: "good", failed: "bad" } as const;

export function WebhookLog({ webhook }: { webhook: Webhook }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const { replaying_from: from } = webhook;
  const [shown, setShown] = useState<"" | "failed">("");
  const list = useInfiniteQuery(deliveriesQuery(webhook, shown));
  const refresh = () => queries.invalidateQueries({ queryKey: ["webhooks"] });
  const test = useMutation({ mutationFn: () => sendTestEvent(webhook), onError, onSettled: refresh });
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={t`Which deliveries`}
          value={shown}
          onChange={(state) => setShown(state as "" | "failed")}
          data={[
            { value: "", label: t({ message: "All", context: "deliveries" }) },
            { value: "failed", label: t({ message: "Failed", context: "delivery" }) },
          ]}
        />
        <Button
          size="xs"
          variant="default"
          disabled={!webhook.enabled}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          <Trans>Send a test</Trans>
        </Button>
      </Group>
      {!webhook.enabled && (
        <Alert color="orange" variant="light">
          <Trans>It is disabled, so nothing is sent.</Trans>
        </Alert>
      )}
      {from !== null && <Text size="sm">{t`Everything from event ${from} on is being sent again.`}</Text>}
      <DataList<WebhookDelivery>
        long={{ Rows: LongRows, isMore: list.hasNextPage }}
        label={t`Deliveries`}
        items={list.data?.pages.flatMap((page) => page.data)}
        error={list.error}
        onRetry={() => void list.refetch()}
        keyOf={({ id }) => id}
        empty={<Empty title={<Trans>Nothing was sent in the last 30 days.</Trans>} />}
        columns={[
          { title: t`Delivery`, cell: (delivery) => <DeliveryState webhook={webhook} delivery={delivery} /> },
          {
            title: t`Actions`,
            fit: "actions",
            cell: (delivery) =>
              webhook.enabled && <Again webhook={webhook} delivery={delivery} onDone={refresh} />,
          },
        ]}
      />
      <LoadOn list={list} />
    </Stack>
  );
}

function DeliveryState({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { t } = useLingui();
  const names = useEventNames();
  const states = useDeliveryStates();
  const {
    event,
    event_id: eventId,
    state,
    recent_attempts: attempts,
    created_at: created,
    due_at: due,
  } = delivery;
  const problem = state === "delivered" ? null : (attempts.at(-1)?.error ?? null);
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {eventId === null
            ? t({ message: "Test", context: "delivery" })
            : (names[event as EventName] ?? event)}
        </Text>
        <StateBadge tone={TONES[state]}>{states[state]}</StateBadge>
      </Group>
      <Text size="xs" c="dimmed">
        {formatTime(created)}
        {eventId !== null && ` · ${t`Event ${eventId}`}`}
      </Text>
      {problem !== null && (
        <Text size="xs" lang="en" style={{ overflowWrap: "anywhere" }}>
          {problem}
        </Text>
      )}
      {due !== null && problem !== null && (
        <Text size="xs" c="dimmed">
          {t`Next attempt: ${formatTime(due)}`}
        </Text>
      )}
      {attempts.length > 0 && <DeliveryParts webhook={webhook} delivery={delivery} />}
    </Stack>
  );
}

type AgainProps = { webhook: Webhook; delivery: WebhookDelivery; onDone(): void };

function Again({ webhook, delivery: { id, event, event_id: eventId, state }, onDone }: AgainProps) {
  const { t } = useLingui();
  const onError = useFailureNotice();
  const resend = useMutation({ mutationFn: () => resendDelivery(webhook, id), onError, onSettled: onDone });
  return (
    <Stack gap={2} align="end">
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={t`Send ${event} of delivery ${id} again`}
        disabled={state === "sending"}
        loading={resend.isPending}
        onClick={() => resend.mutate()}
      >
        <Trans>Send again</Trans>
      </Button>
      {eventId !== null && (
        <ConfirmButton
          label={t`All since then`}
          of={t`Event ${eventId}`}
          question={t`This event and all later ones that the webhook tells are sent again.`}
          list="webhooks"
          color="brand"
          run={() => replayEvents(webhook, eventId)}
        />
      )}
    </Stack>
  );
}

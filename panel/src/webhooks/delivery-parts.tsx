import { Trans, useLingui } from "@lingui/react/macro";
import { Code, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { Webhook, WebhookDelivery } from "../base/api.ts";
import { formatNumber, formatTime } from "../base/i18n.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { LoadFailure } from "../ui/load-failure.tsx";
import { deliveryQuery } from "./webhook-queries.ts";

type Props = { webhook: Webhook; delivery: WebhookDelivery };

/** What was sent, and for each attempt what came back and how long that took. */
export function DeliveryParts({ webhook, delivery }: Props) {
  const { t } = useLingui();
  const [isOpen, { toggle }] = useDisclosure();
  const { recent_attempts: attempts, message_id: message } = delivery;
  const { data, error, refetch } = useQuery({ ...deliveryQuery(webhook, delivery.id), enabled: isOpen });
  const factsOf = ({ status, duration_ms: ms }: (typeof attempts)[number]) =>
    [status ?? t`No response`, t`${formatNumber(ms)} ms`].join(" · ");
  const last = attempts.at(-1);
  return (
    <Disclosure
      label={<Trans>Request and response</Trans>}
      summary={last && factsOf(last)}
      isOpen={isOpen}
      onToggle={toggle}
    >
      <Stack gap="xs" py="xs">
        {attempts.toReversed().map((attempt) => (
          <div key={attempt.at}>
            <Text size="xs">
              {formatTime(attempt.at)} · {factsOf(attempt)}
            </Text>
            {attempt.response !== null && (
              <Sent text={attempt.response} label={t({ message: "Response", context: "webhook" })} />
            )}
          </div>
        ))}
        <Text size="xs" style={{ overflowWrap: "anywhere" }}>
          POST {webhook.url} · webhook-id {message}
        </Text>
        {error !== null && <LoadFailure error={error} onRetry={() => void refetch()} />}
        {data?.payload === null && (
          <Text size="xs" c="dimmed">
            <Trans>The event is no longer kept, so its request can't be shown.</Trans>
          </Text>
        )}
        {data?.payload && <Sent text={JSON.stringify(data.payload, null, 2)} label={t`Request`} />}
      </Stack>
    </Disclosure>
  );
}

const Sent = ({ text, label }: { text: string; label: string }) => (
  <Code
    block
    role="region"
    aria-label={label}
    tabIndex={0}
    mah={240}
    style={{ overflow: "auto", overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}
  >
    {text}
  </Code>
);

import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Card, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Event } from "../app/api.ts";
import { formatTime } from "../app/i18n.ts";
import { changedFields } from "../ui/changed-fields.ts";
import { useFailureNotice } from "../ui/undo.tsx";
import { historyQuery, type LinkPlace, refreshLinks, restoreState } from "./link-queries.ts";

export function LinkHistory({ place }: { place: LinkPlace }) {
  const { data: events = [] } = useQuery(historyQuery(place));
  const queries = useQueryClient();
  const onError = useFailureNotice();
  const goBack = useMutation({
    mutationFn: (event: Event) => restoreState(place, event.id),
    onSuccess: () => refreshLinks(queries),
    onError,
  });
  if (events.length === 0) return null;
  return (
    <Card withBorder p="md">
      <Text component="h2" fw={600} size="sm" mb="xs">
        <Trans>History</Trans>
      </Text>
      {events.map((event, at) => (
        <Group key={event.id} justify="space-between" wrap="nowrap" py={4}>
          <div style={{ minWidth: 0 }}>
            <Text size="sm">
              <Action name={event.action} /> · {event.actor}
            </Text>
            <Text size="xs" c="dimmed">
              {formatTime(event.at)} <Changed event={event} />
            </Text>
          </div>
          {at > 0 && event.after !== undefined && (
            <Button
              size="compact-xs"
              variant="default"
              loading={goBack.isPending}
              onClick={() => goBack.mutate(event)}
            >
              <Trans>Go back to this</Trans>
            </Button>
          )}
        </Group>
      ))}
    </Card>
  );
}

function Action({ name }: { name: string }) {
  const { t } = useLingui();
  const names: Record<string, string> = {
    "link.create": t`Made`,
    "link.update": t`Changed`,
    "link.delete": t`Deleted`,
    "link.restore": t`Put back`,
  };
  return names[name] ?? name;
}

/** The fields that differ. */
function Changed({ event }: { event: Event }) {
  const fields = changedFields(event);
  return fields.length === 0 ? null : `(${fields.join(", ")})`;
}

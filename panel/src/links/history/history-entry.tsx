import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type Ref, Suspense, useRef } from "react";
import type { Event } from "../../base/api.ts";
import { formatTime } from "../../base/i18n.ts";
import { lazyPart } from "../../base/lazy.ts";
import { type LinkPlace, restoreState, withWayBack } from "../../base/link-states.ts";
import { changedFields } from "../../ui/forms/changed-fields.ts";
import { useUndoable } from "../../ui/notices/undo.tsx";
import { refreshLinks } from "../link-queries.ts";
import { Differences } from "./differences.tsx";
import { usePersonName } from "../../ui/person-name.tsx";

/** Only boxes have such events. */
const Received = lazyPart(async () => (await import("./received.tsx")).Received);

/** They stay when a state is restored. */
const KEPT = new Set(["code", "domain", "password"]);

/** Whether the event tells a state of the link. */
export const isState = ({ action }: Event): boolean =>
  /^(?:link|share)\.(?:create|update|delete|restore)$/.test(action);

type Props = { event: Event; place: LinkPlace; isNewest: boolean; ref?: Ref<HTMLDivElement> };

export function HistoryEntry({ event, place, isNewest, ref }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const back = useRef<() => Promise<void>>(undefined);
  const state = isNewest ? "before" : "after";
  const goBack = useUndoable({
    async run() {
      const change = await withWayBack(place, () => restoreState(place, event.id, state));
      back.current = change.undo;
    },
    undo: async () => back.current?.(),
    async refresh() {
      await Promise.all([refreshLinks(queries), queries.invalidateQueries({ queryKey: ["shares"] })]);
    },
    message: isNewest ? (
      <Trans>The newest change is undone.</Trans>
    ) : (
      <Trans>The link is as it was on {formatTime(event.at)}.</Trans>
    ),
  });
  const canGoBack =
    isState(event) &&
    (isNewest ? changedFields(event).some((name) => !KEPT.has(name)) : event.after !== undefined);
  const ways: Record<Event["via"], string> = {
    panel: t`in the panel`,
    api: t`over the API`,
    token: t`with an API token`,
    cli: t`on the command line`,
    import: t`by an import`,
    system: t`by the server`,
  };
  const actor = usePersonName(event.actor);
  const way = ways[event.via];
  const sentences: Record<string, string> = {
    "link.create": t`${actor} created the link ${way}`,
    "link.update": t`${actor} changed the link ${way}`,
    "link.delete": t`${actor} deleted the link ${way}`,
    "link.restore": t`${actor} restored the link ${way}`,
    "link.approve": t`${actor} approved the link ${way}`,
    "link.refuse": t`${actor} refused the link ${way}`,
    "link.take_down": t`${actor} took the link down ${way}`,
    "link.reinstate": t`${actor} put the link back ${way}`,
    "link.threshold": t`The link has reached its number of human clicks`,
    "link.target_dead": t`The target does not answer any more`,
    "link.target_alive": t`The target answers again`,
    "share.take_down": t`${actor} took the share down ${way}`,
    "share.reinstate": t`${actor} put the share back ${way}`,
    "share.create": t`${actor} made it a share ${way}`,
    "share.update": t`${actor} changed the share ${way}`,
    "report.create": t`${actor} made it a report page ${way}`,
    "report.update": t`${actor} changed the report page ${way}`,
  };
  return (
    <div ref={ref} tabIndex={-1} style={{ paddingBlock: 8 }}>
      <Group justify="space-between" wrap="nowrap" align="start">
        <div style={{ minWidth: 0 }}>
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {event.action === "drop.received" ? (
              <Suspense fallback={<>&nbsp;</>}>
                <Received event={event} />
              </Suspense>
            ) : (
              (sentences[event.action] ?? `${event.action} · ${actor} · ${way}`)
            )}
          </Text>
          <Text size="xs" c="dimmed">
            {formatTime(event.at)}
          </Text>
        </div>
        {canGoBack && (
          <Button
            size="compact-sm"
            variant="default"
            flex="none"
            loading={goBack.isPending}
            onClick={() => goBack.mutate()}
          >
            {isNewest ? <Trans>Undo</Trans> : <Trans>Go back to this</Trans>}
          </Button>
        )}
      </Group>
      <Differences event={event} />
    </div>
  );
}

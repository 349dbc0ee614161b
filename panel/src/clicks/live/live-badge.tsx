import { Trans } from "@lingui/react/macro";
import { Badge } from "@mantine/core";
import type { StreamState } from "../../base/event-stream.ts";
import classes from "../clicks.module.css";

/** Whether clicks arrive live. */
export function LiveBadge({ state }: { state: StreamState }) {
  return (
    <Badge
      variant="default"
      role="status"
      leftSection={<span className={classes["dot"]} data-state={state} aria-hidden />}
    >
      {state === "live" && <Trans>Live</Trans>}
      {state === "connecting" && <Trans>Connecting</Trans>}
      {state === "away" && <Trans>Interrupted, tried again soon</Trans>}
    </Badge>
  );
}

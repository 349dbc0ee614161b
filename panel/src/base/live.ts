/** The server's live view of clicks: one stream per page, while somebody watches. */
import { useEffect, useSyncExternalStore } from "react";
import { openStream, type StreamState } from "./event-stream.ts";
import { ADMIN_PREFIX } from "./place.ts";

export type LiveClick = {
  code: string;
  domain: string | null;
  clicked_at: string;
  source: string | null;
  automated: boolean;
};
export type LiveSecond = {
  at: string;
  clicks_per_second: number;
  human_clicks_per_second: number;
  latest: LiveClick[];
};
export type LiveView = { state: StreamState; second: LiveSecond | null };

const listeners = new Set<() => void>();
const NOTHING_YET: LiveView = { state: "connecting", second: null };
let view = NOTHING_YET;
let stop: (() => void) | null = null;

function show(next: Partial<LiveView>): void {
  view = { ...view, ...next };
  for (const listener of listeners) listener();
}

function open(): () => void {
  const clicks = ({ data }: MessageEvent<string>) =>
    show({ state: "live", second: JSON.parse(data) as LiveSecond });
  return openStream(`${ADMIN_PREFIX}/v1/analytics/live`, { clicks }, (state) => show({ state }));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  stop ??= open();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    stop?.();
    stop = null;
    view = NOTHING_YET;
  };
}

const nothing = (): (() => void) => () => {};

/** Null for those who may not watch. */
export function useLive(mayWatch: boolean): LiveView | null {
  const known = useSyncExternalStore(mayWatch ? subscribe : nothing, () => view);
  return mayWatch ? known : null;
}

/** Calls `onSecond` once for each second that comes. */
export function useSeconds(live: LiveView | null, onSecond: (second: LiveSecond) => void): void {
  const second = live?.second ?? null;
  useEffect(() => {
    if (second !== null) onSecond(second);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once for each second
  }, [second]);
}

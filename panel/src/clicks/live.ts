/** The server's live view of clicks: one stream for the page, while somebody looks. It reconnects by itself. */
import { useEffect, useSyncExternalStore } from "react";
import { renewSession } from "../app/api.ts";
import { ADMIN_PREFIX, SERVER_URL } from "../app/place.ts";

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
export type LiveState = "connecting" | "live" | "away";
export type LiveView = { state: LiveState; second: LiveSecond | null };

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;

const listeners = new Set<() => void>();
let view: LiveView = { state: "connecting", second: null };
let source: EventSource | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let pauseMs = FIRST_PAUSE_MS;

function show(next: Partial<LiveView>): void {
  view = { ...view, ...next };
  for (const listener of listeners) listener();
}

function open(): void {
  clearTimeout(timer);
  if (source !== null || listeners.size === 0 || document.hidden) return;
  const opened = new EventSource(`${SERVER_URL}${ADMIN_PREFIX}/v1/analytics/live`);
  source = opened;
  opened.addEventListener("open", () => {
    pauseMs = FIRST_PAUSE_MS;
    show({ state: "live" });
  });
  opened.addEventListener("clicks", ({ data }: MessageEvent<string>) =>
    show({ state: "live", second: JSON.parse(data) as LiveSecond }),
  );
  opened.addEventListener("error", () => {
    // The browser connects again after a break, but not after a refusal.
    if (opened.readyState !== EventSource.CLOSED) return show({ state: "connecting" });
    close();
    show({ state: "away" });
    const startedAt = Date.now();
    timer = setTimeout(() => void renewSession(startedAt - pauseMs).then(open, open), pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  });
}

function close(): void {
  clearTimeout(timer);
  source?.close();
  source = null;
}

/** A hidden page takes none of the server's few places. */
function follow(): void {
  if (!document.hidden) return open();
  close();
  show({ state: "connecting", second: null });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    document.addEventListener("visibilitychange", follow);
    open();
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    document.removeEventListener("visibilitychange", follow);
    close();
    view = { state: "connecting", second: null };
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

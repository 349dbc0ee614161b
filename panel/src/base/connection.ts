/** Whether the server answers, and whether it still serves this build of the panel. */
import { useSyncExternalStore } from "react";
import { PANEL_PATH } from "./place.ts";

export type Connection = {
  /** `offline`: the browser has no network. `unreachable`: the server does not answer. */
  state: "online" | "offline" | "unreachable";
  /** Files of this build may be gone. */
  isOutdated: boolean;
};

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 4_000;
const PROBE_MS = 5_000;

let connection: Connection = { state: "online", isOutdated: false };
let healing: Promise<void> | null = null;
const listeners = new Set<() => void>();

function change(next: Partial<Connection>): void {
  connection = { ...connection, ...next };
  for (const listener of listeners) listener();
}

export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const currentConnection = (): Connection => connection;
export const useConnection = (): Connection => useSyncExternalStore(onConnection, currentConnection);

export const markOutdated = (): void => change({ isOutdated: true });

/** Call it after a failure of the network. Resolves when the server answers. */
export function reachable(): Promise<void> {
  healing ??= heal().finally(() => (healing = null));
  return healing;
}

async function heal(): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!(await probe())) {
    change({ state: navigator.onLine ? "unreachable" : "offline" });
    await pauseOrWake(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
  if (connection.state !== "online") change({ state: "online" });
}

async function probe(): Promise<boolean> {
  try {
    const headers = { Accept: "text/html" };
    const signal = AbortSignal.timeout(PROBE_MS);
    const response = await fetch(PANEL_PATH, { cache: "no-store", headers, signal });
    if (response.status >= 500) return false;
    const html = await response.text();
    if (response.ok && scriptIn(html) !== OWN_SCRIPT) markOutdated();
    return true;
  } catch {
    return false;
  }
}

/** Its name contains a hash of its content. Null in development. */
const scriptIn = (html: string): string | null => /assets\/(index-[\w-]+\.js)/.exec(html)?.[1] ?? null;
const OWN_SCRIPT = scriptIn(document.head.innerHTML);

function pauseOrWake(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => resolve();
  const timer = setTimeout(done, ms);
  addEventListener("online", done);
  document.addEventListener("visibilitychange", done);
  return promise.finally(() => {
    clearTimeout(timer);
    removeEventListener("online", done);
    document.removeEventListener("visibilitychange", done);
  });
}

addEventListener("offline", () => void reachable());
// A lazy import failed.
addEventListener("vite:preloadError", () => void reachable());

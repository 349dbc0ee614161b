/**
 * A stream of server events that reconnects, each time with a valid session. A hidden page keeps no connection: over
 * HTTP/1.1 all tabs of a browser share six to a server.
 */
import { keepSession, renewSession } from "./api.ts";
import { SERVER_URL } from "./place.ts";
import { sessionToldAt } from "./session-life.ts";

/** `away`: the server refused or did not answer. */
export type StreamState = "connecting" | "live" | "away";

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;
const LOOK_MS = 15_000;
/** A timer this late means that the machine slept. Its connections may be dead. */
const SLEPT_MS = 90_000;

type Handlers = Record<string, (event: MessageEvent<string>) => void>;

/** `live`: events may have been missed before. Returns a function that ends it. */
export function openStream(
  path: string,
  handlers: Handlers,
  onState: (state: StreamState) => void,
): () => void {
  let stop: (() => void) | null = null;
  function follow(): void {
    if (!document.hidden) return void (stop ??= connectAndStay(path, handlers, onState));
    stop?.();
    stop = null;
    onState("connecting");
  }
  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    stop?.();
  };
}

function connectAndStay(path: string, handlers: Handlers, onState: (state: StreamState) => void): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let lookedAt = Date.now();
  /** What was known of the session when it could not be renewed. Until there is another one, nothing is requested. */
  let lost: number | null = null;
  let isEnded = false;

  function again(state: StreamState, refusedAt: number | null): void {
    source?.close();
    source = null;
    onState(state);
    timer = setTimeout(() => void connect(refusedAt), pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }

  async function connect(refusedAt: number | null): Promise<void> {
    if (lost === sessionToldAt()) return again("away", refusedAt);
    // A refusal has no reason. The session may have ended.
    const renewal = refusedAt === null ? keepSession() : renewSession(refusedAt);
    const isKept = await renewal.catch(() => null);
    if (isEnded) return;
    lost = isKept === false ? sessionToldAt() : null;
    if (isKept !== true) return again("away", refusedAt);
    const openedAt = Date.now();
    const opened = new EventSource(SERVER_URL + path);
    source = opened;
    opened.addEventListener("open", () => {
      pauseMs = FIRST_PAUSE_MS;
      onState("live");
    });
    for (const [name, hear] of Object.entries(handlers)) opened.addEventListener(name, hear);
    opened.addEventListener("error", () => {
      if (source !== opened) return;
      // The browser would reconnect with a session that may have ended.
      if (opened.readyState === EventSource.CLOSED) again("away", openedAt);
      else again("connecting", null);
    });
  }

  const watch = setInterval(() => {
    const slept = Date.now() - lookedAt > SLEPT_MS;
    lookedAt = Date.now();
    if (!slept || source === null) return;
    pauseMs = FIRST_PAUSE_MS;
    again("connecting", null);
  }, LOOK_MS);
  void connect(null);
  return () => {
    isEnded = true;
    clearInterval(watch);
    clearTimeout(timer);
    source?.close();
  };
}

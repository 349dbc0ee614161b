import { notifyManager, onlineManager, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";
import { currentConnection, onConnection } from "./connection.ts";
import { onTabNews } from "./session-end.ts";

const MOST_RETRIES = 2;
const FIRST_RETRY_MS = 400;
/** After the last retry. */
const HEAL_MS = 5_000;

/** Network failures and a busy server may recover; a refusal does not. */
export const mayHeal = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** A `refetchInterval`: sooner after a failure that may pass. False: then only. */
export const everyMs =
  (ms: number | false) =>
  ({ state: { error } }: { state: { error: Error | null } }): number | false =>
    error !== null && mayHeal(error) ? HEAL_MS : ms;

const FOLLOWED_MS = 30_000;

/** A `refetchInterval` for lists and pages in sight that others may change. What is gone is not asked for again. */
export const followed = (query: { state: { error: Error | null } }): number | false =>
  everyMs(query.state.error === null ? FOLLOWED_MS : false)(query);

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < MOST_RETRIES && mayHeal(error),
      retryDelay: (failures) => FIRST_RETRY_MS * 2 ** failures,
      refetchInterval: everyMs(false),
    },
  },
});

// A button is disabled before the next press of a double click: a timer would come after it.
notifyManager.setScheduler(queueMicrotask);

// Requests wait while the server is away. What is shown is asked for anew when it is back.
onlineManager.setEventListener((setOnline) => {
  let wasOnline = true;
  return onConnection(() => {
    const isOnline = currentConnection().state === "online";
    if (isOnline === wasOnline) return;
    wasOnline = isOnline;
    setOnline(isOnline);
    if (isOnline) void queries.invalidateQueries();
  });
});

/** Changes that arrive together are asked for once. */
const TOGETHER_MS = 500;
let timer: ReturnType<typeof setTimeout> | undefined;

// Another tab changed something. A hidden one asks when it is seen.
onTabNews(({ what }) => {
  if (what !== "changed") return;
  timer ??= setTimeout(() => {
    timer = undefined;
    void queries.invalidateQueries({ refetchType: document.hidden ? "none" : "active" });
  }, TOGETHER_MS);
});

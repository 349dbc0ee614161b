import { onlineManager, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";
import { currentConnection, onConnection } from "./connection.ts";

const MOST_TRIES = 3;
/** After the tries. */
const HEAL_MS = 5_000;

/** The network and a busy server may heal; a refusal does not. */
const mayHeal = (error: Error): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (tries, error) => tries < MOST_TRIES && mayHeal(error),
      refetchInterval: ({ state: { error } }) => (error !== null && mayHeal(error) ? HEAL_MS : false),
    },
  },
});

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

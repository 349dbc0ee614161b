import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";

const MOST_TRIES = 3;

/** The network and a busy server may heal; a refusal does not. */
const mayHeal = (error: Error): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

export const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry: (tries, error) => tries < MOST_TRIES && mayHeal(error) },
  },
});

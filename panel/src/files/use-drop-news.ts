import { useThrottledCallback } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useDropEvents } from "./drop-events.ts";
import { refreshFiles } from "./file-queries.ts";

const REFRESH_MS = 500;

/** Updates the list when files arrive in drop boxes. */
export function useDropNews(): void {
  const queries = useQueryClient();
  const refresh = useThrottledCallback(() => void refreshFiles(queries), REFRESH_MS);
  // A running read is not repeated.
  useDropEvents(refresh, () => void refreshFiles(queries, { cancelRefetch: false }));
}

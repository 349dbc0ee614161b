import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { openStream } from "../app/event-stream.ts";
import { refreshFiles } from "./file-queries.ts";

const REFRESH_MS = 500;

/** Updates the list when files arrive in drop boxes. A hidden page keeps no connection: browsers allow few. */
export function useDropNews(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let stop = () => {};
    let refreshing: ReturnType<typeof setTimeout> | undefined;
    function refresh(): void {
      refreshing ??= setTimeout(() => {
        refreshing = undefined;
        void refreshFiles(queries);
      }, REFRESH_MS);
    }
    function start(): void {
      stop();
      if (document.hidden) return;
      stop = openStream("/folders/live", { drop: refresh }, (state) => {
        // Files may have come before. A running read is not repeated.
        if (state === "live") void refreshFiles(queries, { cancelRefetch: false });
      });
    }
    start();
    document.addEventListener("visibilitychange", start);
    return () => {
      document.removeEventListener("visibilitychange", start);
      clearTimeout(refreshing);
      stop();
    };
  }, [queries]);
}

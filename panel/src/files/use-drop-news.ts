import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { SERVER_URL } from "../app/place.ts";
import { refreshFiles } from "./file-queries.ts";

const REFRESH_MS = 500;
const AGAIN_MS = 15_000;

/** The list follows what strangers put into drop boxes. A hidden page keeps no connection: browsers allow few. */
export function useDropNews(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let stream: EventSource | undefined;
    let refreshing: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    function refresh(): void {
      refreshing ??= setTimeout(() => {
        refreshing = undefined;
        void refreshFiles(queries);
      }, REFRESH_MS);
    }
    function stop(): void {
      clearTimeout(again);
      stream?.close();
      stream = undefined;
    }
    function start(): void {
      stop();
      if (document.hidden) return;
      stream = new EventSource(`${SERVER_URL}/folders/live`);
      // Files may have come before. What is being read is not begun anew.
      stream.addEventListener("open", () => void refreshFiles(queries, { cancelRefetch: false }));
      stream.addEventListener("drop", refresh);
      stream.addEventListener("error", () => {
        if (stream?.readyState !== EventSource.CLOSED) return;
        // Refused: the session may have ended, or there are too many viewers. A read renews the one.
        refresh();
        again = setTimeout(start, AGAIN_MS);
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

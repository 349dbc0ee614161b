/** What comes into the account's drop boxes, as it comes. */
import { useEffect, useEffectEvent } from "react";
import { renewSession } from "../app/api.ts";
import { SERVER_URL } from "../app/place.ts";

/** Data of an event of the server (src/clicks/live.ts). */
export type ArrivedFile = {
  code?: string;
  file_id: number;
  folder_id: number;
  name: string;
  size: number;
  sender_name: string | null;
};

const AGAIN_MS = 5_000;

/**
 * The browser connects again by itself, but not after a refusal: then the session may have ended. `onOpen`: files may
 * have come before.
 */
export function useDropEvents(onArrived: (file: ArrivedFile) => void, onOpen: () => void): void {
  const tell = useEffectEvent((event: MessageEvent<string>) =>
    onArrived(JSON.parse(event.data) as ArrivedFile),
  );
  const open = useEffectEvent(onOpen);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stream: EventSource;
    function connect(): void {
      const openedAt = Date.now();
      stream = new EventSource(`${SERVER_URL}/folders/live`, { withCredentials: true });
      stream.addEventListener("open", () => open());
      stream.addEventListener("drop", tell);
      stream.addEventListener("error", () => {
        if (stream.readyState !== EventSource.CLOSED) return;
        timer = setTimeout(
          () =>
            void renewSession(openedAt)
              .catch(() => false)
              .then(connect),
          AGAIN_MS,
        );
      });
    }
    connect();
    return () => {
      clearTimeout(timer);
      stream.close();
    };
  }, []);
}

/** Files that arrive in the account's drop boxes, live. */
import { useEffect, useEffectEvent } from "react";
import { openStream } from "../base/event-stream.ts";

/** Data of an event of the server (src/clicks/live.ts). */
export type ArrivedFile = {
  code?: string;
  file_id: number;
  folder_id: number;
  name: string;
  size: number;
  sender_name: string | null;
};

/** `onOpen`: files may have arrived before. */
export function useDropEvents(onArrived: (file: ArrivedFile) => void, onOpen: () => void): void {
  const tell = useEffectEvent((event: MessageEvent<string>) =>
    onArrived(JSON.parse(event.data) as ArrivedFile),
  );
  const open = useEffectEvent(onOpen);
  useEffect(
    () =>
      openStream("/folders/live", { drop: tell }, (state) => {
        if (state === "live") open();
      }),
    [],
  );
}

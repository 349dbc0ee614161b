import { useEffect, useRef } from "react";
import { useFailureNotice } from "./undo.tsx";

/** Whether this part of the page still exists. */
export function useIsThere(): () => boolean {
  const isThere = useRef(false);
  useEffect(() => {
    isThere.current = true;
    return () => void (isThere.current = false);
  }, []);
  return () => isThere.current;
}

/**
 * A form may be closed before its request is answered. Whatever is open then stays open, and a notice shows a failure
 * that the form would have shown.
 */
export function useLateResponse(onClose: () => void) {
  const isThere = useIsThere();
  const tell = useFailureNotice();
  return {
    isThere,
    close(): void {
      if (isThere()) onClose();
    },
    tellIfGone(error: Error): void {
      if (!isThere()) tell(error);
    },
  };
}

import { useEffect, useRef } from "react";
import { useFailureNotice } from "./undo.tsx";

/** Of a part of the page: whether it is still there. */
export function useIsThere(): () => boolean {
  const isThere = useRef(false);
  useEffect(() => {
    isThere.current = true;
    return () => void (isThere.current = false);
  }, []);
  return () => isThere.current;
}

/**
 * A form may be closed before its request is answered. What is open by then stays open, and a failure, which the form
 * would have shown, is told in a notice.
 */
export function useLateAnswer(onClose: () => void) {
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

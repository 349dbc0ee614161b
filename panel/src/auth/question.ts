import { useCallback, useEffect, useRef, useState } from "react";
import { useBackCloses } from "../ui/back-closes.ts";

/** A question that code outside of React asks. `ask` resolves with the answer, and with false when the page is left. */
export function useQuestion() {
  const [isOpen, setIsOpen] = useState(false);
  const waiting = useRef<((answer: boolean) => void) | null>(null);
  useBackCloses(isOpen, null);
  const ask = useCallback((): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    waiting.current = resolve;
    setIsOpen(true);
    return promise;
  }, []);
  const settle = useCallback((answer: boolean): void => {
    waiting.current?.(answer);
    waiting.current = null;
    setIsOpen(false);
  }, []);
  useEffect(() => () => waiting.current?.(false), []);
  return { isOpen, ask, settle };
}

import { useEffect, useState } from "react";
import { copyText } from "./copy.ts";

const SHOWN_MS = 1500;

/** Copies a text, and says for a moment that it did. */
export function useCopy(text: string): { isCopied: boolean; copy(): void } {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return { isCopied, copy: () => void copyText(text).then(setIsCopied) };
}

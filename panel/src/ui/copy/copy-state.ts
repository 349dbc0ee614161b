import { useEffect, useState } from "react";
import { noteCopy } from "./copy-notice.ts";
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
  async function copy(): Promise<void> {
    const hasWorked = await copyText(text);
    setIsCopied(hasWorked);
    noteCopy(hasWorked);
  }
  return { isCopied, copy: () => void copy() };
}

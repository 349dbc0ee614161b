/**
 * Keeps a row of the list of commands chosen. When several rows go at once, cmdk handles only the last one: if another
 * one was chosen, it would stay chosen, and Enter would do nothing.
 */
import { type RefObject, useEffect, useRef } from "react";

/** For the list's root. If the chosen row is gone, a pointer event chooses the first one. */
export function useChosenRow(): RefObject<HTMLDivElement | null> {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const rows = [...(root.current?.querySelectorAll("[role=option]") ?? [])];
    if (rows.some((row) => row.getAttribute("aria-selected") === "true")) return;
    rows[0]?.dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));
  });
  return root;
}

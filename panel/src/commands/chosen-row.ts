/**
 * The list of commands has a chosen row whenever it has rows. When several rows go at once, cmdk hears of the last one
 * only: had another of them been chosen, it would stay chosen and Enter would do nothing.
 */
import { type RefObject, useEffect, useRef } from "react";

/** For the list's root. Chooses the first row when the chosen one is gone, as a pointer does. */
export function useChosenRow(): RefObject<HTMLDivElement | null> {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const rows = [...(root.current?.querySelectorAll("[role=option]") ?? [])];
    if (rows.some((row) => row.getAttribute("aria-selected") === "true")) return;
    rows[0]?.dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));
  });
  return root;
}

import { type TouchEvent, useRef } from "react";

const LEAST_PX = 60;

/** Handlers that hear one finger go sideways. Not of players, of selected text, or in an enlarged page. */
export function useSwipe(onSwipe: (to: "left" | "right") => void) {
  const start = useRef<{ x: number; y: number } | null>(null);
  return {
    onTouchStart({ target, touches }: TouchEvent): void {
      const touch = touches.item(0);
      const isFree =
        touches.length === 1 && !(target instanceof HTMLMediaElement) && (visualViewport?.scale ?? 1) <= 1;
      start.current = isFree && touch !== null ? { x: touch.clientX, y: touch.clientY } : null;
    },
    onTouchEnd({ changedTouches }: TouchEvent): void {
      const touch = changedTouches.item(0);
      const from = start.current;
      start.current = null;
      if (from === null || touch === null || getSelection()?.isCollapsed === false) return;
      const [x, y] = [touch.clientX - from.x, touch.clientY - from.y];
      if (Math.abs(x) >= LEAST_PX && Math.abs(x) > 2 * Math.abs(y)) onSwipe(x < 0 ? "left" : "right");
    },
  };
}

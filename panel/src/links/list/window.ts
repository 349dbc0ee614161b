/**
 * The visible rows of a very long list. Browsers bound the height of an element, so beyond MOST_PX the scroll bar
 * represents the list in proportion: dragging it jumps, small steps move by pixels. When scrolling rests, the bar
 * moves to the position in the list. TanStack Virtual, which shorter lists use, gives each row its height and so ends at
 * the bound of the browser.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

const MOST_PX = 8_000_000;
const AROUND = 8;
/** Rows of DOM at most. */
const MOST_ROWS = 72;
const REST_MS = 150;
/** Jumps within this time belong to one drag of the scroll bar. */
const DRAG_MS = 120;

type Props = {
  scroller: RefObject<HTMLElement | null>;
  count: number;
  rowHeight: number;
  /** Height of the fixed part of the scroller above the rows. */
  headHeight: number;
  /** After scrolling, with the first visible row. */
  onRest(first: number): void;
};

type Sight = {
  first: number;
  /** Exclusive. */
  end: number;
  /** Pixels between the position in the list and in the scroller. */
  base: number;
  /** The scroll bar is being dragged. */
  isRacing: boolean;
};

export type RowWindow = Sight & {
  /** Of the element that scrolls. */
  height: number;
  /** Of a row within that element. */
  topOf(row: number): number;
  /** Puts the row at the top. */
  jumpTo(row: number): void;
  /** Scrolls as little as needed to show the row. */
  reveal(row: number): void;
  /** Rows that fit. */
  fitting(): number;
  /** The first row in sight. */
  top(): number;
};

export function useRowWindow({ scroller, count, rowHeight, headHeight, onRest }: Props): RowWindow {
  const real = count * rowHeight;
  const height = Math.min(real, MOST_PX);
  const [sight, setSight] = useState<Sight>({ first: 0, end: 30, base: 0, isRacing: false });
  const place = useRef({ top: 0, bar: 0, jumpedAt: 0 });
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const rested = useRef(onRest);
  rested.current = onRest;

  const view = useCallback(
    () => Math.max(rowHeight, (scroller.current?.clientHeight ?? 800) - headHeight),
    [scroller, rowHeight, headHeight],
  );
  const ratio = useCallback(
    () => (real <= height || height <= view() ? 1 : (real - view()) / (height - view())),
    [real, height, view],
  );

  const look = useCallback(
    (isRacing: boolean) => {
      const { top, bar } = place.current;
      const shown = Math.ceil(view() / rowHeight);
      const around = Math.max(1, Math.min(AROUND, Math.floor((MOST_ROWS - shown) / 2)));
      const first = Math.max(0, Math.floor(top / rowHeight) - around);
      const end = Math.min(count, Math.ceil((top + view()) / rowHeight) + around);
      const base = top - bar;
      setSight((now) =>
        now.first === first && now.end === end && now.base === base && now.isRacing === isRacing
          ? now
          : { first, end, base, isRacing },
      );
    },
    [count, rowHeight, view],
  );

  /** Moves the scroll bar to the position. */
  const settle = useCallback(
    (top: number) => {
      const element = scroller.current;
      if (element === null) return;
      const clamped = Math.max(0, Math.min(top, real - view()));
      element.scrollTop = clamped / ratio();
      const bar = element.scrollTop;
      place.current = { top: ratio() === 1 ? bar : clamped, bar, jumpedAt: 0 };
      look(false);
    },
    [scroller, real, view, ratio, look],
  );

  const rest = useCallback(() => {
    const { top } = place.current;
    // Rows move in the same frame as the scroll bar.
    flushSync(() => (ratio() === 1 ? look(false) : settle(top)));
    rested.current(Math.round(top / rowHeight));
  }, [ratio, look, settle, rowHeight]);

  const moveTo = (top: number): void => {
    // There is no grid while its first rows load. Callers try again.
    if (scroller.current === null) return;
    settle(top);
    clearTimeout(resting.current);
    resting.current = setTimeout(rest, REST_MS);
  };

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const onScroll = (): void => {
      const now = place.current;
      const bar = element.scrollTop;
      const step = bar - now.bar;
      if (step === 0) return;
      const isJump = Math.abs(step) > view() * 2;
      const isDrag = isJump && performance.now() - now.jumpedAt < DRAG_MS;
      if (isJump) now.jumpedAt = performance.now();
      now.bar = bar;
      if (ratio() === 1) now.top = bar;
      else if (isJump) now.top = bar * ratio();
      else {
        now.top = Math.max(0, Math.min(now.top + step, real - view()));
        const isAtEdge = bar <= 0 || bar >= height - view() - 1;
        if (isAtEdge) flushSync(() => settle(now.top));
      }
      look(isDrag);
      clearTimeout(resting.current);
      resting.current = setTimeout(rest, REST_MS);
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    const sizes = new ResizeObserver(() => look(false));
    sizes.observe(element);
    return () => {
      clearTimeout(resting.current);
      element.removeEventListener("scroll", onScroll);
      sizes.disconnect();
    };
  }, [scroller, real, height, view, ratio, look, settle, rest]);

  useLayoutEffect(() => look(false), [look]);

  return {
    ...sight,
    end: Math.min(sight.end, count),
    height,
    topOf: (row) => row * rowHeight - sight.base,
    jumpTo: (row) => moveTo(row * rowHeight),
    reveal(row) {
      const { top } = place.current;
      if (row * rowHeight < top) moveTo(row * rowHeight);
      else if ((row + 1) * rowHeight > top + view()) moveTo((row + 1) * rowHeight - view());
    },
    fitting: () => Math.max(1, Math.floor(view() / rowHeight)),
    top: () => Math.round(place.current.top / rowHeight),
  };
}

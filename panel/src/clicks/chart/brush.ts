/** Points at a bucket of a chart and selects a part of it, by mouse, touch and keys. */
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useEffect, useRef, useState } from "react";

/** First and last bucket, both included. */
export type Brush = readonly [first: number, last: number];

type Props = {
  count: number;
  brush: Brush | null;
  onBrush(brush: Brush | null): void;
  onZoomOut(): void;
};

/** A pointer that moved less counts as a click. */
const CLICK_PIXELS = 4;
/** After this pause a choice by keys counts. */
const PAUSE_MS = 400;
const PAGE = 0.1;
/** Two clicks within this time are one double click. */
const DOUBLE_MS = 600;

const between = (a: number, b: number): Brush => [Math.min(a, b), Math.max(a, b)];

export function useBrush({ count, brush, onBrush, onZoomOut }: Props) {
  const [at, setAt] = useState<number | null>(null);
  const [draft, setDraft] = useState<Brush | null>(null);
  const anchor = useRef<{ at: number; x: number; isDragged: boolean } | null>(null);
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** When a click let the brush go: the second one of a double click must not zoom out too. */
  const letGo = useRef(Number.NEGATIVE_INFINITY);
  const shown = at === null ? null : Math.min(at, count - 1);
  const chosen = draft ?? brush;

  useEffect(() => () => clearTimeout(pause.current), []);
  useEffect(() => setDraft(null), [brush?.[0], brush?.[1]]);

  function choose(next: Brush | null): void {
    clearTimeout(pause.current);
    if (next === null) setDraft(null);
    onBrush(next);
  }

  const bucketAt = ({ clientX, currentTarget }: PointerEvent<HTMLElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(count - 1, Math.floor(((clientX - left) / width) * count)));
  };

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Escape" && chosen !== null) {
      event.stopPropagation();
      anchor.current = null;
      return choose(null);
    }
    if (event.key === "-" && !event.ctrlKey && !event.metaKey) return onZoomOut();
    const page = Math.max(1, Math.round(count * PAGE));
    const from = shown ?? chosen?.[1] ?? count - 1;
    const to = {
      ArrowLeft: from - 1,
      ArrowDown: from - 1,
      ArrowRight: from + 1,
      ArrowUp: from + 1,
      PageDown: from - page,
      PageUp: from + page,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(count - 1, to));
    setAt(next);
    if (!event.shiftKey) return void (anchor.current = null);
    anchor.current ??= { at: from, x: 0, isDragged: false };
    const drafted = between(anchor.current.at, next);
    setDraft(drafted);
    clearTimeout(pause.current);
    pause.current = setTimeout(() => choose(drafted), PAUSE_MS);
  }

  const surface = {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      if (event.pointerType === "mouse") event.currentTarget.setPointerCapture(event.pointerId);
      const bucket = bucketAt(event);
      anchor.current = { at: bucket, x: event.clientX, isDragged: false };
      setAt(bucket);
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const bucket = bucketAt(event);
      setAt(bucket);
      const start = anchor.current;
      if (start === null || event.buttons === 0) return;
      start.isDragged ||= Math.abs(event.clientX - start.x) > CLICK_PIXELS;
      if (start.isDragged) setDraft(between(start.at, bucket));
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const start = anchor.current;
      anchor.current = null;
      if (start === null) return;
      const bucket = bucketAt(event);
      if (start.isDragged) choose(between(start.at, bucket));
      else if (brush !== null && (bucket < brush[0] || bucket > brush[1])) {
        letGo.current = event.timeStamp;
        choose(null);
      }
    },
    onDoubleClick({ timeStamp }: MouseEvent) {
      if (timeStamp - letGo.current < DOUBLE_MS) return;
      if (brush === null) onZoomOut();
      else choose(null);
    },
    /** The page scrolls instead. */
    onPointerCancel() {
      anchor.current = null;
      setDraft(null);
      setAt(null);
    },
    onPointerLeave({ pointerType, currentTarget }: PointerEvent<HTMLElement>) {
      if (pointerType === "mouse" && !currentTarget.matches(":focus-visible")) setAt(null);
    },
    onFocus({ currentTarget }: { currentTarget: HTMLElement }) {
      if (currentTarget.matches(":focus-visible")) setAt((known) => known ?? chosen?.[1] ?? count - 1);
    },
    onBlur: () => setAt(null),
    onKeyDown,
    onKeyUp({ key }: KeyboardEvent) {
      if (key === "Shift" && draft !== null && anchor.current?.isDragged === false) choose(draft);
    },
  };
  return { at: shown, chosen, surface };
}

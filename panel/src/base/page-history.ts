/**
 * The history that the router sees. Back closes what lies over the page, the last first: while something does, the
 * browser's history has one entry more, of which the router knows nothing. A page that opens meanwhile takes its place.
 */
import { createBrowserHistory } from "@tanstack/react-router";
import { flushSync } from "react-dom";

/** Null: it stays. */
type Close = (() => void) | null;
type Change = Parameters<History["pushState"]>;
type Hear = (event: PopStateEvent) => void;

const closers: { close: Close }[] = [];
/** Marks the page's own entry while the one over it is the current one. */
let below: number | null = null;
/** The entry is on its way out. What the router changes meanwhile comes after it. */
let isLeaving = false;
const waiting: (() => void)[] = [];
/** The last change of the page's own entry, which is below. */
let newest: Change | null = null;
let tellRouter: Hear | undefined;
/** When the panel last went back, until it is there. */
let goingBackSince = -Infinity;
const LONGEST_WAY_MS = 500;

/** A second press on the way, such as of Escape, would go one page further and may leave the panel. */
function back(): void {
  if (performance.now() - goingBackSince < LONGEST_WAY_MS) return;
  goingBackSince = performance.now();
  history.back();
}

function settle(): void {
  if (isLeaving) return;
  if (closers.length > 0 && below === null) {
    below = Math.random();
    history.replaceState({ ...history.state, below }, "");
    history.pushState({ ...history.state, isOver: true }, "");
  } else if (closers.length === 0 && below !== null) {
    isLeaving = true;
    history.back();
  }
}
/** A page or another dialog may open at once. */
const settleSoon = () => void setTimeout(settle);

function pushState(...change: Change): void {
  if (isLeaving) return void waiting.push(() => pushState(...change));
  if (below === null) history.pushState(...change);
  else history.replaceState(...change);
  below = newest = null;
  settleSoon();
}

function replaceState(state: unknown, ...change: [string, (string | URL | null)?]): void {
  if (isLeaving) return void waiting.push(() => replaceState(state, ...change));
  if (below !== null) newest = [state, ...change];
  history.replaceState(below === null ? state : { ...(state as object), isOver: true }, ...change);
}

addEventListener("popstate", (event) => {
  goingBackSince = -Infinity;
  // Forward leads to what is closed.
  if (history.state?.isOver) return history.back();
  if (below === null) return tellRouter?.(event);
  const isPage = history.state?.below === below;
  if (isPage && newest !== null) history.replaceState(...newest);
  below = newest = null;
  if (!isLeaving && closers.at(-1)?.close) flushSync(closers.pop()!.close!);
  isLeaving = false;
  for (const change of waiting.splice(0)) change();
  settleSoon();
  if (!isPage) tellRouter?.(event);
});

/** The parts of a window that the router uses. */
export const pageHistory = createBrowserHistory({
  window: {
    document,
    location,
    history: {
      get state(): unknown {
        return history.state;
      },
      get length(): number {
        return history.length;
      },
      pushState,
      replaceState,
      back,
      forward: () => history.forward(),
      go: (steps: number) => history.go(steps),
    },
    addEventListener(type: string, hear: Hear, options?: AddEventListenerOptions): void {
      if (type === "popstate") tellRouter = hear;
      else addEventListener(type, hear as EventListener, options);
    },
    removeEventListener: removeEventListener.bind(window),
  },
});
// Of the page before a reload.
if (history.state?.isOver) history.back();

/** @param close null if Back leaves it open. Returns a function for when it is closed. */
export function putOverPage(close: Close): () => void {
  const closer = { close };
  closers.push(closer);
  settle();
  return () => {
    if (closers.includes(closer)) closers.splice(closers.indexOf(closer), 1);
    settleSoon();
  };
}

/**
 * Back closes what lies over the page, the last first. While something does, the browser's history has one entry more,
 * of which the router knows nothing. A page that opens meanwhile takes its place.
 */
import { useEffect, useEffectEvent } from "react";
import { flushSync } from "react-dom";
import { heedSteps } from "../base/history-steps.ts";

/** Null: it stays. */
type Close = (() => void) | null;
type Change = Parameters<History["pushState"]>;

const closers: { close: Close }[] = [];
const own = History.prototype;
/** The router's, which tell it. */
const { pushState, replaceState } = history;
const INDEX = "__TSR_index";
/** Its place in the history while the entry is the current one. */
let over: number | null = null;
/** The entry is on its way out. What the router changes meanwhile comes after it. */
let isLeaving = false;
const waiting: (() => void)[] = [];
/** The last change of the page's own entry, which is below. */
let newest: Change | null = null;

function settle(): void {
  if (isLeaving) return;
  if (closers.length > 0 && over === null) {
    over = history.state?.[INDEX];
    own.pushState.call(history, { ...history.state, isOver: true }, "");
  } else if (closers.length === 0 && over !== null) {
    isLeaving = true;
    history.back();
  }
}
/** A page or another dialog may open at once. */
const settleSoon = () => void setTimeout(settle);

history.pushState = (...change) => {
  if (isLeaving) return void waiting.push(() => history.pushState(...change));
  (over === null ? pushState : replaceState).apply(history, change);
  over = newest = null;
  settleSoon();
};
history.replaceState = (state, ...change) => {
  if (isLeaving) return void waiting.push(() => history.replaceState(state, ...change));
  if (over !== null) newest = [state, ...change];
  replaceState.call(history, over === null ? state : { ...state, isOver: true }, ...change);
};

heedSteps((event) => {
  // Forward leads to what is closed.
  if (history.state?.isOver) {
    event.stopImmediatePropagation();
    return history.back();
  }
  if (over === null) return;
  if (over === history.state?.[INDEX]) {
    event.stopImmediatePropagation();
    if (newest !== null) own.replaceState.apply(history, newest);
  }
  over = newest = null;
  if (!isLeaving && closers.at(-1)?.close) flushSync(closers.pop()!.close!);
  isLeaving = false;
  for (const change of waiting.splice(0)) change();
  settleSoon();
});
// Of the page before a reload.
if (history.state?.isOver) history.back();

/** @param close null if Back leaves it open */
export function useBackCloses(isOpen: boolean, close: Close): void {
  const closeNow = useEffectEvent(() => close?.());
  const stays = close === null;
  useEffect(() => {
    if (!isOpen) return;
    const closer = { close: stays ? null : () => closeNow() };
    closers.push(closer);
    settle();
    return () => {
      if (closers.includes(closer)) closers.splice(closers.indexOf(closer), 1);
      settleSoon();
    };
  }, [isOpen, stays]);
}

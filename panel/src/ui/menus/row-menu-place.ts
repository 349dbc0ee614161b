import type { MenuProps } from "@mantine/core";
import { type MouseEvent, useState } from "react";

type Place = Pick<MenuProps, "position" | "offset" | "middlewares">;
type At = { x: number; y: number };

const BESIDE: Place = { position: "bottom-end", offset: 8 };
/** Away from the button too, which the menu would touch otherwise. */
const ANYWHERE: NonNullable<Place["middlewares"]> = {
  shift: { limiter: { fn: ({ x, y }: At) => ({ x, y }) } },
};

/** Where the menu of a row opens: at its button, which gets `onClick`, or where `openRowMenu` says. */
export function useRowMenuPlace() {
  const [place, setPlace] = useState(BESIDE);
  function onClick({ nativeEvent: event, currentTarget }: MouseEvent<HTMLElement>): void {
    if (event.isTrusted || event.clientX + event.clientY === 0) return setPlace(BESIDE);
    const { left, bottom } = currentTarget.getBoundingClientRect();
    const offset = { mainAxis: event.clientY - bottom, crossAxis: event.clientX - left };
    setPlace({ position: "bottom-start", offset, middlewares: ANYWHERE });
  }
  return { place, onClick };
}

import { queryOptions } from "@tanstack/react-query";
import { PANEL_PATH, readPlace, WAS_SET_UP } from "../base/place.ts";

const LOOK_MS = 3_000;

let isSetUp = WAS_SET_UP;

/** A password is never removed. */
export const markSetUp = (): void => void (isSetUp = true);

/** Whether a password is set. Checks again until it is. */
export const setUpQuery = queryOptions({
  queryKey: ["set-up"],
  async queryFn({ signal }) {
    const answer = await fetch(PANEL_PATH, { headers: { Accept: "text/html" }, cache: "no-store", signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    isSetUp ||= answer.ok && readPlace(page).isSetUp;
    return isSetUp;
  },
  initialData: () => isSetUp,
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: ({ state: { data } }) => (data === true ? false : LOOK_MS),
});

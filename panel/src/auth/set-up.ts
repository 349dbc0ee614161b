import { queryOptions } from "@tanstack/react-query";
import { placeNow, WAS_SET_UP } from "../base/place.ts";

const LOOK_MS = 3_000;

let isSetUp = WAS_SET_UP;

/** A password is never removed. */
export const markSetUp = (): void => void (isSetUp = true);

/** Whether a password is set. Checks again until it is. */
export const setUpQuery = queryOptions({
  queryKey: ["set-up"],
  async queryFn({ signal }) {
    isSetUp ||= (await placeNow(signal))?.isSetUp ?? false;
    return isSetUp;
  },
  initialData: () => isSetUp,
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: ({ state: { data } }) => (data === true ? false : LOOK_MS),
});

/** Short transactions that turn out to be long. */
import type { Db } from "./dialect.ts";

const onCallingThread = new WeakSet<Db>();

/** Ends a short transaction, which then runs again in the thread. */
export class TooLong extends Error {}

export const markShort = (tx: Db): void => void onCallingThread.add(tx);

/** Call it before statements that change many rows. @throws TooLong on the calling thread; then let it pass */
export function leaveCallingThread(tx: Db): void {
  if (onCallingThread.has(tx)) throw new TooLong("The transaction runs again in the thread.");
}

/**
 * Conditions of a request that hold in its own transaction: what `before` reads there is what the request changes, and
 * what it writes commits with that change. The context follows the request's promises; nobody else's transaction sees it.
 */
import { AsyncLocalStorage } from "node:async_hooks";

type Pending = { before(tx: unknown): Promise<void>; isCommitted: boolean; outer: Pending | undefined };

const pending = new AsyncLocalStorage<Pending>();

/**
 * `before` runs at the start of the first transaction of `run` that commits, and with each repetition of it; a rejection
 * ends the transaction. What waits already, such as the claim of an `Idempotency-Key`, runs ahead of it. Returns whether
 * one has committed, also when `run` rejects.
 */
export function beforeFirstWrite<T>(before: Pending["before"], run: () => Promise<T>) {
  const state: Pending = { before, isCommitted: false, outer: pending.getStore() };
  return { isCommitted: () => state.isCommitted, result: pending.run(state, run) };
}

/** Runs what is no part of the request's change, such as a refresh of what it reads, without its condition. */
export const outsideFirstWrite = <T>(run: () => T): T => pending.exit(run);

/** Runs `transact` with what waits for this transaction. The database calls it. */
export async function withFirstWrite<X, T>(
  transact: (run: (tx: X) => Promise<T>) => Promise<T>,
  run: (tx: X) => Promise<T>,
): Promise<T> {
  const waiting = waitingNow();
  if (waiting.length === 0) return transact(run);
  const result = await transact(async (tx) => {
    for (const { before } of waiting) await before(tx);
    return run(tx);
  });
  for (const state of waiting) state.isCommitted = true;
  return result;
}

/** What waits for the next transaction, the outermost first. */
function waitingNow(): Pending[] {
  const waiting: Pending[] = [];
  for (let state = pending.getStore(); state !== undefined; state = state.outer) {
    if (!state.isCommitted) waiting.unshift(state);
  }
  return waiting;
}

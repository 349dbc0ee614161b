/** Finds the one of several servers that takes writes. */
import { withTimeout } from "../../lib/timeout.ts";
import { isFromServer } from "./availability.ts";
import { type Address, addressName } from "./database-url.ts";
import { DatabaseError } from "./failures.ts";

/** How long the other servers may take to respond, after the first one that takes writes. */
const PATIENCE_MS = 200;
/** Connections that are opened together share a reply. */
const FRESH_MS = 1_000;
/** Bounds what one server may take to accept a connection and say what it is. */
export const ASK_TIMEOUT_MS = 2_000;

/** A server that responds but takes no writes. */
export class NotPrimary extends Error {
  readonly code = "ENOTPRIMARY";
}

/**
 * Asks all servers at once, so that dead ones cost no time. Of several that take writes, the one with the highest term
 * is the newest; among equals the former choice stays, then the first of the list is taken.
 */
export function createPrimaryFinder(deps: {
  addresses: readonly Address[];
  /**
   * Resolves to the server's term if it takes writes, rejects with the reason if not. Settles within ASK_TIMEOUT_MS
   * or little more, and leaves nothing open.
   */
  ask: (address: Address) => Promise<number>;
  /** Called with each server that did not report that it takes writes, once all have responded or timed out. */
  lost?: (address: Address) => void;
  /** Called once when the server that takes writes has a lower term than one before. 0 is no term. */
  steppedBack?: (address: Address, term: number, formerTerm: number) => void;
}) {
  const { addresses, ask, lost = () => {}, steppedBack = () => {} } = deps;
  const only = addresses.length === 1 ? addresses[0]! : null;
  let chosen = addresses[0]!;
  let lastTerm = 0;
  let chosenAt = Number.NEGATIVE_INFINITY;
  let running: Promise<Address> | null = null;

  async function choose(): Promise<Address> {
    const terms = new Map<Address, number>();
    const queries = addresses.map(async (address) => void terms.set(address, await ask(address)));
    const settled = Promise.allSettled(queries);
    void settled.then(() => addresses.filter((one) => !terms.has(one)).forEach(lost));
    await Promise.any(queries).catch(async () => {
      throw noneOf(addresses, await settled);
    });
    await withTimeout<unknown>(PATIENCE_MS, settled, () => {});
    const newest = Math.max(...terms.values());
    if (terms.get(chosen) !== newest) chosen = addresses.find((one) => terms.get(one) === newest)!;
    if (newest > 0 && newest < lastTerm) steppedBack(chosen, newest, lastTerm);
    if (newest > 0) lastTerm = newest;
    chosenAt = performance.now();
    return chosen;
  }

  return {
    hasChoice: only === null,
    /** @throws DatabaseError if none takes writes, or an error with the code of a server if all of them refuse */
    async find(): Promise<Address> {
      if (only !== null) return only;
      if (performance.now() - chosenAt < FRESH_MS) return chosen;
      running ??= choose().finally(() => (running = null));
      return running;
    },
    /** After a connection failed or turned out to be read-only. */
    forget: (): void => void (chosenAt = Number.NEGATIVE_INFINITY),
  };
}

/** Carries the code of a server that responded with an error, so that it does not count as away. */
function noneOf(addresses: readonly Address[], outcomes: PromiseSettledResult<void>[]): Error {
  const reasons = outcomes.map((one) => (one.status === "rejected" ? (one.reason as Error) : new Error()));
  const stated = reasons.map(
    (reason, i) => `${addressName(addresses[i]!)}: ${reason.message || "no answer"}`,
  );
  const refusal = reasons.find(isFromServer) as
    | { code?: string; sqlState?: string; errno?: number }
    | undefined;
  const cause = Object.assign(new Error(`no server takes writes (${stated.join("; ")})`), {
    ...(refusal && { code: refusal.sqlState ?? refusal.code, errno: refusal.errno }),
  });
  // If all servers refuse, none of them is away, and their error explains why.
  return reasons.every(isFromServer) ? cause : new DatabaseError("unavailable", cause);
}

/**
 * Places of viewers: a bounded number for each account and for all. When all are taken, a newcomer gets the oldest place
 * of the account with the most, if it leaves that account with more. So no account keeps others out.
 */
import { appError } from "../lib/errors.ts";

/** `isLost`: somebody else has it. */
export type LivePlace = { readonly accountId: number; isLost: boolean; leave(): void };

type Options = { most: number; mostOfAccount: number; onLost(): void };

const RETRY_SECONDS = 5;

export function createLivePlaces({ most, mostOfAccount, onLost }: Options) {
  /** In the order in which they were taken. */
  const taken = new Set<LivePlace>();
  const countOf = (accountId: number): number =>
    taken.values().reduce((count, place) => count + Number(place.accountId === accountId), 0);

  function makeRoom(newcomer: number): boolean {
    const counts = new Map<number, number>();
    for (const { accountId } of taken) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    const [largest, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one));
    if (count - 1 <= (counts.get(newcomer) ?? 0)) return false;
    const oldest = taken.values().find(({ accountId }) => accountId === largest)!;
    oldest.isLost = true;
    taken.delete(oldest);
    onLost();
    return true;
  }

  return {
    /** @throws RateLimitExceeded for an account with too many, ServiceUnavailable without room */
    take(accountId: number): LivePlace {
      if (countOf(accountId) >= mostOfAccount) {
        const message = `A worker serves at most ${mostOfAccount} live views of an account at once; close one of yours.`;
        throw appError("RateLimitExceeded", message, { details: { retryAfterSeconds: RETRY_SECONDS } });
      }
      if (taken.size >= most && !makeRoom(accountId)) {
        throw appError(
          "ServiceUnavailable",
          `A worker serves at most ${most} viewers at once; try again later.`,
        );
      }
      const place: LivePlace = { accountId, isLost: false, leave: () => void taken.delete(place) };
      taken.add(place);
      return place;
    },
    size: (): number => taken.size,
  };
}

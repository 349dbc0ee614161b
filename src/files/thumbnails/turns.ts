/**
 * What waits, in turns by owner: each owner's next one after one of each other owner. What strangers make wait comes
 * after what accounts do, except for every eighth turn, so that no account stops the pages of shares. Each owner has a
 * bounded number of places, and so have all: then the newest of the owner with the most gives its place to a newcomer
 * who has fewer.
 */
export type Waiting = { owner: number; isForStranger: boolean };

type Lane<J> = { jobs: Map<number, J[]>; size: number; most: number; mostOfOwner: number };

export const TURN_BOUNDS = {
  accounts: { most: 400, mostOfOwner: 100 },
  strangers: { most: 100, mostOfOwner: 30 },
};
const STRANGERS_EVERY = 8;

type Options<J> = {
  /** Called with what had to leave. */
  onLost(job: J): void;
  /** Nobody waits for it any more. It leaves first. */
  isGone(job: J): boolean;
  bounds?: typeof TURN_BOUNDS;
};

export function createTurns<J>({ onLost, isGone, bounds = TURN_BOUNDS }: Options<J>) {
  const laneOf = (of: { most: number; mostOfOwner: number }): Lane<J> => ({
    ...of,
    jobs: new Map(),
    size: 0,
  });
  const accounts = laneOf(bounds.accounts);
  const strangers = laneOf(bounds.strangers);
  let turns = 0;

  /** What waits of the owner, without what nobody waits for if it is much. */
  function waitingOf(lane: Lane<J>, owner: number): J[] {
    const all = lane.jobs.get(owner) ?? [];
    if (all.length < lane.mostOfOwner) return all;
    const { gone = [], kept = [] } = Object.groupBy(all, (job) => (isGone(job) ? "gone" : "kept"));
    if (kept.length === 0) lane.jobs.delete(owner);
    else lane.jobs.set(owner, kept);
    lane.size -= gone.length;
    for (const job of gone) onLost(job);
    return kept;
  }

  function makeRoom(lane: Lane<J>, newcomer: number): boolean {
    const { jobs } = lane;
    const [largest, waiting] = [...jobs].reduce((one, other) =>
      other[1].length > one[1].length ? other : one,
    );
    if (waiting.length - 1 <= (jobs.get(newcomer)?.length ?? 0)) return false;
    const lost = waiting.pop()!;
    if (waiting.length === 0) jobs.delete(largest);
    lane.size -= 1;
    onLost(lost);
    return true;
  }

  function first(lane: Lane<J>): J | undefined {
    const next = lane.jobs.entries().next().value;
    if (next === undefined) return undefined;
    const [owner, waiting] = next;
    const job = waiting.shift()!;
    lane.size -= 1;
    // Behind all others.
    lane.jobs.delete(owner);
    if (waiting.length > 0) lane.jobs.set(owner, waiting);
    return job;
  }

  return {
    /** False: there is no room. */
    add(job: J, { owner, isForStranger }: Waiting): boolean {
      const lane = isForStranger ? strangers : accounts;
      const waiting = waitingOf(lane, owner);
      if (waiting.length >= lane.mostOfOwner) return false;
      if (lane.size >= lane.most && !makeRoom(lane, owner)) return false;
      lane.size += 1;
      lane.jobs.set(owner, [...waiting, job]);
      return true;
    },
    /** Undefined: nothing waits. */
    next(): J | undefined {
      turns += 1;
      const order = turns % STRANGERS_EVERY === 0 ? [strangers, accounts] : [accounts, strangers];
      return first(order[0]!) ?? first(order[1]!);
    },
  };
}

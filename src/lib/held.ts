/**
 * Keeps structures made from many rows, such as sets of ids, and applies reported changes to them. One is built on
 * first use; changes reported meanwhile are applied before anybody gets it. The least recently used are dropped, and
 * all of them after a time without use.
 */
import { chunked } from "./chunked.ts";

/** `follow` returns false if the structure can no longer be right. */
export type Held<Changed> = {
  /** Never dropped for others. */
  isPinned?: boolean;
  /** Called when it is dropped. */
  drop?(): void;
  follow(changed: Changed): boolean | Promise<boolean>;
  bytes(): number;
};

/** `isLost`: it can't catch up any more. */
type Build<Changed> = { made: Promise<Held<Changed>>; told: Set<string>; isLost: boolean };

const MOST_TOLD = 5_000;
const CHUNK = 1_000;
const UNUSED_MS = 600_000;
const MOST_TRIES = 3;

type HeldOptions<Changed> = {
  /** Looks up at most 1,000 keys. */
  changesOf(keys: readonly string[]): Promise<Changed>;
  /** Structures kept. */
  most: number;
  /** The last structure asked for may exceed it. */
  mostBytes?: number;
  /** With more reported keys, everything is built anew. */
  mostTold?: number;
  /** Drops all after this time without use. */
  unusedMs?: number;
};

export type HeldThings<Changed> = ReturnType<typeof createHeldThings<Changed>>;

export function createHeldThings<Changed>(options: HeldOptions<Changed>) {
  const { changesOf, most, mostBytes = Number.POSITIVE_INFINITY } = options;
  const { mostTold = MOST_TOLD, unusedMs = UNUSED_MS } = options;
  const kept = new Map<string, Held<Changed>>();
  const builds = new Map<string, Build<Changed>>();
  let told = new Set<string>();
  let usedAt: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  function drop(key: string): void {
    kept.get(key)?.drop?.();
    kept.delete(key);
  }

  function clear(): void {
    for (const key of kept.keys()) drop(key);
    for (const build of builds.values()) build.isLost = true;
    told = new Set();
    if (builds.size === 0) usedAt = null;
  }

  const bytes = (): number => [...kept.values()].reduce((sum, thing) => sum + thing.bytes(), 0);

  const isTooMuch = (): boolean =>
    kept.size > 1 && (kept.size > most || (mostBytes < Number.POSITIVE_INFINITY && bytes() > mostBytes));

  function trim(): void {
    for (const [oldest, { isPinned = false }] of kept) {
      if (!isTooMuch()) return;
      if (!isPinned) drop(oldest);
    }
  }

  /** Without it, unused structures stay until the next change. */
  function watchUse(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (usedAt === null) return;
      if (performance.now() - usedAt > unusedMs) clear();
      if (usedAt !== null) watchUse();
    }, unusedMs).unref();
  }

  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = turn.then(run);
    turn = next.catch(() => {});
    return next;
  }

  /** Returns the keys of those that are still right. */
  async function apply(
    keys: Iterable<string>,
    things: ReadonlyMap<string, Held<Changed>>,
  ): Promise<Set<string>> {
    const right = new Set(things.keys());
    if (things.size === 0) return right;
    for (const chunk of chunked([...keys], CHUNK)) {
      const changed = await changesOf(chunk);
      for (const [key, thing] of things) if (!(await thing.follow(changed))) right.delete(key);
    }
    return right;
  }

  const catchUp = () =>
    inTurn(async () => {
      const keys = told;
      told = new Set();
      try {
        const things = new Map(kept);
        const right = await apply(keys, things);
        for (const [key, thing] of things) if (!right.has(key) && kept.get(key) === thing) drop(key);
      } catch (error) {
        clear();
        throw error;
      }
    });

  async function buildThing(
    key: string,
    make: () => Promise<Held<Changed>>,
    own: Build<Changed>,
  ): Promise<Held<Changed>> {
    try {
      for (let tries = 1; ; tries++) {
        own.told = new Set();
        own.isLost = false;
        const thing = await make();
        const isRight = await inTurn(async () => {
          const right = await apply(own.told, new Map([[key, thing]]));
          if (own.isLost || !right.has(key)) return false;
          kept.set(key, thing);
          trim();
          return true;
        });
        if (isRight || tries === MOST_TRIES) return thing;
        thing.drop?.();
      }
    } finally {
      builds.delete(key);
    }
  }

  return {
    /** Up to date with all changes reported before the call. Undefined unless it is kept. */
    async current(key: string): Promise<Held<Changed> | undefined> {
      usedAt = performance.now();
      watchUse();
      await catchUp();
      return kept.get(key);
    },

    /** Up to date with all changes reported before the call. */
    async get<T extends Held<Changed>>(key: string, make: () => Promise<T>): Promise<T> {
      usedAt = performance.now();
      watchUse();
      await catchUp();
      const known = kept.get(key);
      if (known !== undefined) {
        kept.delete(key);
        kept.set(key, known);
        trim();
        return known as T;
      }
      const running = builds.get(key);
      if (running !== undefined) return (await running.made) as T;
      // A clear may have come meanwhile.
      usedAt = performance.now();
      const own: Build<Changed> = { made: Promise.resolve() as never, told: new Set(), isLost: false };
      builds.set(key, own);
      own.made = buildThing(key, make, own);
      return (await own.made) as T;
    },

    /** As it is, without waiting. */
    peek: (key: string): Held<Changed> | undefined => kept.get(key),

    forget(key: string): void {
      drop(key);
      const running = builds.get(key);
      if (running !== undefined) running.isLost = true;
    },

    clear,

    bytes,

    /** While nothing follows. */
    inTurn,

    tell(keys: readonly string[]): void {
      if (usedAt === null) return;
      if (keys.includes("*") || performance.now() - usedAt > unusedMs) return clear();
      for (const key of keys) told.add(key);
      for (const build of builds.values()) {
        for (const key of keys) build.told.add(key);
        if (build.told.size <= mostTold) continue;
        build.told.clear();
        build.isLost = true;
      }
      if (told.size > mostTold) clear();
    },
  };
}

/**
 * Things made from all links, such as sets of ids, that follow the changes that are told. One is made when first asked
 * for, and what is told meanwhile is applied before anybody gets it. Those asked for least recently are dropped, and
 * all of them while nobody asks.
 */
import { chunked } from "../../lib/chunked.ts";
import type { Changed } from "./positions.repository.ts";

/** `follow` returns whether it is right then. */
export type Held = {
  follow(changed: Changed): boolean | Promise<boolean>;
  bytes(): number;
};

/** `isLost`: it can't catch up any more. */
type Build = { made: Promise<Held>; told: Set<string>; isLost: boolean };

/** Told codes to look up. More make everything anew. */
const MOST_TOLD = 5_000;
const CHUNK = 1_000;
const UNUSED_MS = 600_000;
const MOST_TRIES = 3;

type HeldOptions = {
  /** What happened to at most 1,000 codes. */
  changesOf(codes: readonly string[]): Promise<Changed>;
  /** Things kept. */
  most: number;
};

export function createHeldThings({ changesOf, most }: HeldOptions) {
  const kept = new Map<string, Held>();
  const builds = new Map<string, Build>();
  let told = new Set<string>();
  let usedAt: number | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  function clear(): void {
    kept.clear();
    for (const build of builds.values()) build.isLost = true;
    told = new Set();
    if (builds.size === 0) usedAt = null;
  }

  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = turn.then(run);
    turn = next.catch(() => {});
    return next;
  }

  /** Returns the keys of those that are right. */
  async function apply(codes: Iterable<string>, things: ReadonlyMap<string, Held>): Promise<Set<string>> {
    const right = new Set(things.keys());
    if (things.size === 0) return right;
    for (const chunk of chunked([...codes], CHUNK)) {
      const changed = await changesOf(chunk);
      for (const [key, thing] of things) if (!(await thing.follow(changed))) right.delete(key);
    }
    return right;
  }

  const catchUp = () =>
    inTurn(async () => {
      const codes = told;
      told = new Set();
      try {
        const things = new Map(kept);
        const right = await apply(codes, things);
        for (const [key, thing] of things) if (!right.has(key) && kept.get(key) === thing) kept.delete(key);
      } catch (error) {
        clear();
        throw error;
      }
    });

  async function buildThing(key: string, make: () => Promise<Held>, own: Build): Promise<Held> {
    try {
      for (let tries = 1; ; tries++) {
        own.told = new Set();
        own.isLost = false;
        const thing = await make();
        const isRight = await inTurn(async () => {
          const right = await apply(own.told, new Map([[key, thing]]));
          if (own.isLost || !right.has(key)) return false;
          kept.set(key, thing);
          if (kept.size > most) kept.delete(kept.keys().next().value!);
          return true;
        });
        if (isRight || tries === MOST_TRIES) return thing;
      }
    } finally {
      builds.delete(key);
    }
  }

  return {
    /** Resolves when it has followed all that was told before the call. */
    async get<T extends Held>(key: string, make: () => Promise<T>): Promise<T> {
      usedAt = performance.now();
      await catchUp();
      const known = kept.get(key);
      if (known !== undefined) {
        kept.delete(key);
        kept.set(key, known);
        return known as T;
      }
      const running = builds.get(key);
      if (running !== undefined) return (await running.made) as T;
      // A clear may have come meanwhile.
      usedAt = performance.now();
      const own: Build = { made: Promise.resolve() as never, told: new Set(), isLost: false };
      builds.set(key, own);
      own.made = buildThing(key, make, own);
      return (await own.made) as T;
    },

    /** Without waiting, as it is. */
    peek: (key: string): Held | undefined => kept.get(key),

    forget(key: string): void {
      kept.delete(key);
      const running = builds.get(key);
      if (running !== undefined) running.isLost = true;
    },

    clear,

    bytes: (): number => [...kept.values()].reduce((sum, thing) => sum + thing.bytes(), 0),

    /** While nothing follows. */
    inTurn,

    tell(codes: readonly string[]): void {
      if (usedAt === null) return;
      if (codes.includes("*") || performance.now() - usedAt > UNUSED_MS) return clear();
      for (const code of codes) told.add(code);
      for (const build of builds.values()) {
        for (const code of codes) build.told.add(code);
        if (build.told.size <= MOST_TOLD) continue;
        build.told.clear();
        build.isLost = true;
      }
      if (told.size > MOST_TOLD) clear();
    },
  };
}

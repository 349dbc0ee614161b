/**
 * The names of accounts that are searched, in memory. Read from the database when first needed; then every search reads
 * newer names and applies reported changes: names, places and removals. An account's tree changes one step at a time,
 * so ids above the newest known one are all that was added. Each process has its own.
 */
import { createHeldThings, type Held } from "../../lib/held.ts";
import { ROOT } from "../tree/entry.ts";
import type { HeldName } from "./name-place.ts";
import { createOrderedNames, type OrderedNames } from "./ordered-names.ts";
import { type ChangedNames, START, type SearchRepository } from "./repository.ts";

type Account = Held<ChangedNames> & {
  names: OrderedNames;
  readNew(): Promise<void>;
};

/** For all accounts of a process: some 2,000,000 names. */
const MOST_BYTES = 128 * 1024 * 1024;
const MOST_ACCOUNTS = 1_000;
const MOST_TOLD = 100_000;
const PORTION = 5_000;
const NEW_AT_ONCE = 1_000;
/** The range of new ids also holds other accounts' entries. If it takes longer to read, the newest id moves past it. */
const SLOW_MS = 20;
const PASS_EVERY_MS = 10_000;
/** Pause before an account with too many names is tried again. */
const RETRY_MS = 600_000;

class TooMany extends Error {}

export type NameChanges = { subscribe(topic: "entries", heard: (ids: readonly string[]) => void): void };

type Deps = {
  repository: Pick<SearchRepository, "names" | "newNames" | "changedNames">;
  /** The largest id of all entries, read while no entry of the account is being added. */
  newestId(accountId: number): Promise<number>;
  changes: NameChanges;
  mostBytes?: number;
};

export type HeldNames = ReturnType<typeof createHeldNames>;

export function createHeldNames({ repository, newestId, changes, mostBytes = MOST_BYTES }: Deps) {
  const held = createHeldThings<ChangedNames>({
    changesOf: (ids) => repository.changedNames(ids.map(Number)),
    most: MOST_ACCOUNTS,
    mostBytes,
    mostTold: MOST_TOLD,
  });
  const tooLarge = new Map<number, number>();
  /** One account is read at a time. */
  let reading: Promise<unknown> = Promise.resolve();
  changes.subscribe("entries", held.tell);

  async function make(accountId: number): Promise<Account> {
    const names = createOrderedNames();
    let newest = await newestId(accountId);
    let passedAt = performance.now();
    for (let after = START; ; ) {
      const portion = await repository.names(accountId, after, PORTION);
      names.append(portion);
      if (names.bytes() > mostBytes) throw new TooMany();
      if (portion.length < PORTION) break;
      after = portion.at(-1)!;
    }

    async function readAdded(): Promise<void> {
      for (;;) {
        const added = await repository.newNames(accountId, newest, NEW_AT_ONCE);
        await names.change(new Set(), added.filter(isInTree));
        newest = added.at(-1)?.id ?? newest;
        if (added.length < NEW_AT_ONCE) return;
      }
    }

    return {
      names,
      bytes: names.bytes,
      async follow({ ids, found }) {
        const own = found.filter((name) => name.accountId === accountId && isInTree(name));
        await names.change(new Set(ids), own);
        return true;
      },
      async readNew() {
        const begun = performance.now();
        await readAdded();
        if (performance.now() - begun < SLOW_MS || begun - passedAt < PASS_EVERY_MS) return;
        passedAt = begun;
        const before = await newestId(accountId);
        await readAdded();
        newest = Math.max(newest, before);
      },
    };
  }

  function makeInTurn(accountId: number): Promise<Account> {
    const made = reading.then(() => make(accountId));
    reading = made.catch(() => {});
    return made;
  }

  /** All present names; null if they are too many. */
  async function of(accountId: number): Promise<OrderedNames | null> {
    if ((tooLarge.get(accountId) ?? Number.NEGATIVE_INFINITY) > performance.now()) return null;
    try {
      const account = await held.get(String(accountId), () => makeInTurn(accountId));
      await held.inTurn(account.readNew);
      return account.names;
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      if (tooLarge.size >= MOST_ACCOUNTS) tooLarge.clear();
      tooLarge.set(accountId, performance.now() + RETRY_MS);
      return null;
    }
  }

  return {
    /** A search need not read all names first. */
    knows: (accountId: number): boolean => held.peek(String(accountId)) !== undefined,

    /** In the background. */
    prepare(accountId: number): void {
      of(accountId).catch(() => {});
    },

    of,
    bytes: held.bytes,
  };
}

const isInTree = ({ parentId }: HeldName): boolean => parentId >= ROOT;

/**
 * Locks of addresses (RFC 4918, section 6). They bind WebDAV clients on all nodes; the panel and the API do not ask for
 * them. A lock holds for a path, so it stays where it is when its folder is renamed. Changes hold the tree.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { isBelow, parentOf } from "./places.ts";
import type { JsonLists } from "./dav.repository.ts";

export type DavLock = {
  /** `urn:uuid:…` */
  token: string;
  /** The path in its tree. */
  path: string;
  /** Also of everything below. */
  isDeep: boolean;
  isShared: boolean;
  /** Id of the account that took it. */
  holderId: number;
  /** The client's description of its owner, as XML. */
  owner: string;
  expiresAt: number;
};

/** Who asks, with what it shows. */
export type Holder = { callerId: number; tokens: ReadonlySet<string> };

/**
 * What a request changes. `self`: the content or the properties. `member`: also which entries the folder around it has.
 * `tree`: also everything below.
 */
export type Reach = "none" | "self" | "member" | "tree";

/** The limit for a tree, whose locks are read with each change. */
const MOST_LOCKS = 250;
/** They add up in the list of each entry. */
const MOST_SHARED = 10;
const LONGEST_PATH = 4_096;

export const covers = ({ path: own, isDeep }: Pick<DavLock, "path" | "isDeep">, path: string): boolean =>
  own === path || (isDeep && isBelow(path, own));

const isTouched = (lock: DavLock, path: string, reach: Reach): boolean =>
  (reach !== "none" && covers(lock, path)) ||
  ((reach === "member" || reach === "tree") && path !== "" && lock.path === parentOf(path)) ||
  (reach === "tree" && isBelow(lock.path, path));

const isHeld = ({ holderId, token }: DavLock, { callerId, tokens }: Holder): boolean =>
  holderId === callerId && tokens.has(token);

/** @throws 423 unless the caller shows a token of its own for each locked path */
export function requireTokens(locks: readonly DavLock[], path: string, reach: Reach, holder: Holder): void {
  const touched = locks.filter((lock) => isTouched(lock, path, reach));
  const open = new Set(touched.flatMap((lock) => (isHeld(lock, holder) ? lock.path : [])));
  const closed = touched.find((lock) => !open.has(lock.path));
  if (closed === undefined) return;
  throw locked("Another client has locked it. Try again later.", "lock-token-submitted", closed.path);
}

const locked = (message: string, condition: string, path: string) =>
  appError("Conflict", message, { details: { status: 423, dav: { condition, path } } });

export type DavLocks = ReturnType<typeof createDavLocks>;

export function createDavLocks({ rows, clock }: { rows: JsonLists<DavLock>; clock: Clock }) {
  /** Those that have not expired. */
  async function of(tree: number, db?: Db): Promise<readonly DavLock[]> {
    const now = clock.now();
    return ((await rows.of([tree], db)).get(tree) ?? []).filter(({ expiresAt }) => expiresAt > now);
  }

  const set = (tx: Db, tree: number, locks: readonly DavLock[]) => rows.set(tx, new Map([[tree, locks]]));

  return {
    of,

    /** @throws 423, RateLimitExceeded, BadRequest */
    async take(tx: Db, tree: number, requested: Omit<DavLock, "token">): Promise<DavLock> {
      if (requested.path.length > LONGEST_PATH)
        throw appError("BadRequest", "The path is too long for a lock.");
      const locks = await of(tree, tx);
      const shared = locks.filter(({ isShared }) => isShared);
      const others = requested.isShared ? locks.filter(({ isShared }) => !isShared) : locks;
      const other = others.find((lock) => covers(lock, requested.path) || covers(requested, lock.path));
      if (other !== undefined) throw locked("It is locked already.", "no-conflicting-lock", other.path);
      if (locks.length >= MOST_LOCKS || (requested.isShared && shared.length >= MOST_SHARED)) {
        const message = "There are too many locks. Release some, or wait until they expire.";
        throw appError("RateLimitExceeded", message);
      }
      const lock = { ...requested, token: `urn:uuid:${crypto.randomUUID()}` };
      await set(tx, tree, [...locks, lock]);
      return lock;
    },

    /** The holder's lock on this path holds until then; null releases it. Null if there is none. */
    async extend(tx: Db, tree: number, path: string, holder: Holder, expiresAt: number | null) {
      const locks = await of(tree, tx);
      const found = locks.find((lock) => isHeld(lock, holder) && covers(lock, path));
      if (found === undefined) return null;
      const lock = { ...found, expiresAt: expiresAt ?? 0 };
      const others = locks.filter((one) => one !== found);
      await set(tx, tree, expiresAt === null ? others : [...others, lock]);
      return lock;
    },

    /** Removes the locks of what is removed or moved away. */
    async removeIn(tx: Db, tree: number, path: string): Promise<void> {
      const locks = await of(tree, tx);
      const left = locks.filter((lock) => lock.path !== path && !isBelow(lock.path, path));
      if (left.length < locks.length) await set(tx, tree, left);
    },
  };
}

/**
 * Locks of addresses (RFC 4918, section 6). They bind WebDAV clients on all nodes; the panel and the API do not ask for
 * them. A lock holds for a path, so it stays where it is when its folder is renamed. Changes hold the tree.
 */
import type { Db } from "../../db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { isBelow, parentOf } from "./places.ts";
import type { JsonLists } from "./repository.ts";

export type DavLock = {
  /** `urn:uuid:…` */
  token: string;
  /** In its tree. */
  path: string;
  /** Also of everything below. */
  isDeep: boolean;
  isShared: boolean;
  /** Id of the account that took it. */
  holderId: number;
  /** What the client says of its owner, as XML. */
  owner: string;
  expiresAt: number;
};

export type NewLock = Omit<DavLock, "token" | "expiresAt"> & { seconds: number };
/** Who asks, with the tokens that it shows. */
export type Holder = { id: number; tokens: ReadonlySet<string> };

/**
 * What a request changes. `self`: the content or the properties. `member`: also which entries the folder around it has.
 * `tree`: also everything below.
 */
export type Touch = { path: string; reach: "none" | "self" | "member" | "tree" };

/** Of a tree. They are read with each change. */
const MOST_LOCKS = 250;
/** They add up in the list of each entry. */
const MOST_SHARED = 10;
const LONGEST_PATH = 4_096;

export const covers = (lock: Pick<DavLock, "path" | "isDeep">, path: string): boolean =>
  lock.path === path || (lock.isDeep && isBelow(path, lock.path));

const isTouched = (lock: DavLock, { path, reach }: Touch): boolean =>
  (reach !== "none" && covers(lock, path)) ||
  ((reach === "member" || reach === "tree") && path !== "" && lock.path === parentOf(path)) ||
  (reach === "tree" && isBelow(lock.path, path));

/** @throws 423 unless the caller shows a token of its own for each locked path */
export function requireTokens(locks: readonly DavLock[], touch: Touch, { id, tokens }: Holder): void {
  const touched = locks.filter((lock) => isTouched(lock, touch));
  const isOpen = ({ path }: DavLock): boolean =>
    touched.some((lock) => lock.path === path && lock.holderId === id && tokens.has(lock.token));
  const closed = touched.find((lock) => !isOpen(lock));
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
    async take(tx: Db, tree: number, { seconds, ...wanted }: NewLock): Promise<DavLock> {
      if (wanted.path.length > LONGEST_PATH) throw appError("BadRequest", "The path is too long for a lock.");
      const locks = await of(tree, tx);
      const other = locks.find(
        (lock) =>
          (covers(lock, wanted.path) || (wanted.isDeep && isBelow(lock.path, wanted.path))) &&
          !(lock.isShared && wanted.isShared),
      );
      if (other !== undefined) throw locked("It is locked already.", "no-conflicting-lock", other.path);
      const shared = locks.filter(({ isShared }) => isShared).length;
      if (locks.length >= MOST_LOCKS || (wanted.isShared && shared >= MOST_SHARED)) {
        throw appError(
          "RateLimitExceeded",
          "There are too many locks. Release some, or wait until they expire.",
        );
      }
      const token = `urn:uuid:${crypto.randomUUID()}`;
      const lock = { ...wanted, token, expiresAt: clock.now() + seconds * 1000 };
      await set(tx, tree, [...locks, lock]);
      return lock;
    },

    /** The lock on this path whose token the caller shows. @throws PreconditionFailed */
    async refresh(tx: Db, tree: number, path: string, { id, tokens }: Holder, seconds: number) {
      const locks = await of(tree, tx);
      const found = locks.find(
        (lock) => tokens.has(lock.token) && lock.holderId === id && covers(lock, path),
      );
      if (found === undefined) {
        throw appError("PreconditionFailed", "The header If names no lock of yours on this address.");
      }
      const lock = { ...found, expiresAt: clock.now() + seconds * 1000 };
      await set(tx, tree, [...locks.filter((one) => one !== found), lock]);
      return lock;
    },

    /** @throws Conflict without such a lock, Forbidden if somebody else has it */
    async release(tx: Db, tree: number, path: string, id: number, token: string): Promise<void> {
      const locks = await of(tree, tx);
      const found = locks.find((lock) => lock.token === token && covers(lock, path));
      if (found === undefined)
        throw appError("Conflict", "The header Lock-Token names no lock of this address.");
      if (found.holderId !== id) throw appError("Forbidden", "Somebody else has this lock.");
      await set(
        tx,
        tree,
        locks.filter((lock) => lock !== found),
      );
    },

    /** Of what is removed or moved away. */
    async removeIn(tx: Db, tree: number, path: string): Promise<void> {
      const locks = await of(tree, tx);
      const left = locks.filter((lock) => lock.path !== path && !isBelow(lock.path, path));
      if (left.length < locks.length) await set(tx, tree, left);
    },
  };
}

/** Moves links to other keys, many in one transaction. */
import { DatabaseError } from "../../platform/db/failures.ts";
import { type Actor, mayChange } from "../../lib/actor.ts";
import { type AppError, appError } from "../../lib/errors.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import { codeTaken, codeTakenByAlias } from "../link/code.ts";
import { DEFAULT_DOMAIN, domainOf } from "../link/key.ts";
import type { LinkContent } from "../link/link.ts";
import type { ExistingLink, LinkRepository } from "./repository.ts";

/** With their owners; null: open to all. */
export type KeptDomains = ReadonlyMap<number, number | null>;

export type DomainKeeper = {
  /** Owners of those that exist; they stay until the transaction ends. */
  keep(tx: ChangeTransaction["db"], ids: readonly number[]): Promise<KeptDomains>;
};

/** A change that may move its link. */
type Moving = { code: string; to?: string | undefined; keepOld?: boolean };
type Stored = ReadonlyMap<string, ExistingLink>;

const isMove = <M extends Moving>(change: M): change is M & { to: string } =>
  change.to !== undefined && change.to !== change.code;

/** Why an actor may not put a link on a domain. */
export function domainRefusal(actor: Actor, domains: KeptDomains, id: number): AppError | null {
  if (!domains.has(id)) return domainDeleted();
  const owner = domains.get(id)!;
  if (owner === null || mayChange(actor, owner)) return null;
  return appError("Forbidden", "The domain has an owner; only who may change its links makes links on it.", {
    field: "domain",
  });
}

const domainDeleted = (): AppError => appError("BadRequest", "The domain was deleted meanwhile.");

type Locked = {
  locked: Stored;
  /** The key under which a link with this key is stored. */
  stored(key: string): string;
};

/** Moves by the present keys of the links. */
export type Moves = ReadonlyMap<string, Moving & { to: string }>;
export const movesOf = (changes: readonly Moving[]): Moves =>
  new Map(changes.filter(isMove).map((change) => [change.code, change]));

/**
 * Why links stay, by their codes.
 *
 * @param locked links under the old and the new keys
 */
export async function moveRefusals(
  repository: Pick<LinkRepository, "aliases">,
  { db }: ChangeTransaction,
  moves: Moves,
  { locked, domains, actor, stored }: Locked & { domains: KeptDomains; actor: Actor },
): Promise<Map<string, AppError>> {
  const refusals = new Map<string, AppError>();
  if (moves.size === 0) return refusals;
  const codes = [...moves.values()].map(({ to }) => to);
  const aliases = await repository.aliases.among(codes, db);
  const claimed = new Set<string>();
  for (const { code, to } of moves.values()) {
    const owner = aliases.get(to);
    const isOwn = to === stored(code) || (owner !== undefined && owner === locked.get(code)?.id);
    const closed = isOwn ? null : domainRefusal(actor, domains, domainOf(to));
    if (closed !== null) refusals.set(code, closed);
    else if (locked.has(to) || claimed.has(to)) refusals.set(code, codeTaken(to));
    else if (owner !== undefined && owner !== locked.get(code)?.id) refusals.set(code, codeTakenByAlias(to));
    else claimed.add(to);
  }
  return refusals;
}

/** @throws DatabaseError (unique) if another writer took a key meanwhile: the transaction runs again */
export async function moveAll(
  repository: Pick<LinkRepository, "aliases" | "moveMany">,
  tx: ChangeTransaction,
  links: readonly (LinkContent & { id: number; code: string })[],
  { moves, now }: { moves: Moves; now: number },
): Promise<void> {
  const moved = links.flatMap((link) => {
    const move = moves.get(link.code);
    return move === undefined ? [] : [{ ...link, to: move.to, keepOld: move.keepOld }];
  });
  if (moved.length === 0) return;
  await repository.moveMany(tx.db, moved);
  // After it, like in insertMany.
  const keys = moved.map(({ to }) => to);
  const aliases = await repository.aliases.among(keys, tx.db);
  for (const { id, code, to, keepOld } of moved) {
    const owner = aliases.get(to);
    if (owner !== undefined && owner !== id) throw new DatabaseError("unique", null);
    if (owner !== undefined) await repository.aliases.remove(tx.db, to);
    if (keepOld) await repository.aliases.add(tx.db, code, id, now);
  }
  tx.changed("links", keys);
}

/** @throws BadRequest for one that was deleted meanwhile */
export async function keepDomains(
  domains: DomainKeeper,
  tx: ChangeTransaction,
  domainIds: ReadonlySet<number>,
): Promise<KeptDomains> {
  const kept = await keptOf(domains, tx, domainIds);
  if (kept.size < domainIds.size) throw domainDeleted();
  return kept;
}

/** Those of the domains that exist, until the transaction ends. */
export async function keptOf(
  domains: DomainKeeper,
  tx: ChangeTransaction,
  domainIds: ReadonlySet<number>,
): Promise<KeptDomains> {
  const kept = await domains.keep(
    tx.db,
    [...domainIds].filter((id) => id !== DEFAULT_DOMAIN),
  );
  return domainIds.has(DEFAULT_DOMAIN) ? new Map([...kept, [DEFAULT_DOMAIN, null]]) : kept;
}

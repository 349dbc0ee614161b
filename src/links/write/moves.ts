/** Moves links to other keys, many in one transaction. */
import { DatabaseError } from "../../platform/db/failures.ts";
import { type Actor, mayChange } from "../../lib/actor.ts";
import { type AppError, appError } from "../../lib/errors.ts";
import type { LinkTransaction } from "./changes.ts";
import { codeTakenByAlias, codeTaken } from "../link/code.ts";
import { DEFAULT_DOMAIN, domainOf } from "../link/key.ts";
import type { ExistingLink, LinkRepository } from "./repository.ts";

/** With their owners; null: open to all. */
export type KeptDomains = ReadonlyMap<number, number | null>;

export type DomainKeeper = {
  /** Owners of those that exist; they stay until the transaction ends. */
  keep(tx: LinkTransaction["db"], ids: readonly number[]): Promise<KeptDomains>;
};

/** A change with the key that its link gets; absent: it stays. */
type Moving = { code: string; to?: string | undefined };
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

/** The new keys by the old ones. */
type Moves = ReadonlyMap<string, string>;
export const movesOf = (changes: readonly Moving[]): Moves =>
  new Map(changes.filter(isMove).map(({ code, to }) => [code, to]));

/**
 * Why links stay, by their codes.
 *
 * @param locked links under the old and the new keys
 */
export async function moveRefusals(
  repository: Pick<LinkRepository, "aliases">,
  { db }: LinkTransaction,
  changes: readonly Moving[],
  { locked, domains, actor }: { locked: Stored; domains: KeptDomains; actor: Actor },
): Promise<Map<string, AppError>> {
  const moves = changes.filter(isMove);
  const refusals = new Map<string, AppError>();
  if (moves.length === 0) return refusals;
  const codes = moves.map(({ to }) => to);
  const aliases = await repository.aliases.among(codes, db);
  const claimed = new Set<string>();
  for (const { code, to } of moves) {
    const owner = aliases.get(to);
    const closed = domainOf(to) === domainOf(code) ? null : domainRefusal(actor, domains, domainOf(to));
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
  tx: LinkTransaction,
  { links, moves, existing }: { links: readonly { code: string }[]; moves: Moves; existing: Stored },
): Promise<void> {
  const moved = links.flatMap(({ code }) => {
    const to = moves.get(code);
    return to === undefined ? [] : { id: existing.get(code)!.id, to };
  });
  if (moved.length === 0) return;
  await repository.moveMany(tx.db, moved);
  // After it, like in insertMany.
  const keys = moved.map(({ to }) => to);
  const aliases = await repository.aliases.among(keys, tx.db);
  for (const { id, to } of moved) {
    const owner = aliases.get(to);
    if (owner === undefined) continue;
    if (owner !== id) throw new DatabaseError("unique", null);
    await repository.aliases.remove(tx.db, to);
  }
  tx.changed("links", keys);
}

/** @throws BadRequest for one that was deleted meanwhile */
export async function keepDomains(
  domains: DomainKeeper,
  tx: LinkTransaction,
  ids: readonly number[],
): Promise<KeptDomains> {
  const domainIds = new Set(ids);
  const kept = await keptOf(domains, tx, domainIds);
  if (kept.size < domainIds.size) throw domainDeleted();
  return kept;
}

/** @throws BadRequest for one that was deleted meanwhile, Forbidden for one to which the actor may not move links */
export async function keepDomainOf(
  domains: DomainKeeper,
  tx: LinkTransaction,
  actor: Actor,
  { code, to }: { code: string; to: string },
): Promise<void> {
  const kept = await keepDomains(domains, tx, [domainOf(to)]);
  const refusal = domainOf(to) === domainOf(code) ? null : domainRefusal(actor, kept, domainOf(to));
  if (refusal !== null) throw refusal;
}

/** Those of the domains that exist, until the transaction ends. */
export async function keptOf(
  domains: DomainKeeper,
  tx: LinkTransaction,
  domainIds: ReadonlySet<number>,
): Promise<KeptDomains> {
  const kept = await domains.keep(
    tx.db,
    [...domainIds].filter((id) => id !== DEFAULT_DOMAIN),
  );
  return domainIds.has(DEFAULT_DOMAIN) ? new Map([...kept, [DEFAULT_DOMAIN, null]]) : kept;
}

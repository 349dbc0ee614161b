/** Deleted links become links again, within one transaction. */
import { type Actor, mayChange, mayRead, ownersReadBy } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { LinkTransaction } from "../write/changes.ts";
import type { DeletedLink } from "../link/deleted-content.ts";
import { linkEvent, type RecordLinkEvents } from "../link/events.ts";
import { codeOf, domainOf, keyOf } from "../link/key.ts";
import { readOptions } from "../link/options.ts";
import { siteCodeRefusal } from "../link/site-code.ts";
import { shareRefusals } from "../write/rule-shares.ts";
import { refusedOwners } from "../write/site-codes.ts";
import type { ValidateTargets } from "../write/allowed-targets.ts";
import { type DomainKeeper, keptOf } from "../write/moves.ts";
import type { LinkRepository } from "../write/repository.ts";
import { viewersOnly } from "../link/code.ts";
import type { DeletedRepository } from "./repository.ts";

export type RestoreDeps = {
  repository: DeletedRepository;
  domains: DomainKeeper;
  links: Pick<LinkRepository, "lock" | "retag" | "shareOwners" | "administratorsAmong">;
  record: RecordLinkEvents;
  validateTargets: ValidateTargets;
  clock: Clock;
};

type Wanted = { actor: Actor; id: number; code: string | null; since: number };

/** Returns its key. */
export async function restoreOne(deps: RestoreDeps, tx: LinkTransaction, wanted: Wanted): Promise<string> {
  const { repository } = deps;
  const { actor, id } = wanted;
  const deleted = await repository.lock(tx.db, id, wanted.since);
  if (deleted === null || !mayRead(actor, deleted.ownerId)) {
    if ((await repository.present(tx.db, [id], ownersReadBy(actor))).has(id)) throw isBack();
    throw unknownDeleted();
  }
  if (!mayChange(actor, deleted.ownerId)) throw viewersOnly(codeOf(deleted.code));
  const key = wanted.code === null ? deleted.code : keyOf(domainOf(deleted.code), wanted.code);
  if (key !== deleted.code) {
    const [ofOwner] = await refusedOwners(deps.links, [{ key, ownerId: deleted.ownerId }], tx.db);
    if (ofOwner) throw ofOwner;
  }
  const [refusal] = (await restore(deps, tx, actor, [{ ...deleted, code: key }])).values();
  if (refusal !== undefined) throw refusal;
  return key;
}

/** The actor's deletions at an instant, of at most 1,000 links. */
export type WantedBack = { actor: Actor; at: number; ids: readonly number[] };

/** Returns why some stay deleted, by id. Links restored earlier count as restored. */
export async function restoreMany(
  deps: RestoreDeps,
  tx: LinkTransaction,
  { actor, at, ids, since }: WantedBack & { since: number },
): Promise<Map<number, AppError>> {
  const { repository } = deps;
  const owners = ownersReadBy(actor)?.filter((owner) => mayChange(actor, owner)) ?? null;
  const found = await repository.lockMany(tx.db, { since, owners, at, by: actor.name, ids });
  const refusals = await restore(deps, tx, actor, found);
  const there = await repository.present(tx.db, ids, owners);
  for (const id of ids) if (!refusals.has(id) && !there.has(id)) refusals.set(id, unknownDeleted());
  return refusals;
}

/** Restores links under their present keys. Returns why some can't be, by id. */
async function restore(
  { repository, domains, links, record, validateTargets, clock }: RestoreDeps,
  tx: LinkTransaction,
  actor: Actor,
  wanted: readonly DeletedLink[],
): Promise<Map<number, AppError>> {
  if (wanted.length === 0) return new Map();
  const now = clock.now();
  const present = await keptOf(domains, tx, new Set(wanted.map(({ code }) => domainOf(code))));
  const keys = [...new Set(wanted.flatMap(({ code, aliases = [] }) => [code, ...aliases]))];
  const taken = new Set((await links.lock(tx.db, keys)).keys());
  for (const alias of await repository.aliases(tx.db, keys)) taken.add(alias);
  const ofRules = await shareRefusals(
    links,
    wanted.map(({ code, ownerId, options }) => {
      return { domain: domainOf(code), ownerId, rules: readOptions(options).rules ?? [], mayLack: true };
    }),
    tx.db,
  );
  const refusals = new Map<number, AppError>();
  const options = new Map<number, string | null>();
  for (const [at, link] of wanted.entries()) {
    const { id, code, aliases: old = [] } = link;
    const judged = siteCodeRefusal(actor, [code, ...old]) ?? validateTargets(null, link, { actor, now });
    if (judged instanceof AppError) refusals.set(id, judged);
    else options.set(id, judged);
    if (refusals.has(id)) continue;
    if (!present.has(domainOf(code))) refusals.set(id, domainGone());
    else if (ofRules[at]) refusals.set(id, ofRules[at]);
    else if (taken.has(code)) refusals.set(id, codeTaken(codeOf(code)));
    else taken.add(code);
  }
  const back = wanted
    .filter(({ id }) => !refusals.has(id))
    .map((link) => ({ ...link, options: options.get(link.id) ?? null }));
  const aliases = back.flatMap(({ id, aliases: old = [] }) =>
    old.filter((code) => !taken.has(code) && taken.add(code)).map((code) => ({ code, linkId: id })),
  );
  await repository.putBack(tx.db, back, now);
  const tagged = back.map(({ id, ownerId, tags }) => ({ id, ownerId, before: [], after: tags }));
  await links.retag(tx.db, tagged);
  await repository.addAliases(tx.db, aliases, now);
  const doing = { actor, now, verb: "restore" } as const;
  const events = back.map((link) => linkEvent(doing, { id: link.id, before: null, after: link }));
  await record(tx.db, events);
  const codes = [...back, ...aliases].map(({ code }) => code);
  tx.changed("links", codes);
  return refusals;
}

const isBack = () => appError("Conflict", "This link was put back already.");

const unknownDeleted = () =>
  appError("LinkNotFound", "There is no deleted link with this id that can be put back.");

const domainGone = () =>
  appError("Conflict", "The domain of this link was deleted; make a new link with its target.");

const codeTaken = (code: string) =>
  appError("LinkAlreadyExists", `The code "${code}" has been taken meanwhile; give another one in 'code'.`);

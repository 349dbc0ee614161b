/**
 * Deleted links, which can be restored for `links.restore_days` under their ids, so that their counts join. The counts
 * of a deleted link grow with clicks that are flushed later. Links that served shares are not among them.
 */
import { type Actor, mayChange, mayRead, ownersReadBy } from "../../lib/actor.ts";
import { rest } from "../../lib/rest.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { type LinkChanges, writeLinks } from "../write/changes.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import { type CodeRule, editorsOnly, siteCodeRefusal } from "../link/code.ts";
import { codeOf, domainOf, keyOf } from "../link/key.ts";
import type { DeletedLink } from "../link/link.ts";
import { common } from "../list/filter.ts";
import type { DeletedFilter, DeletedPlace, DeletedRepository } from "./repository.ts";
import type { Clock } from "../../lib/clock.ts";
import { linkEvent, type RecordLinkEvents } from "../link/events.ts";
import { readOptions } from "../link/field-values.ts";
import { refusedOwners, shareRefusals } from "../write/refusals.ts";
import type { ValidateTargets } from "../write/allowed-targets.ts";
import { type DomainKeeper, domainRefusal, keptOf } from "../write/moves.ts";
import type { LinkRepository } from "../write/repository.ts";

type DeletedPage = { links: DeletedLink[]; next: DeletedPlace | null };

/** `owners`: null: of all. */
type DeletedQuery = { search?: string | undefined; owners?: readonly number[] | null };

type Deps = RestoreDeps & { changes: LinkChanges; rule: CodeRule; restoreDays(): number };

export type DeletedLinks = ReturnType<typeof createDeletedLinks>;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** After each portion. */
const REST_MS = 25;
/** Most links that a page of a search reads. */
const PORTION = 500;
const MOST_PORTIONS = 10;

export function createDeletedLinks(deps: Deps) {
  const { repository, rule, clock } = deps;
  const written = writeLinks(deps.changes);
  const since = (): number => clock.now() - deps.restoreDays() * DAY_MS;

  async function searched(
    filter: DeletedFilter,
    after: DeletedPlace | null,
    limit: number,
    searchedText: string,
  ): Promise<DeletedPage> {
    const links: DeletedLink[] = [];
    let place = after;
    for (let portions = 0; portions < MOST_PORTIONS; portions++) {
      const found = await repository.page(filter, place, PORTION);
      for (const link of found) {
        if (links.length === limit) return { links, next: place };
        place = { at: link.deletedAt, id: link.id };
        if (hasText(link, searchedText)) links.push(link);
      }
      if (found.length < PORTION) return { links, next: null };
    }
    return { links, next: place };
  }

  return {
    /** Newest first. A page of a search (in code, target, title and note) may be short although more follow. */
    async page(
      actor: Actor,
      after: DeletedPlace | null,
      limit: number,
      { search = "", owners = null }: DeletedQuery = {},
    ): Promise<DeletedPage> {
      const filter = { since: since(), owners: common(owners, ownersReadBy(actor)) };
      const searchedText = search.trim().toLowerCase();
      if (searchedText !== "") return searched(filter, after, limit, searchedText);
      const found = await repository.page(filter, after, limit + 1);
      const links = found.slice(0, limit);
      const last = found.length > limit ? links.at(-1) : undefined;
      return { links, next: last === undefined ? null : { at: last.deletedAt, id: last.id } };
    },

    /** The id of the link that last had a code on the default domain; null if none can be restored. */
    newest: (actor: Actor, code: string): Promise<number | null> =>
      repository.newest(deps.stored(code), { since: since(), owners: ownersReadBy(actor) }),

    /**
     * Under its old code, or another one. Returns its key.
     * @throws LinkNotFound, Conflict (restored already, or its domain is gone), LinkAlreadyExists, LinkInvalidCode, LinkReservedCode
     */
    async restore(actor: Actor, id: number, code: string | null): Promise<string> {
      const refusal = code === null ? null : rule.refusal(code);
      if (refusal !== null) throw refusal;
      return written((tx) => restoreOne(deps, tx, { actor, id, code, since: since() }));
    },

    /** Restores links in the caller's transaction, which repeats after a unique violation. */
    restoreManyIn: (tx: ChangeTransaction, deletion: BulkDeletion): Promise<Map<number, AppError>> =>
      restoreMany(deps, tx, { ...deletion, since: since() }),

    /** Forgets what can't be restored any more. The rows stay for analytics. */
    retentionJob() {
      let done: DeletedPlace = { at: 0, id: 0 };
      return {
        name: "links-forget-deleted",
        everyMs: () => HOUR_MS,
        async run(signal: AbortSignal): Promise<void> {
          const before = since();
          // A longer setting keeps what is left; a shorter one continues from here.
          while (!signal.aborted) {
            const next = await repository.forgetContents(before, done);
            if (next === null) return;
            done = next;
            await rest(REST_MS, signal);
          }
        },
      };
    },
  };
}

const hasText = ({ code, target, title, note }: DeletedLink, searchedText: string): boolean =>
  [codeOf(code), target, title ?? "", note ?? ""].some((text) => text.toLowerCase().includes(searchedText));

type RestoreDeps = {
  repository: DeletedRepository;
  domains: DomainKeeper;
  /** The key under which a link with this key is stored. */
  stored(key: string): string;
  links: Pick<LinkRepository, "lock" | "retag" | "shareOwners" | "administratorsAmong">;
  record: RecordLinkEvents;
  validateTargets: ValidateTargets;
  clock: Clock;
};

type Restoration = { actor: Actor; id: number; code: string | null; since: number };

/** Returns its key. */
async function restoreOne(
  deps: RestoreDeps,
  tx: ChangeTransaction,
  restoration: Restoration,
): Promise<string> {
  const { repository } = deps;
  const { actor, id } = restoration;
  const deleted = await repository.lock(tx.db, id, restoration.since);
  if (deleted === null || !mayRead(actor, deleted.ownerId)) {
    if ((await repository.present(tx.db, [id], ownersReadBy(actor))).has(id)) throw alreadyRestored();
    throw unknownDeleted();
  }
  if (!mayChange(actor, deleted.ownerId)) throw editorsOnly(codeOf(deleted.code));
  const given = restoration.code === null ? deleted.code : keyOf(domainOf(deleted.code), restoration.code);
  const key = deps.stored(given);
  if (key !== deleted.code) {
    const [ofOwner] = await refusedOwners(deps.links, [{ key, ownerId: deleted.ownerId }], tx.db);
    const closed = key === deps.stored(deleted.code) ? null : await closedTo(deps, tx, actor, domainOf(key));
    const refusal = ofOwner ?? closed;
    if (refusal) throw refusal;
  }
  const [refusal] = (await restore(deps, tx, actor, [{ ...deleted, code: key }])).values();
  if (refusal !== undefined) throw refusal;
  return key;
}

/** Why an actor may not put another code on a domain; null also for a domain that is gone. */
async function closedTo(
  { domains }: Pick<RestoreDeps, "domains">,
  tx: ChangeTransaction,
  actor: Actor,
  domain: number,
): Promise<AppError | null> {
  const kept = await keptOf(domains, tx, new Set([domain]));
  return kept.has(domain) ? domainRefusal(actor, kept, domain) : null;
}

/** The deletions that somebody made at an instant, of at most 1,000 links. */
type BulkDeletion = { actor: Actor; by: string; at: number; ids: readonly number[] };

/** Returns why some stay deleted, by id. Links restored earlier count as restored. */
async function restoreMany(
  deps: RestoreDeps,
  tx: ChangeTransaction,
  { actor, by, at, ids, since }: BulkDeletion & { since: number },
): Promise<Map<number, AppError>> {
  const { repository } = deps;
  const owners = ownersReadBy(actor)?.filter((owner) => mayChange(actor, owner)) ?? null;
  const found = await repository.lockMany(tx.db, { since, owners, at, by, ids });
  const refusals = await restore(deps, tx, actor, found);
  const there = await repository.present(tx.db, ids, owners);
  for (const id of ids) if (!refusals.has(id) && !there.has(id)) refusals.set(id, unknownDeleted());
  return refusals;
}

/** Restores links under their present keys. Returns why some can't be, by id. */
async function restore(
  { repository, domains, stored, links, record, validateTargets, clock }: RestoreDeps,
  tx: ChangeTransaction,
  actor: Actor,
  found: readonly DeletedLink[],
): Promise<Map<number, AppError>> {
  if (found.length === 0) return new Map();
  const deleted = found.map(({ aliases = [], ...link }) => ({
    ...link,
    code: stored(link.code),
    aliases: [...new Set(aliases.map(stored))],
  }));
  const now = clock.now();
  const present = await keptOf(domains, tx, new Set(deleted.map(({ code }) => domainOf(code))));
  const keys = [...new Set(deleted.flatMap(({ code, aliases = [] }) => [code, ...aliases]))];
  const taken = new Set((await links.lock(tx.db, keys)).keys());
  for (const alias of await repository.aliases(tx.db, keys)) taken.add(alias);
  const ofRules = await shareRefusals(
    links,
    deleted.map(({ code, ownerId, options }) => {
      return { domain: domainOf(code), ownerId, rules: readOptions(options).rules ?? [], mayLack: true };
    }),
    tx.db,
  );
  const refusals = new Map<number, AppError>();
  const options = new Map<number, string | null>();
  for (const [at, link] of deleted.entries()) {
    const { id, code, aliases: old = [] } = link;
    const allowed = siteCodeRefusal(actor, [code, ...old]) ?? validateTargets(null, link, { actor, now });
    if (allowed instanceof AppError) refusals.set(id, allowed);
    else options.set(id, allowed);
    if (refusals.has(id)) continue;
    if (!present.has(domainOf(code))) refusals.set(id, domainGone());
    else if (ofRules[at]) refusals.set(id, ofRules[at]);
    else if (taken.has(code)) refusals.set(id, codeTakenMeanwhile(codeOf(code)));
    else taken.add(code);
  }
  const back = deleted
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

const alreadyRestored = () => appError("Conflict", "This link was put back already.");

const unknownDeleted = () =>
  appError("LinkNotFound", "There is no deleted link with this id that can be put back.");

const domainGone = () =>
  appError("Conflict", "The domain of this link was deleted; make a new link with its target.");

const codeTakenMeanwhile = (code: string) =>
  appError("LinkAlreadyExists", `The code "${code}" has been taken meanwhile; give another one in 'code'.`);

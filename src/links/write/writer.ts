/**
 * Writes any number of links in one transaction. A refused entry is an outcome and leaves the others alone. Existing
 * links are locked first. If another writer creates a link between lock and insert, the unique index fails the
 * transaction, which runs again.
 */
import type { Db } from "../../db/dialect.ts";
import { type Actor, mayChange } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import {
  alreadyExists,
  type CodeRule,
  isAlias,
  isTaken,
  linkNotFound,
  linkServesShare,
  mentionedBefore,
  viewersOnly,
} from "../link/code.ts";
import type { LinkContent, LinkPatch } from "../link/link.ts";
import type { TagChange } from "../link/input.ts";
import { type DomainKeeper, keepDomains, keptOf, moveAll, moveRefusals, movesOf } from "./moves.ts";
import { MOST_TAGS, tagsAfter, tooManyTags } from "../tags/tag.ts";
import { type LinkChanges, type LinkTransaction, writeLinks } from "./changes.ts";
import { type LinkOptions, readOptions, writeOptions } from "../link/options.ts";
import {
  changeEvents,
  linkEvent,
  type RecordLinkEvents,
  type ReviewVerb,
  type ServedFields,
} from "../link/events.ts";
import { codeOf, domainOf, keyOf } from "../link/key.ts";
import { among, overwriteEvents } from "./overwrites.ts";
import { planRemoval, reaches } from "./reach.ts";
import type { LinkRepository, NewLink, ExistingLink } from "./repository.ts";
import { changedRuleRefusals, newRuleRefusals } from "./rule-shares.ts";
import { stillHeld, takenDownRefusal, type TargetPolicy } from "./target-policy.ts";
import { chooseCodes, type RandomBytes } from "../../lib/random-code.ts";

/** With the password hashed. */
export type CheckedCreate = LinkContent & {
  /** Key; null: a random code. */
  code: string | null;
  domain: number;
  force: boolean;
  /** Absent: the actor. */
  ownerId?: number | undefined;
};

export type CheckedUpdate = Omit<LinkPatch, "options"> &
  Partial<TagChange> & {
    code: string;
    /** The new key; the old one becomes free. */
    to?: string | undefined;
    /** Only what changes. */
    options?: Partial<LinkOptions>;
    ownerId?: number | undefined;
    /** The present and the new owner, for the event. */
    owners?: { before: string | null; after: string | null } | undefined;
  };

/** `keepOld`: the old code becomes an alias. */
export type Renaming = { code: string; keepOld: boolean };

export type WrittenLink = Omit<NewLink, "clickCount" | "automatedClicks">;

/** Or why nothing was written. */
export type WriteOutcome<T> = T | AppError;

export type Writing = {
  actor: Actor;
  now: number;
  /** Permits links that serve a share; the extra fields of their events. */
  serves?: { before: ServedFields | null; after: ServedFields | null };
  /** See lib/event.ts. */
  bulk?: number;
  /** A decision of an administrator, or why it can't be taken of this link. Also of a link that serves a share. */
  review?: { verb: ReviewVerb; refusal(link: ExistingLink): AppError | null };
  /** Which of the codes to write, now that their links are locked; the others count as absent. */
  still?(db: Db, codes: readonly string[]): Promise<ReadonlySet<string>>;
};

export type LinkWriter = ReturnType<typeof createLinkWriter>;

type Deps = {
  repository: LinkRepository;
  domains: DomainKeeper;
  changes: LinkChanges;
  record: RecordLinkEvents;
  rule: CodeRule;
  policy: TargetPolicy;
  randomCodeLength(): number;
  randomBytes?: RandomBytes;
};

export function createLinkWriter(deps: Deps) {
  const { repository, domains, record } = deps;
  const write = writeLinks(deps.changes);

  const lock = (db: Db, codes: readonly string[]) => repository.lock(db, [...new Set(codes)]);

  async function createIn(tx: LinkTransaction, entries: readonly CheckedCreate[], by: Writing) {
    const placed = entries.map(({ domain }) => domain);
    await keepDomains(domains, tx, placed);
    const wanted = new Set(entries.flatMap((entry) => entry.code ?? []));
    const existing = await repository.lock(tx.db, [...wanted]);
    const aliases = await repository.aliases.among([...wanted], tx.db);
    const open = entries.filter((entry) => entry.code === null);
    const chosen = await chooseCodes(open, {
      ...deps,
      keyFor: ({ domain }, code) => keyOf(domain, code),
      mayTake: (key) => !wanted.has(key) && deps.rule.refusal(codeOf(key)) === null,
      taken: (keys) => repository.taken(keys, tx.db),
    });
    const refusals = await newRuleRefusals(repository, entries, { stored: existing, by: by.actor }, tx.db);
    const plan = planCreate(entries, chosen, { links: existing, aliases, refusals }, { ...by, ...deps });
    const ids = await repository.insertMany(tx.db, plan.inserts);
    await repository.overwriteMany(tx.db, plan.overwrites, existing);
    await record(tx.db, [
      ...plan.inserts.map((link) =>
        linkEvent(
          { ...by, verb: "create" },
          { id: ids.get(link.code)!, before: null, after: { ...link, serves: by.serves?.after } },
        ),
      ),
      ...overwriteEvents(plan.overwrites, existing, by),
    ]);
    tx.changed("links", plan.inserts.map(keyIn));
    await announce(tx, existing, plan.overwrites.map(keyIn));
    return plan.outcomes;
  }

  /** With the aliases of these links. */
  async function announce(tx: LinkTransaction, existing: Stored, codes: readonly string[]): Promise<void> {
    const ids = codes.map((code) => existing.get(code)!.id);
    tx.changed("links", [...codes, ...(await repository.aliases.ofLinks(ids, tx.db))]);
  }

  async function updateIn(tx: LinkTransaction, changes: readonly CheckedUpdate[], by: Writing) {
    const targets = changes.flatMap(({ to }) => to ?? []);
    const kept = await keptOf(domains, tx, new Set(targets.map(domainOf)));
    const locked = await lock(tx.db, [...changes.map(keyIn), ...targets]);
    const existing = await among(tx.db, locked, by);
    const refusals = new Map([
      ...(await changedRuleRefusals(repository, changes, existing, tx.db)),
      ...(await moveRefusals(repository, tx, changes, { locked, domains: kept })),
    ]);
    const plan = planUpdate(changes, existing, { ...by, ...deps }, refusals);
    await repository.overwriteMany(tx.db, plan.overwrites, existing);
    await announce(tx, existing, plan.overwrites.map(keyIn));
    const moves = movesOf(changes);
    await moveAll(repository, tx, { links: plan.overwrites, moves, existing });
    await record(tx.db, overwriteEvents(plan.overwrites, existing, by, moves));
    return plan.outcomes;
  }

  async function patchIn(
    tx: LinkTransaction,
    change: CheckedUpdate,
    renamed: Renaming | null,
    by: Writing,
  ): Promise<WrittenLink> {
    await keepDomains(domains, tx, renamed === null ? [] : [domainOf(renamed.code)]);
    const isRenamed = renamed !== null && renamed.code !== change.code;
    const existing = await repository.lock(tx.db, [change.code, ...(isRenamed ? [renamed.code] : [])]);
    const moved = { ...change, to: renamed?.code };
    const refusals = await changedRuleRefusals(repository, [moved], existing, tx.db);
    const { outcomes, overwrites } = planUpdate([change], existing, { ...by, ...deps }, refusals);
    const [outcome] = outcomes;
    if (outcome === undefined || outcome instanceof AppError) throw outcome;
    await repository.overwriteMany(tx.db, overwrites, existing);
    const link = existing.get(change.code)!;
    await announce(tx, existing, [change.code]);
    if (isRenamed && existing.has(renamed.code)) throw isTaken(renamed.code);
    if (isRenamed && !(await repository.rename(tx.db, link, renamed, by.now))) throw isAlias(renamed.code);
    if (isRenamed) tx.changed("links", [renamed.code]);
    const after = isRenamed ? { ...outcome, code: renamed.code } : outcome;
    const states = {
      before: { ...link, owner: change.owners?.before, serves: by.serves?.before },
      after: { ...after, owner: change.owners?.after, serves: by.serves?.after },
    };
    await record(tx.db, changeEvents({ ...by, verb: "update" }, { id: link.id, ...states }));
    return after;
  }

  return {
    /** In the caller's transaction, which repeats after a unique violation. */
    createIn,

    /** Per entry: the link, LinkAlreadyExists, or Conflict for one that serves a share. */
    create: (entries: readonly CheckedCreate[], by: Writing) => write((tx) => createIn(tx, entries, by)),

    updateIn,

    /** The link, LinkNotFound, LinkAlreadyExists for a repeated code, Conflict for one that serves a share, BadRequest. */
    update: (changes: readonly CheckedUpdate[], by: Writing) => write((tx) => updateIn(tx, changes, by)),

    patchIn,

    /** Changes one link, also its code. @throws LinkNotFound, LinkAlreadyExists, Conflict (it serves a share) */
    patch: (change: CheckedUpdate, renamed: Renaming | null, by: Writing) =>
      write((tx) => patchIn(tx, change, renamed, by)),

    /** The code, LinkNotFound, LinkAlreadyExists for a repeated code. */
    remove: (codes: readonly string[], by: Writing): Promise<WriteOutcome<string>[]> =>
      write(async (tx) => {
        const existing = await among(tx.db, await lock(tx.db, codes), by);
        const outcomes = planRemoval(codes, existing, by.actor);
        const gone = outcomes.filter((outcome) => typeof outcome === "string");
        await announce(tx, existing, gone);
        await repository.removeMany(tx.db, gone, { ...by, record });
        return outcomes;
      }),
  };
}

type Stored = ReadonlyMap<string, ExistingLink>;

function planCreate(
  entries: readonly CheckedCreate[],
  chosen: ReadonlyMap<CheckedCreate, string>,
  existing: {
    links: Stored;
    aliases: ReadonlyMap<string, unknown>;
    /** By place in `entries`. */
    refusals: readonly (AppError | null)[];
  },
  by: Writing & Pick<Deps, "policy">,
) {
  const { actor, now, policy } = by;
  const claimed = new Set<string>();
  const inserts: NewLink[] = [];
  const overwrites: WrittenLink[] = [];
  const outcomes = entries.map((entry, at): WriteOutcome<WrittenLink> => {
    const code = entry.code ?? chosen.get(entry)!;
    const stored = existing.links.get(code);
    if (claimed.has(code)) return mentionedBefore(code);
    if (existing.aliases.has(code)) return isAlias(code);
    if (stored !== undefined && !(entry.force && mayChange(actor, stored.ownerId)))
      return alreadyExists(code);
    if (stored?.isInternal) return linkServesShare(code);
    const refusal = existing.refusals[at] ?? (stored === undefined ? null : takenDownRefusal(stored));
    if (refusal) return refusal;
    const options = policy(stored ?? null, stored ? stillHeld(stored, entry) : entry, by);
    if (options instanceof AppError) return options;
    const { code: _, domain: __, force: ___, ownerId: given, ...content } = entry;
    const made = { createdAt: now, ownerId: given ?? actor.accountId, createdBy: actor.name };
    const { createdAt, ownerId, createdBy } = stored ?? made;
    const link = { ...content, options, code, createdAt, ownerId, createdBy, updatedAt: now };
    if (stored === undefined) inserts.push({ ...link, clickCount: 0, automatedClicks: 0 });
    else overwrites.push(link);
    claimed.add(code);
    return link;
  });
  return { outcomes, inserts, overwrites };
}

function planUpdate(
  changes: readonly CheckedUpdate[],
  existing: Stored,
  by: Writing & Pick<Deps, "policy">,
  refusals: ReadonlyMap<string, AppError>,
) {
  const { actor, now, serves, review, policy } = by;
  const claimed = new Map<string, WrittenLink>();
  const outcomes = changes.map((change): WriteOutcome<WrittenLink> => {
    const { code } = change;
    const stored = existing.get(code);
    if (!reaches(actor, stored)) return linkNotFound(code);
    if (!mayChange(actor, stored.ownerId)) return viewersOnly(code);
    if (stored.isInternal && serves === undefined && !review) return linkServesShare(code);
    if (claimed.has(code)) return mentionedBefore(code);
    const refusal = refusals.get(code) ?? (review?.refusal ?? takenDownRefusal)(stored);
    if (refusal) return refusal;
    const tags = tagsAfter(stored.tags, change);
    if (tags.length > MOST_TAGS) return tooManyTags(code);
    const { id: _, isInternal: __, ...before } = stored;
    const changed = { ...before, ...changesOf(change, before) };
    const options = review ? changed.options : policy(before, changed, by);
    if (options instanceof AppError) return options;
    const isMoved = changed.target !== before.target;
    const link = { ...changed, options, tags, updatedAt: now, ...(isMoved && { deadSince: null }) };
    claimed.set(code, link);
    return link;
  });
  return { outcomes, overwrites: [...claimed.values()] };
}

function changesOf(change: CheckedUpdate, before: LinkContent): Partial<LinkContent & { ownerId: number }> {
  const { options, addTags: _, removeTags: __, to: ___, owners: ____, ...rest } = change;
  const defined = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(defined),
    ...(options && { options: writeOptions({ ...readOptions(before.options), ...options }) }),
  };
}

const keyIn = ({ code }: { code: string }): string => code;

/**
 * Writes any number of links in one transaction. A refused entry is an outcome and leaves the others alone. Existing
 * links are locked first. If another writer creates a link between lock and insert, the unique index fails the
 * transaction, which runs again.
 */
import type { Db } from "../../platform/db/dialect.ts";
import { leaveCallingThread } from "../../platform/db/short-transactions.ts";
import { AppError } from "../../lib/errors.ts";
import { type CodeRule, isSiteCode } from "../link/code.ts";
import {
  type DomainKeeper,
  keepDomains,
  type KeptDomains,
  keptOf,
  moveAll,
  moveRefusals,
  movesOf,
} from "./moves.ts";
import { type LinkChanges, writeLinks } from "./changes.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import { linkEvent, type RecordLinkEvents } from "../link/events.ts";
import {
  among,
  type ChangedLink,
  type CheckedCreate,
  type CheckedUpdate,
  type CreatedLink,
  namesOfOwners,
  overwriteEvents,
  planCreate,
  planRemoval,
  planUpdate,
  type Stored,
  type WriteOutcome,
  type Writing,
} from "./plans.ts";
import { codeOf, domainOf, keyOf } from "../link/key.ts";
import type { LinkRepository } from "./repository.ts";
import { refusalsOfChanges, refusalsOfNew } from "./refusals.ts";
import type { ValidateTargets } from "./allowed-targets.ts";
import { createUnlessReused } from "./reuse.ts";
import type { ReuseRepository } from "./reuse.repository.ts";
import { chooseCodes, type RandomBytes } from "../../lib/random-code.ts";

export type { CheckedCreate, CheckedUpdate, WriteOutcome, Writing, WrittenLink } from "./plans.ts";

export type LinkWriter = ReturnType<typeof createLinkWriter>;

/** Links of changes, and of their new keys, with the domains of these; locked until the transaction ends. */
export type LockedLinks = { links: Stored; domains: KeptDomains };

type Deps = {
  repository: LinkRepository;
  domains: DomainKeeper;
  changes: LinkChanges;
  reuse: ReuseRepository;
  record: RecordLinkEvents;
  rule: CodeRule;
  /** The key under which a link with this key is stored. */
  stored?(key: string): string;
  validateTargets: ValidateTargets;
  /** Whether new links get the titles of their targets' pages. */
  fetchesTitles?: (() => boolean) | undefined;
  randomCodeLength(): number;
  randomBytes?: RandomBytes;
};

export function createLinkWriter(deps: Deps) {
  const { repository, domains, record, stored: storedKey = same } = deps;
  const write = writeLinks(deps.changes);

  const lockCodes = (db: Db, codes: readonly string[]) => repository.lock(db, [...new Set(codes)]);

  async function lock(
    tx: ChangeTransaction,
    changes: readonly Pick<CheckedUpdate, "code" | "to">[],
  ): Promise<LockedLinks> {
    const targets = changes.flatMap(({ to }) => (to === undefined ? [] : storedKey(to)));
    const kept = await keptOf(domains, tx, new Set(targets.map(domainOf)));
    return { links: await lockCodes(tx.db, [...changes.map(keyIn), ...targets]), domains: kept };
  }

  async function createIn(
    tx: ChangeTransaction,
    input: readonly CheckedCreate[],
    by: Writing,
  ): Promise<WriteOutcome<CreatedLink>[]> {
    const entries = input.map((entry) => ({ ...entry, code: entry.code && storedKey(entry.code) }));
    const kept = await keepDomains(domains, tx, new Set(entries.map(({ domain }) => domain)));
    const given = new Set(entries.flatMap((entry) => entry.code ?? []));
    const existing = await repository.lock(tx.db, [...given]);
    const aliases = await repository.aliases.among([...given], tx.db);
    const chosen = await randomCodes(deps, tx.db, entries, given);
    const refusals = await refusalsOfNew(repository, entries, existing, { ...by, db: tx.db });
    const stored = { links: existing, aliases, domains: kept, refusals };
    const plan = planCreate(entries, chosen, stored, { ...by, ...deps });
    const ids = await repository.insertMany(tx.db, plan.inserts);
    if (deps.fetchesTitles?.()) await repository.awaitTitles(tx.db, plan.inserts, ids);
    await repository.overwriteMany(tx.db, plan.overwrites, existing);
    const named = await namesOfOwners(tx.db, plan.overwrites, existing);
    await record(tx.db, [
      ...plan.inserts.map((link) =>
        linkEvent(
          { ...by, verb: "create" },
          { id: ids.get(link.code)!, before: null, after: { ...link, serves: by.serves?.after } },
        ),
      ),
      ...overwriteEvents(plan.overwrites, existing, by, { named }),
    ]);
    tx.changed("links", plan.inserts.map(keyIn));
    await announce(repository, tx, existing, plan.overwrites.map(keyIn));
    return plan.outcomes.map((outcome) => {
      if (outcome instanceof AppError) return outcome;
      const added = ids.get(outcome.code);
      return { ...outcome, id: added ?? existing.get(outcome.code)!.id, isNew: added !== undefined };
    });
  }

  async function updateIn(
    tx: ChangeTransaction,
    input: readonly CheckedUpdate[],
    by: Writing,
    before?: LockedLinks,
  ): Promise<WriteOutcome<ChangedLink>[]> {
    const changes = input.map((change) => ({ ...change, to: change.to && storedKey(change.to) }));
    const locked = before ?? (await lock(tx, changes));
    const existing = await among(tx.db, locked.links, by);
    const moves = movesOf(changes);
    const moving = { locked: locked.links, domains: locked.domains, actor: by.actor, stored: storedKey };
    const refusals = new Map([
      ...(await moveRefusals(repository, tx, moves, moving)),
      ...(await refusalsOfChanges(repository, changes, existing, { ...by, db: tx.db })),
    ]);
    const plan = planUpdate(changes, existing, { ...by, ...deps }, refusals);
    await repository.overwriteMany(tx.db, plan.overwrites, existing);
    await announce(repository, tx, existing, plan.overwrites.map(keyIn));
    await moveAll(repository, tx, plan.overwrites, { moves, now: by.now });
    const named = await namesOfOwners(tx.db, plan.overwrites, existing);
    await record(tx.db, overwriteEvents(plan.overwrites, existing, by, { moves, named }));
    return plan.outcomes.map((outcome) =>
      outcome instanceof AppError
        ? outcome
        : { ...outcome, code: moves.get(outcome.code)?.to ?? outcome.code },
    );
  }

  return {
    /** Creates links in the caller's transaction, which repeats after a unique violation. */
    createIn,

    /** Per entry: the link, or its key if it is reused; LinkAlreadyExists, or Conflict for one that serves a share. */
    create: (entries: readonly CheckedCreate[], by: Writing) =>
      write((tx) => {
        const create = (fresh: readonly CheckedCreate[]) => createIn(tx, fresh, by);
        return createUnlessReused(deps.reuse, { db: tx.db, actor: by.actor, create }, entries);
      }, optionsFor(entries)),

    /** Locks the links of changes, and those that have their new keys. */
    lock,

    /** Changes links in the caller's transaction. @param before what `lock` returned in it */
    updateIn,

    /**
     * Changes links, also their keys. Per change: the link, LinkNotFound, LinkAlreadyExists (its code is repeated, or the
     * new one taken), Conflict for one that serves a share, Forbidden, BadRequest.
     */
    update: (changes: readonly CheckedUpdate[], by: Writing) =>
      write((tx) => updateIn(tx, changes, by), optionsFor(changes)),

    /** The code, LinkNotFound, LinkAlreadyExists for a repeated code. */
    remove: (codes: readonly string[], by: Writing): Promise<WriteOutcome<string>[]> =>
      write(async (tx) => {
        const existing = await among(tx.db, await lockCodes(tx.db, codes), by);
        const serving = [...existing.values()].flatMap(({ id, isInternal }) => (isInternal ? id : []));
        // Its visits go with a share.
        if (serving.length > 0) leaveCallingThread(tx.db);
        const filesOwners = await repository.filesOwners(serving, tx.db);
        const outcomes = planRemoval(codes, existing, by.actor, filesOwners);
        const gone = outcomes.filter((outcome) => typeof outcome === "string");
        await announce(repository, tx, existing, gone);
        await repository.removeMany(tx.db, gone, { ...by, record });
        return outcomes;
      }, optionsFor(codes)),
  };
}

/** Codes for the entries without one, other than the given ones. */
function randomCodes(
  deps: Deps,
  db: Db,
  entries: readonly CheckedCreate[],
  given: ReadonlySet<string>,
): Promise<ReadonlyMap<CheckedCreate, string>> {
  const open = entries.filter((entry) => entry.code === null);
  return chooseCodes(open, {
    ...deps,
    keyFor: ({ domain }, code) => (deps.stored ?? same)(keyOf(domain, code)),
    mayTake: (key) => !given.has(key) && !isSiteCode(key) && deps.rule.refusal(codeOf(key)) === null,
    taken: (keys) => deps.repository.taken(keys, db),
  });
}

/** Reports links as changed, with their aliases. */
async function announce(
  repository: LinkRepository,
  tx: ChangeTransaction,
  existing: Stored,
  codes: readonly string[],
): Promise<void> {
  const ids = codes.map((code) => existing.get(code)!.id);
  tx.changed("links", [...codes, ...(await repository.aliases.ofLinks(ids, tx.db))]);
}

const optionsFor = (links: readonly unknown[]) => ({ short: links.length === 1 });

const same = (key: string): string => key;

const keyIn = ({ code }: { code: string }): string => code;

/**
 * Writes any number of links in one transaction. A refused entry is an outcome and leaves the others alone. Existing
 * links are locked first. If another writer creates a link between lock and insert, the unique index fails the
 * transaction, which runs again.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { type CodeRule, codeTakenByAlias, isSiteCode, codeTaken } from "../link/code.ts";
import {
  type DomainKeeper,
  keepDomainOf,
  keepDomains,
  keptOf,
  moveAll,
  moveRefusals,
  movesOf,
} from "./moves.ts";
import { type LinkChanges, type LinkTransaction, writeLinks } from "./changes.ts";
import { changeEvents, linkEvent, type RecordLinkEvents } from "../link/events.ts";
import {
  among,
  type CheckedCreate,
  type CheckedUpdate,
  type NameOwner,
  namesOfOwners,
  overwriteEvents,
  planCreate,
  planRemoval,
  planUpdate,
  type Renaming,
  type Stored,
  type WriteOutcome,
  type Writing,
  type WrittenLink,
} from "./plans.ts";
import { codeOf, domainOf, keyOf } from "../link/key.ts";
import type { ExistingLink, LinkRepository } from "./repository.ts";
import {
  changedRuleRefusals,
  changedSiteCodeRefusals,
  newRuleRefusals,
  newSiteCodeRefusals,
} from "./refusals.ts";
import type { ValidateTargets } from "./allowed-targets.ts";
import { chooseCodes, type RandomBytes } from "../../lib/random-code.ts";

export type { CheckedCreate, CheckedUpdate, Renaming, WriteOutcome, Writing, WrittenLink } from "./plans.ts";

export type LinkWriter = ReturnType<typeof createLinkWriter>;

type Deps = {
  repository: LinkRepository;
  domains: DomainKeeper;
  changes: LinkChanges;
  record: RecordLinkEvents;
  rule: CodeRule;
  validateTargets: ValidateTargets;
  randomCodeLength(): number;
  randomBytes?: RandomBytes;
};

export function createLinkWriter(deps: Deps) {
  const { repository, domains, record } = deps;
  const write = writeLinks(deps.changes);
  const { lockForPatch, patchIn } = createLinkPatch(deps);

  const lock = (db: Db, codes: readonly string[]) => repository.lock(db, [...new Set(codes)]);

  async function createIn(tx: LinkTransaction, entries: readonly CheckedCreate[], by: Writing) {
    const placed = entries.map(({ domain }) => domain);
    const kept = await keepDomains(domains, tx, placed);
    const given = new Set(entries.flatMap((entry) => entry.code ?? []));
    const existing = await repository.lock(tx.db, [...given]);
    const aliases = await repository.aliases.among([...given], tx.db);
    const open = entries.filter((entry) => entry.code === null);
    const chosen = await chooseCodes(open, {
      ...deps,
      keyFor: ({ domain }, code) => keyOf(domain, code),
      mayTake: (key) => !given.has(key) && !isSiteCode(key) && deps.rule.refusal(codeOf(key)) === null,
      taken: (keys) => repository.taken(keys, tx.db),
    });
    const refusals = await refusalsOfNew(repository, entries, existing, { ...by, db: tx.db });
    const stored = { links: existing, aliases, domains: kept, refusals };
    const plan = planCreate(entries, chosen, stored, { ...by, ...deps });
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
    await announce(repository, tx, existing, plan.overwrites.map(keyIn));
    return plan.outcomes;
  }

  async function updateIn(tx: LinkTransaction, changes: readonly CheckedUpdate[], by: Writing) {
    const targets = changes.flatMap(({ to }) => to ?? []);
    const kept = await keptOf(domains, tx, new Set(targets.map(domainOf)));
    const locked = await lock(tx.db, [...changes.map(keyIn), ...targets]);
    const existing = await among(tx.db, locked, by);
    const refusals = new Map([
      ...(await refusalsOfChanges(repository, changes, existing, { ...by, db: tx.db })),
      ...(await moveRefusals(repository, tx, changes, { locked, domains: kept, actor: by.actor })),
    ]);
    const plan = planUpdate(changes, existing, { ...by, ...deps }, refusals);
    await repository.overwriteMany(tx.db, plan.overwrites, existing);
    await announce(repository, tx, existing, plan.overwrites.map(keyIn));
    const moves = movesOf(changes);
    await moveAll(repository, tx, { links: plan.overwrites, moves, existing });
    const named = await namesOfOwners(tx.db, plan.overwrites, existing);
    await record(tx.db, overwriteEvents(plan.overwrites, existing, by, { moves, named }));
    return plan.outcomes;
  }

  return {
    /** Creates links in the caller's transaction, which repeats after a unique violation. */
    createIn,

    /** Per entry: the link, LinkAlreadyExists, or Conflict for one that serves a share. */
    create: (entries: readonly CheckedCreate[], by: Writing) => write((tx) => createIn(tx, entries, by)),

    updateIn,

    /** The link, LinkNotFound, LinkAlreadyExists for a repeated code, Conflict for one that serves a share, BadRequest. */
    update: (changes: readonly CheckedUpdate[], by: Writing) => write((tx) => updateIn(tx, changes, by)),

    lockForPatch,
    patchIn,

    /** Changes one link, also its code. @throws LinkNotFound, LinkAlreadyExists, Conflict (it serves a share) */
    patch: (change: CheckedUpdate, renamed: Renaming | null, by: Writing) =>
      write(async (tx) => {
        const existing = await lockForPatch(tx, change.code, renamed, by.actor);
        return patchIn(tx, existing, change, renamed, by);
      }),

    /** The code, LinkNotFound, LinkAlreadyExists for a repeated code. */
    remove: (codes: readonly string[], by: Writing): Promise<WriteOutcome<string>[]> =>
      write(async (tx) => {
        const existing = await among(tx.db, await lock(tx.db, codes), by);
        const serving = [...existing.values()].flatMap(({ id, isInternal }) => (isInternal ? id : []));
        const filesOwners = await repository.filesOwners(serving, tx.db);
        const outcomes = planRemoval(codes, existing, by.actor, filesOwners);
        const gone = outcomes.filter((outcome) => typeof outcome === "string");
        await announce(repository, tx, existing, gone);
        await repository.removeMany(tx.db, gone, { ...by, record });
        return outcomes;
      }),
  };
}

/** Changes one link, also its code. */
function createLinkPatch(deps: Deps) {
  const { repository, domains, record } = deps;

  /** Locks the link, and the one that has its new code. @throws BadRequest, Forbidden (the new domain) */
  async function lockForPatch(
    tx: LinkTransaction,
    code: string,
    renamed: Renaming | null,
    actor: Actor,
  ): Promise<Stored> {
    if (renamed !== null) await keepDomainOf(domains, tx, actor, { code, to: renamed.code });
    return repository.lock(tx.db, [...new Set([code, renamed?.code ?? code])]);
  }

  /** @param existing what `lockForPatch` returned in this transaction */
  async function patchIn(
    tx: LinkTransaction,
    existing: Stored,
    change: CheckedUpdate,
    renamed: Renaming | null,
    by: Writing,
  ): Promise<WrittenLink & { id: number }> {
    const isRenamed = renamed !== null && renamed.code !== change.code;
    const moved = { ...change, to: renamed?.code };
    const refusals = await refusalsOfChanges(repository, [moved], existing, { ...by, db: tx.db });
    const { outcomes, overwrites } = planUpdate([change], existing, { ...by, ...deps }, refusals);
    const [outcome] = outcomes;
    if (outcome === undefined || outcome instanceof AppError) throw outcome;
    await repository.overwriteMany(tx.db, overwrites, existing);
    const link = existing.get(change.code)!;
    await announce(repository, tx, existing, [change.code]);
    if (isRenamed && existing.has(renamed.code)) throw codeTaken(renamed.code);
    if (isRenamed && !(await repository.rename(tx.db, link, renamed, by.now)))
      throw codeTakenByAlias(renamed.code);
    if (isRenamed) tx.changed("links", [renamed.code]);
    const after = isRenamed ? { ...outcome, code: renamed.code } : outcome;
    await record(tx.db, patchEvents(link, after, by, await namesOfOwners(tx.db, overwrites, existing)));
    return { ...after, id: link.id };
  }

  return { lockForPatch, patchIn };
}

/** Reports links as changed, with their aliases. */
async function announce(
  repository: LinkRepository,
  tx: LinkTransaction,
  existing: Stored,
  codes: readonly string[],
): Promise<void> {
  const ids = codes.map((code) => existing.get(code)!.id);
  tx.changed("links", [...codes, ...(await repository.aliases.ofLinks(ids, tx.db))]);
}

type Judging = Pick<Writing, "actor"> & { db: Db };

/** Refusals by the index in `entries`. */
async function refusalsOfNew(
  repository: LinkRepository,
  entries: readonly CheckedCreate[],
  stored: Stored,
  { actor, db }: Judging,
): Promise<(AppError | null)[]> {
  const ofRules = await newRuleRefusals(repository, entries, { stored, by: actor }, db);
  const ofCodes = await newSiteCodeRefusals(repository, entries, stored, { actor, db });
  return ofCodes.map((refusal, at) => refusal ?? ofRules[at]!);
}

/** Refusals by the present codes. */
async function refusalsOfChanges(
  repository: LinkRepository,
  changes: readonly CheckedUpdate[],
  stored: Stored,
  { actor, db }: Judging,
): Promise<Map<string, AppError>> {
  const ofRules = await changedRuleRefusals(repository, changes, stored, db);
  const ofCodes = await changedSiteCodeRefusals(repository, changes, stored, { actor, db });
  return new Map([...ofRules, ...ofCodes]);
}

const patchEvents = (link: ExistingLink, after: WrittenLink, by: Writing, named: NameOwner) =>
  changeEvents(
    { ...by, verb: "update" },
    {
      id: link.id,
      before: { ...link, owner: named(link), serves: by.serves?.before },
      after: { ...after, owner: named(after), serves: by.serves?.after },
    },
  );

const keyIn = ({ code }: { code: string }): string => code;

/**
 * Writes any number of links in one transaction. A refused entry is an outcome and leaves the others alone. Existing
 * links are locked first. If another writer creates a link between lock and insert, the unique index fails the
 * transaction, which runs again.
 */
import { isUniqueViolation } from "../db/failures.ts";
import type { Db } from "../db/dialect.ts";
import type { Actor } from "../lib/actor.ts";
import { type AppError, appError } from "../lib/errors.ts";
import { type CodeRule, linkNotFound } from "./code.ts";
import type { Link, LinkContent, LinkPatch } from "./link.ts";
import type { TagChange } from "./link-input.ts";
import { MOST_TAGS, sortedTags, tooManyTags } from "./tags/tag.ts";
import type { LinkChanges, LinkTransaction } from "./changes.ts";
import { type LinkOptions, readOptions, writeOptions } from "./link-options.ts";
import { linkEvent, type RecordLinkEvents } from "./link-events.ts";
import { codeOf, DEFAULT_DOMAIN, keyOf } from "./link-key.ts";
import type { LinkRepository, NewLink, ExistingLink } from "./links.repository.ts";
import { type RandomBytes, randomCodes } from "../lib/random-code.ts";

/** With the password hashed. */
export type CheckedCreate = LinkContent & {
  /** Key; null: a random code. */
  code: string | null;
  domain: number;
  force: boolean;
};

export type CheckedUpdate = Omit<LinkPatch, "options"> &
  Partial<TagChange> & {
    code: string;
    /** Only what changes. */
    options?: Partial<LinkOptions>;
  };

export type WrittenLink = Omit<Link, "id" | "clickCount" | "automatedClicks">;

/** Or why nothing was written. */
export type WriteOutcome<T> = T | AppError;

export type Writing = {
  actor: Actor;
  now: number;
  /** Which of the codes to write, now that their links are locked; the others count as absent. */
  still?(db: Db, codes: readonly string[]): Promise<ReadonlySet<string>>;
};

export type LinkWriter = {
  /** Per entry: the link, LinkAlreadyExists, or Conflict for one that serves a share. */
  create(entries: readonly CheckedCreate[], by: Writing): Promise<WriteOutcome<WrittenLink>[]>;
  /** In the caller's transaction, which repeats after a unique violation. */
  createIn(
    tx: LinkTransaction,
    entries: readonly CheckedCreate[],
    by: Writing,
  ): Promise<WriteOutcome<WrittenLink>[]>;
  /** The link, LinkNotFound, LinkAlreadyExists for a repeated code, Conflict for one that serves a share, BadRequest. */
  update(changes: readonly CheckedUpdate[], by: Writing): Promise<WriteOutcome<WrittenLink>[]>;
  /** The code, LinkNotFound, LinkAlreadyExists for a repeated code. */
  remove(codes: readonly string[], by: Writing): Promise<WriteOutcome<string>[]>;
};

type DomainKeeper = {
  /** Those that exist; none of them goes until the transaction ends. */
  keep(tx: LinkTransaction["db"], ids: readonly number[]): Promise<ReadonlySet<number>>;
};

type Deps = {
  repository: LinkRepository;
  domains: DomainKeeper;
  changes: LinkChanges;
  record: RecordLinkEvents;
  rule: CodeRule;
  randomCodeLength(): number;
  randomBytes?: RandomBytes;
};

const MOST_RUNS = 5;

export function createLinkWriter(deps: Deps): LinkWriter {
  const { repository, domains, changes, record } = deps;

  async function write<T>(run: (tx: LinkTransaction) => Promise<T>): Promise<T> {
    for (let runs = 1; ; runs++) {
      try {
        return await changes.write(run);
      } catch (error) {
        if (runs === MOST_RUNS || !isUniqueViolation(error)) throw error;
      }
    }
  }

  async function lock(db: Db, codes: readonly string[], { still }: Writing) {
    const existing = await repository.lock(db, [...new Set(codes)]);
    if (still === undefined || existing.size === 0) return existing;
    const kept = await still(db, [...existing.keys()]);
    return new Map([...existing].filter(([code]) => kept.has(code)));
  }

  const createIn: LinkWriter["createIn"] = async (tx, entries, by) => {
    await keepDomains(domains, tx, entries);
    const wanted = new Set(entries.flatMap((entry) => entry.code ?? []));
    const existing = await repository.lock(tx.db, [...wanted]);
    const chosen = await chooseCodes(deps, tx, entries, new Set(wanted));
    const plan = planCreate(entries, chosen, existing, by);
    const ids = await repository.insertMany(tx.db, plan.inserts);
    await repository.overwriteMany(tx.db, plan.overwrites, existing);
    await record(tx.db, [
      ...plan.inserts.map((link) =>
        linkEvent({ ...by, verb: "create" }, { id: ids.get(link.code)!, before: null, after: link }),
      ),
      ...overwriteEvents(plan.overwrites, existing, by),
    ]);
    tx.changed(
      "links",
      [...plan.inserts, ...plan.overwrites].map((link) => link.code),
    );
    return plan.outcomes;
  };

  return {
    createIn,

    create: (entries, by) => write((tx) => createIn(tx, entries, by)),

    update: (changed, by) =>
      write(async (tx) => {
        const codes = changed.map((change) => change.code);
        const existing = await lock(tx.db, codes, by);
        const plan = planUpdate(changed, existing, by);
        await repository.overwriteMany(tx.db, plan.overwrites, existing);
        await record(tx.db, overwriteEvents(plan.overwrites, existing, by));
        tx.changed(
          "links",
          plan.overwrites.map((link) => link.code),
        );
        return plan.outcomes;
      }),

    remove: (codes, by) =>
      write(async (tx) => {
        const { actor, now } = by;
        const existing = await lock(tx.db, codes, by);
        const claimed = new Set<string>();
        const outcomes = codes.map((code): WriteOutcome<string> => {
          if (!reaches(actor, existing.get(code))) return linkNotFound(code);
          if (claimed.has(code)) return mentionedBefore(code);
          claimed.add(code);
          return code;
        });
        await repository.removeMany(tx.db, [...claimed], { record, actor, now });
        tx.changed("links", [...claimed]);
        return outcomes;
      }),
  };
}

/** @throws BadRequest for one that was deleted meanwhile */
async function keepDomains(
  domains: DomainKeeper,
  tx: LinkTransaction,
  entries: readonly CheckedCreate[],
): Promise<void> {
  const wanted = new Set(entries.map(({ domain }) => domain));
  wanted.delete(DEFAULT_DOMAIN);
  const kept = await domains.keep(tx.db, [...wanted]);
  if (kept.size < wanted.size) throw appError("BadRequest", "The domain was deleted meanwhile.");
}

/** For entries without one. Those with a collision try again together. */
async function chooseCodes(
  { repository, rule, randomCodeLength, randomBytes }: Deps,
  tx: LinkTransaction,
  entries: readonly CheckedCreate[],
  taken: Set<string>,
): Promise<Map<CheckedCreate, string>> {
  const chosen = new Map<CheckedCreate, string>();
  let open = entries.filter((entry) => entry.code === null);
  const sources = new Map(open.map((entry) => [entry, randomCodes(randomCodeLength(), randomBytes)]));
  while (open.length > 0) {
    for (const entry of open) {
      let code: string;
      do code = keyOf(entry.domain, sources.get(entry)!.next().value);
      while (taken.has(code) || rule.refusal(codeOf(code)) !== null);
      taken.add(code);
      chosen.set(entry, code);
    }
    const tried = open.map((entry) => chosen.get(entry)!);
    const existing = await repository.lock(tx.db, tried);
    open = open.filter((entry) => existing.has(chosen.get(entry)!));
  }
  return chosen;
}

type Stored = ReadonlyMap<string, ExistingLink>;

function planCreate(
  entries: readonly CheckedCreate[],
  chosen: ReadonlyMap<CheckedCreate, string>,
  existing: Stored,
  { actor, now }: Writing,
) {
  const claimed = new Set<string>();
  const inserts: NewLink[] = [];
  const overwrites: WrittenLink[] = [];
  const outcomes = entries.map((entry): WriteOutcome<WrittenLink> => {
    const code = entry.code ?? chosen.get(entry)!;
    const stored = existing.get(code);
    if (claimed.has(code)) return mentionedBefore(code);
    if (stored !== undefined && !(entry.force && reaches(actor, stored))) return alreadyExists(code);
    if (stored?.isInternal) return linkServesShare(code);
    const { code: _, domain: __, force: ___, ...content } = entry;
    const made = { createdAt: now, ownerId: actor.accountId, createdBy: actor.name };
    const { createdAt, ownerId, createdBy } = stored ?? made;
    const link = { ...content, code, createdAt, ownerId, createdBy, updatedAt: now };
    if (stored === undefined) inserts.push({ ...link, clickCount: 0, automatedClicks: 0 });
    else overwrites.push(link);
    claimed.add(code);
    return link;
  });
  return { outcomes, inserts, overwrites };
}

function planUpdate(changed: readonly CheckedUpdate[], existing: Stored, { actor, now }: Writing) {
  const claimed = new Map<string, WrittenLink>();
  const outcomes = changed.map((change): WriteOutcome<WrittenLink> => {
    const { code } = change;
    const stored = existing.get(code);
    if (!reaches(actor, stored)) return linkNotFound(code);
    if (stored.isInternal) return linkServesShare(code);
    if (claimed.has(code)) return mentionedBefore(code);
    const tags = tagsAfter(stored.tags, change);
    if (tags.length > MOST_TAGS) return tooManyTags(code);
    const { id: _, isInternal: __, ...before } = stored;
    const link = { ...before, ...changesOf(change, before), tags, updatedAt: now };
    claimed.set(code, link);
    return link;
  });
  return { outcomes, overwrites: [...claimed.values()] };
}

function changesOf(change: CheckedUpdate, before: LinkContent): Partial<LinkContent> {
  const { options, addTags: _, removeTags: __, ...rest } = change;
  const defined = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(defined),
    ...(options && { options: writeOptions({ ...readOptions(before.options), ...options }) }),
  };
}

function tagsAfter(before: readonly string[], change: CheckedUpdate): readonly string[] {
  const { tags = before, addTags = [], removeTags = [] } = change;
  return sortedTags([...tags.filter((tag) => !removeTags.includes(tag)), ...addTags]);
}

const overwriteEvents = (overwrites: readonly WrittenLink[], existing: Stored, by: Writing) =>
  overwrites.map((after) => {
    const before = existing.get(after.code)!;
    return linkEvent({ ...by, verb: "update" }, { id: before.id, before, after });
  });

/** Whether the link exists for the actor. */
export const reaches = <L extends Pick<Link, "ownerId">>(actor: Actor, link: L | undefined): link is L =>
  link !== undefined && (!actor.ownOnly || link.ownerId === actor.accountId);

export const alreadyExists = (code: string): AppError =>
  appError(
    "LinkAlreadyExists",
    `The code "${codeOf(code)}" is taken; choose another, or overwrite it with force.`,
  );

export const linkServesShare = (code: string): AppError =>
  appError("Conflict", `The link "${codeOf(code)}" serves a shared file or folder; delete it first.`);

const mentionedBefore = (code: string): AppError =>
  appError(
    "LinkAlreadyExists",
    `The code "${codeOf(code)}" appears more than once in this request; the first one is used.`,
  );

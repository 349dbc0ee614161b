/** The next request sees every write. */
import type { Db } from "../platform/db/dialect.ts";
import { type Actor, mayChange } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import { given } from "../lib/given.ts";
import { AppError } from "../lib/errors.ts";
import { createLinkBatch } from "./write/batch.ts";
import { linkAlreadyExists, type CodeRule, isKeyText, linkNotFound, siteCodeRefusal } from "./link/code.ts";
import type { FallbackLoops } from "./fallback/loops.ts";
import { isInternal } from "./link/internal-target.ts";
import { codeOf, domainOf, keyOf } from "./link/key.ts";
import {
  type EventState,
  type LinkEvents,
  type PastChange,
  pastChange,
  type PastState,
  requireRedirect,
} from "./history/history.ts";
import type { RecordLinkEvents, ServedFields } from "./link/events.ts";
import { readOptions } from "./link/field-values.ts";
import type { Owners } from "./link/owners.repository.ts";
import type { PlannedChange } from "./write/internal-links.ts";
import { parseLinkInput, parseLinkPatch, parseLinkUpdate } from "./link/input.ts";
import { createChoice } from "./list/chosen.ts";
import { filterFor, type LinkFilter } from "./list/filter.ts";
import type { LinkSets } from "./list/link-set.repository.ts";
import type { BulkChangeRepository } from "./bulk-changes/repository.ts";
import type { Domains } from "./domains/registry.ts";
import type { LinkQuery, PlacedQuery } from "./list/query.ts";
import type { LinkListRepository } from "./list/repository.ts";
import { createQueryBatch } from "./query-batch/query-batch.ts";
import { type BulkEvents, createBulkUndo, revertTagPart } from "./query-batch/undo.ts";
import type { DeletedLinks } from "./deleted/deleted.ts";
import type { CodeAvailability, CreateInput, Link, PatchInput, ShownLink, UpdateInput } from "./link/link.ts";
import type { ExistingLink, LinkRepository } from "./write/repository.ts";
import type { LinkList } from "./list/list.ts";
import type { LinkChanges } from "./write/changes.ts";
import type { TagRepository } from "./tags/repository.ts";
import { createTagService } from "./tags/service.ts";
import { takenDownRefusal } from "./write/allowed-targets.ts";
import { retagLinks } from "./write/retagging.ts";
import { reaches } from "./write/plans.ts";
import type { LinkWriter, WriteOutcome, WrittenLink } from "./write/writer.ts";

type Parts = {
  listRepository: LinkListRepository;
  tags: TagRepository;
  sets: LinkSets;
  owners: Owners;
  changes: LinkChanges;
  record: RecordLinkEvents;
  writer: LinkWriter;
  repository: LinkRepository;
  list: LinkList;
  rule: CodeRule;
  domains: Domains;
  hashPassword(plain: string): Promise<string>;
  clock: Clock;
  portion?: number;
  loops: FallbackLoops;
  events: LinkEvents & BulkEvents;
  deleted: Pick<DeletedLinks, "restoreManyIn">;
  bulkRepository: Pick<BulkChangeRepository, "noteUndo">;
};

export type ActorLinks = ReturnType<typeof createActorLinks>;

export function createActorLinks(parts: Parts, actor: Actor) {
  const { writer, repository, list, rule, domains, hashPassword, clock, loops, tags, owners } = parts;

  const find = async (code: string, db?: Db): Promise<Link | null> =>
    isKeyText(code) ? repository.find(domains.stored(code), db) : null;

  async function get(code: string, db?: Db): Promise<Link> {
    const link = await find(code, db);
    if (link === null || !reaches(actor, link)) throw linkNotFound(code);
    return link;
  }

  const bulk = () => ({ ...parts, actor });

  const prepare = (link: Link, input: PatchInput) => prepareChange(bulk(), link, input);

  async function write({ link, change, now }: PlannedChange): Promise<ShownLink> {
    return repository.shown(only(await writer.update([change], { actor, now })), link);
  }

  // Links are named by their keys.
  return {
    /** @throws LinkNotFound */
    get,

    async find(key: string, db?: Db): Promise<Link | null> {
      const link = await find(key, db);
      return link !== null && reaches(actor, link) ? link : null;
    },

    /**
     * Creates a link, overwrites it with `force`, or with `reuse` finds one. @throws LinkAlreadyExists, LinkInvalidCode, LinkReservedCode,
     * LinkInvalidUrl, LinkInvalidExpireTime, BadRequest (tags), Conflict (it serves a share)
     */
    create: (input: CreateInput): Promise<ShownLink & { isReused?: true }> => createLink(bulk(), input, find),

    /** @throws LinkNotFound, LinkInvalidUrl, LinkInvalidExpireTime, Conflict (it serves a share) */
    async update(code: string, input: UpdateInput): Promise<ShownLink> {
      const now = clock.now();
      const { password, ...patch } = parseLinkUpdate(input, rule, now);
      const link = await get(code);
      domains.refuseMove(code, input.domain);
      refuse(await loops.refusal(code, { ...patch, ...patch.options }));
      const ownerId = await owners.newOwner(actor, input.owner);
      const passwordHash = typeof password === "string" ? await hashPassword(password) : password;
      return write({ link, change: { code, ...patch, ownerId, passwordHash }, now });
    },

    /**
     * Changes what is given, also code and domain. @throws LinkNotFound, LinkAlreadyExists, LinkInvalidCode, LinkReservedCode,
     * LinkInvalidUrl, LinkInvalidExpireTime, InvalidDateFormat, Conflict (it serves a share)
     */
    patch: async (code: string, input: PatchInput): Promise<ShownLink> =>
      write(await prepare(await get(code), input)),

    /** What `patch` writes to a link that `get` returned. @throws like `patch` */
    prepare,

    /** Writes what was prepared. @throws like `patch` */
    write,

    available: (code: string, domain?: string) => codeAvailability(parts, actor, code, domain),

    /** The change that sets a link, also of a share, to a state in its history. @throws NotFound, Conflict (too far back) */
    past: (link: Link & { serves: ServedFields | null }, which: PastState): Promise<PastChange> =>
      ownedChange(bulk(), link, which),

    /** Sets a link to a state in its history. @throws LinkNotFound, NotFound, Conflict (too far back, it served a share) */
    async revert(key: string, eventId: number, state: EventState): Promise<ShownLink> {
      const link = await get(key);
      const { change } = await ownedChange(bulk(), link, { eventId, state });
      return write({ link, change: requireRedirect(change), now: clock.now() });
    },

    /** @throws LinkNotFound */
    async remove(code: string): Promise<void> {
      if (!isKeyText(code)) throw linkNotFound(code);
      only(await writer.remove([code], { actor, now: clock.now() }));
    },

    list: (query: LinkQuery) => list.page({ ...query, filter: filterFor(actor, query.filter) }),

    /** Pages of the list without its total: by number, or after a place. */
    rows: (query: LinkQuery) => list.rows({ ...query, filter: filterFor(actor, query.filter) }),
    after: (query: PlacedQuery) => list.after({ ...query, filter: filterFor(actor, query.filter) }),
    count: (filter: LinkFilter) => list.total(filterFor(actor, filter)),

    // The others are made when they are needed: each request has an object of its own.

    /** For reports; null: all links. @throws LinkNotFound for an unknown code, BadRequest */
    get chosen() {
      return createChoice(parts, actor);
    },

    get tags() {
      const rows = { ...repository, refusalOf: takenDownRefusal, retag: retagLinks(bulk()) };
      return createTagService<ExistingLink>({ ...parts, repository: tags, rows }, actor);
    },

    /** Changes links that a filter finds. */
    get queryBatch() {
      return createQueryBatch({ ...bulk(), repository: parts.listRepository, links: repository });
    },

    get undoBatch() {
      const { restoreManyIn } = parts.deleted;
      const { noteUndo } = parts.bulkRepository;
      return createBulkUndo({ ...bulk(), restoreManyIn, noteUndo, revertTagPart: revertTagPart(bulk()) });
    },

    get batch() {
      return createLinkBatch(bulk());
    },
  };
}

async function createLink(
  parts: Parts & { actor: Actor },
  input: CreateInput,
  find: (code: string) => Promise<Link | null>,
): Promise<ShownLink & { isReused?: true }> {
  const { writer, repository, rule, domains, hashPassword, clock, loops, owners, actor } = parts;
  const now = clock.now();
  const { password, ...checked } = domains.place(parseLinkInput(input, rule, now), input.domain);
  const ownerId = await owners.newOwner(actor, input.owner);
  // Saves a hash. The transaction decides.
  if (password !== null && checked.code !== null && !checked.force && (await find(checked.code)) !== null)
    throw linkAlreadyExists(checked.code);
  refuse(await loops.refusal(checked.code, { ...checked, ...readOptions(checked.options) }));
  const passwordHash = password === null ? null : await hashPassword(password);
  const made = only(await writer.create([{ ...checked, ownerId, passwordHash }], { actor, now }));
  if (typeof made === "string") {
    const reused = await repository.find(made);
    // It may have been deleted meanwhile.
    return reused === null ? createLink(parts, input, find) : { ...reused, isReused: true };
  }
  const { isNew, ...link } = made;
  return isNew ? repository.shown(link, null) : withCounts(repository, link);
}

/** A link as written, whatever others have changed since. @throws LinkNotFound */
async function withCounts(repository: LinkRepository, link: WrittenLink): Promise<ShownLink> {
  const found = await repository.find(link.code);
  if (found === null) throw linkNotFound(link.code);
  const { id, ownerName, clickCount, automatedClicks } = found;
  return { ...link, id, ownerName, clickCount, automatedClicks };
}

/** Whether a new link may have the code, and why not. */
async function codeAvailability(
  { domains, rule, repository }: Parts,
  actor: Actor,
  code: string,
  domain: string | undefined,
): Promise<CodeAvailability> {
  const key = domains.key(code, domain);
  const refusal = rule.refusal(code);
  if (refusal !== null) {
    return { available: false, reason: refusal.name === "LinkReservedCode" ? "reserved" : "invalid" };
  }
  const owner = domains.find(domainOf(key))?.ownerId ?? null;
  if (owner !== null && !mayChange(actor, owner)) return { available: false, reason: "closed" };
  if (siteCodeRefusal(actor, [key]) !== null) return { available: false, reason: "reserved" };
  const link = await repository.findByAnyCode(key);
  if (link === null) return { available: true };
  return { available: false, reason: link.code === key ? "taken" : "alias" };
}

/** A past change with its owner. @throws Forbidden, BadRequest (the owner), and like `pastChange` */
async function ownedChange(
  parts: Parts & { actor: Actor },
  link: Link & { serves?: ServedFields | null },
  which: PastState,
): Promise<PastChange> {
  const past = await pastChange(parts, link, which);
  const { change, state } = past;
  const owner = state["owner"] as string | null | undefined;
  // A share goes with its files. A report stays with those whose figures it shows.
  if (owner === undefined || isInternal(link.target) || isInternal(change.target)) return past;
  const ownerId = owner === null ? null : await parts.owners.newOwner(parts.actor, owner);
  return { ...past, change: { ...change, ownerId } };
}

/** Hashes the password. */
async function prepareChange(
  { clock, rule, domains, loops, owners, hashPassword, actor }: Parts & { actor: Actor },
  link: Link,
  input: PatchInput,
): Promise<PlannedChange> {
  const now = clock.now();
  const { code } = link;
  const { code: named, keepOld, password, ...patch } = parseLinkPatch(codeOf(code), input, rule, now);
  const domain = input.domain === undefined ? domainOf(code) : domains.idOf(input.domain);
  const key = domains.stored(keyOf(domain, named ?? codeOf(code)));
  // Whatever leads to the new code leads to this link.
  const kept = key === code ? {} : { ...link, ...readOptions(link.options) };
  const urls = { ...kept, ...given({ target: patch.target, ...patch.options }) };
  for (const own of new Set([key, code])) refuse(await loops.refusal(own, urls));
  const passwordHash = typeof password === "string" ? await hashPassword(password) : password;
  const move = key === code ? {} : { to: key, keepOld };
  const ownerId = await owners.newOwner(actor, input.owner);
  return { link, change: { code, ...patch, ...move, ownerId, passwordHash }, now };
}

function refuse(refusal: AppError | null): void {
  if (refusal !== null) throw refusal;
}

function only<T>([outcome]: readonly WriteOutcome<T>[]): T {
  if (outcome instanceof AppError) throw outcome;
  return outcome!;
}

/**
 * Undoes a bulk change in portions of one transaction each. Its events say what was before. A link whose changed values
 * were changed again stays as it is. Events of undone links leave the change, so that each link is restored once,
 * whoever undoes the same change concurrently, and a repeated run continues.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { BulkId } from "../bulk-id.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { PART_OF_BULK } from "../../lib/event.ts";
import { NOBODY } from "../../lib/owner.ts";
import { type LinkChanges, type LinkTransaction, writeLinks } from "../write/changes.ts";
import { linkNotFound } from "../link/code.ts";
import { ownerNames } from "../link/owners.repository.ts";
import type { Gifts } from "../write/gifts.ts";
import type { FallbackLoops } from "../fallback/loops.ts";
import type { LinkRepository } from "../write/repository.ts";
import { readTagPart, type TagPart } from "../tags/tag-part.ts";
import type { PartTakenBack } from "./tag-back.ts";
import { type CheckedUpdate, type LinkWriter } from "../write/writer.ts";
import { reaches } from "../write/reach.ts";
import { type ChangeEvent, isGift, keyBefore, urlsBefore, wayBack } from "./way-back.ts";

export type BulkEvents = {
  /** Events not undone yet, by id, after one. */
  ofBulk(run: BulkId & { actor: string }, after: number, limit: number): Promise<BulkLinkEvent[]>;
  /** Number of its links that are not undone yet. */
  countOfBulk(run: BulkId & { actor: string }): Promise<number>;
  linksOfBulk(db: Db, run: BulkId, links: readonly number[]): Promise<ReadonlySet<number>>;
  /** Those that still belong to the change, locked until the transaction ends. */
  lockBulk(tx: Db, bulk: number, ids: readonly number[]): Promise<ReadonlySet<number>>;
  leaveBulk(tx: Db, ids: readonly number[]): Promise<void>;
};

type BulkLinkEvent = ChangeEvent & { id: number; action: string; subjectId: number | null };

export type TakenBack = PartTakenBack & {
  /** The event after which to continue; null at the end. */
  next: number | null;
};

type Deps = {
  events: BulkEvents;
  repository: Pick<LinkRepository, "lockIds" | "codesOf">;
  writer: Pick<LinkWriter, "updateIn">;
  /** Why some stay deleted, by id. */
  restoreManyIn(
    tx: LinkTransaction,
    wanted: { actor: Actor; at: number; ids: readonly number[] },
  ): Promise<ReadonlyMap<number, AppError>>;
  /** Of a change of a tag. */
  takePartBack(tx: LinkTransaction, part: TagPart): Promise<PartTakenBack>;
  gifts: Pick<Gifts, "owned">;
  domains: { key(code: string, host: string | null | undefined): string };
  loops: FallbackLoops;
  changes: LinkChanges;
  clock: Clock;
  actor: Actor;
};

const PORTION = 500;

type Refusals = ReadonlyMap<number, AppError>;
type OfLink = BulkLinkEvent & { subjectId: number };

export function createBulkUndo(deps: Deps) {
  const { events, repository, writer, domains, loops, gifts, clock, actor } = deps;
  const written = writeLinks(deps.changes);

  /** By id of the link. */
  async function loopsOf(found: readonly OfLink[]): Promise<Refusals> {
    const leading = found.flatMap((event) => {
      const urls = urlsBefore(event);
      return urls === null ? [] : [{ id: event.subjectId, urls, before: keyBefore(event, domains.key) }];
    });
    const refusals = new Map<number, AppError>();
    if (leading.length === 0) return refusals;
    const codes = await repository.codesOf(leading.map(({ id }) => id));
    for (const { id, urls, before } of leading) {
      const refusal = await loops.refusal(before ?? codes.get(id) ?? null, urls);
      if (refusal !== null) refusals.set(id, refusal);
    }
    return refusals;
  }

  async function changeBack(tx: LinkTransaction, found: readonly OfLink[], looping: Refusals) {
    const refusals = new Map<number, AppError>();
    const ids = found.map(({ subjectId }) => subjectId);
    const links = await repository.lockIds(tx.db, ids);
    const given = found.filter(isGift).flatMap(({ subjectId }) => links.get(subjectId)?.ownerId ?? []);
    const names = await ownerNames(tx.db, given);
    const changes: (CheckedUpdate & { id: number; owner?: string | null })[] = [];
    for (const event of found) {
      const { subjectId: id } = event;
      const link = links.get(id);
      const way = reaches(actor, link)
        ? (looping.get(id) ?? wayBack({ ...link, owner: nameOf(link, event, names) }, event, domains.key))
        : linkNotFound(event.subject);
      if (way instanceof AppError) refusals.set(id, way);
      else if (way !== null) changes.push({ id, ...way });
    }
    const updates = new Map<number, CheckedUpdate>();
    const owned = await gifts.owned(changes);
    for (const [at, { id, owner }] of changes.entries()) {
      const item = owned[at]!;
      if (item instanceof AppError) refusals.set(id, item);
      else {
        const { id: _, ownerId, ...change } = item;
        updates.set(id, { ...change, ownerId: owner === null ? null : ownerId });
      }
    }
    const outcomes = await writer.updateIn(tx, [...updates.values()], { actor, now: clock.now() });
    [...updates.keys()].forEach((id, at) => {
      const outcome = outcomes[at];
      if (outcome instanceof AppError) refusals.set(id, outcome);
    });
    return refusals;
  }

  /** One try is enough: links that stay do so for good. */
  async function partBack(bulk: number, { id, before }: BulkLinkEvent): Promise<PartTakenBack> {
    const part = readTagPart(before);
    return written(async (tx) => {
      if (!(await events.lockBulk(tx.db, bulk, [id])).has(id)) return { restored: 0, failed: [] };
      await events.leaveBulk(tx.db, [id]);
      return deps.takePartBack(tx, part);
    });
  }

  /** Undoes a portion of what the actor changed, after an event. */
  return async function takeBack({ at, bulk }: BulkId, after: number): Promise<TakenBack> {
    const run = { actor: actor.name, at, bulk };
    const [first, second] = await events.ofBulk(run, after, 2);
    if (first?.action === PART_OF_BULK) {
      return { ...(await partBack(bulk, first)), next: second === undefined ? null : first.id };
    }
    const found = first === undefined ? [] : await events.ofBulk(run, after, PORTION);
    const ofLinks = found.filter((event): event is OfLink => event.subjectId !== null);
    if (ofLinks.length === 0) return { restored: 0, failed: [], next: null };
    const looping = await loopsOf(ofLinks);
    const ids = ofLinks.map(({ id }) => id);
    const portion = await written(async (tx) => {
      const kept = await events.lockBulk(tx.db, bulk, ids);
      const open = ofLinks.filter(({ id }) => kept.has(id));
      const isDeletion = (event: OfLink): boolean => event.action.endsWith(".delete");
      const changed = open.filter((event) => !isDeletion(event));
      const deleted = open.filter(isDeletion).map(({ subjectId }) => subjectId);
      const refusals = new Map([
        ...(changed.length === 0 ? [] : await changeBack(tx, changed, looping)),
        ...(deleted.length === 0 ? [] : await deps.restoreManyIn(tx, { actor, at, ids: deleted })),
      ]);
      const back = open.filter(({ subjectId }) => !refusals.has(subjectId));
      await events.leaveBulk(
        tx.db,
        back.map(({ id }) => id),
      );
      const failed = open.flatMap(({ subject: code, subjectId }) => {
        const error = refusals.get(subjectId);
        return error === undefined ? [] : [{ code, error }];
      });
      return { restored: back.length, failed };
    });
    return { ...portion, next: found.length < PORTION ? null : found.at(-1)!.id };
  };
}

/** Where the event tells owners. */
const nameOf = (
  { ownerId }: { ownerId: number | null },
  event: OfLink,
  names: ReadonlyMap<number, string>,
) => (isGift(event) ? (names.get(ownerId ?? NOBODY) ?? null) : undefined);

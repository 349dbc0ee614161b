/**
 * Undoes a bulk change in portions of one transaction each. Its events say what was before. A link whose changed values
 * were changed again stays as it is. Events of undone links leave the change, so that each link is restored once,
 * whoever undoes the same change concurrently, and a repeated run continues.
 */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Db } from "../../platform/db/dialect.ts";
import { type Actor, mayChange, ownersReadBy } from "../../lib/actor.ts";
import type { BulkId, UndoProgress } from "../bulk-id.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { PART_OF_BULK } from "../../lib/event.ts";
import { NOBODY } from "../../lib/owner.ts";
import { type LinkChanges, writeLinks } from "../write/changes.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import { editorsOnly, linkNotFound, linkServesShare } from "../link/code.ts";
import { ownerNames, type Owners } from "../link/owners.repository.ts";
import { orRefusal } from "../write/batch.ts";
import type { FallbackLoops, LeadingUrls } from "../fallback/loops.ts";
import type { ExistingLink, LinkRepository } from "../write/repository.ts";
import { MOST_TAGS, readTagPart, sortedTags, type TagPart, tooManyTags } from "../tags/tag.ts";
import { takenDownRefusal } from "../write/allowed-targets.ts";
import { retagLinks } from "../write/retagging.ts";
import type { CheckedUpdate, LinkWriter } from "../write/writer.ts";
import { reaches } from "../write/plans.ts";
import { type RecordLinkEvents, wholeState } from "../link/events.ts";
import { codeOf } from "../link/key.ts";
import type { TagRepository } from "../tags/repository.ts";
import { isInternal } from "../link/internal-target.ts";
import { patchOfState } from "../history/history.ts";
import type { Rule } from "../rules/rule.ts";

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

export type RevertedPortion = RevertedPart & {
  /** The event after which to continue; null at the end. */
  next: number | null;
};

type Deps = {
  events: BulkEvents;
  repository: Pick<LinkRepository, "lockIds" | "codesOf">;
  writer: Pick<LinkWriter, "updateIn">;
  /** Why some stay deleted, by id. */
  restoreManyIn(
    tx: ChangeTransaction,
    request: { actor: Actor; by: string; at: number; ids: readonly number[] },
  ): Promise<ReadonlyMap<number, AppError>>;
  /** Notes what a portion did, in its transaction. */
  noteUndo(tx: Db, change: BulkId, progress: UndoProgress): Promise<void>;
  /** Reverts a part of a change of a tag. */
  revertTagPart(tx: ChangeTransaction, part: TagPart): Promise<RevertedPart>;
  owners: Pick<Owners, "newOwner">;
  domains: { key(code: string, host: string | null | undefined): string };
  loops: FallbackLoops;
  changes: LinkChanges;
  clock: Clock;
  actor: Actor;
  portion?: number;
};

const PORTION = 500;

type Refusals = ReadonlyMap<number, AppError>;
/** `was` and `is`: the states before and after. */
type OfLink = Pick<BulkLinkEvent, "id" | "action" | "subject"> & { subjectId: number; was: State; is: State };

export function createBulkUndo(deps: Deps) {
  const { events, repository, writer, domains, loops, owners, clock, actor } = deps;
  const most = deps.portion ?? PORTION;
  const written = writeLinks(deps.changes);

  /** Finds loops that reverting would make, by the id of the link. */
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

  async function withOwner({ owner, ...change }: RevertingChange): Promise<CheckedUpdate | AppError> {
    const ownerId = owner === null ? null : await orRefusal(() => owners.newOwner(actor, owner));
    return ownerId instanceof AppError ? ownerId : { ...change, ownerId };
  }

  async function revertChanges(tx: ChangeTransaction, found: readonly OfLink[], looping: Refusals) {
    const refusals = new Map<number, AppError>();
    const ids = found.map(({ subjectId }) => subjectId);
    const links = await repository.lockIds(tx.db, ids);
    const given = found.filter(changesOwner).flatMap(({ subjectId }) => links.get(subjectId)?.ownerId ?? []);
    const names = await ownerNames(tx.db, given);
    const updates = new Map<number, CheckedUpdate>();
    for (const event of found) {
      const { subjectId: id } = event;
      const link = links.get(id);
      const reverting = reaches(actor, link)
        ? (looping.get(id) ??
          revertingChange({ ...link, owner: nameOf(link, event, names) }, event, domains.key))
        : linkNotFound(event.subject);
      const change =
        reverting instanceof AppError || reverting === null ? reverting : await withOwner(reverting);
      if (change instanceof AppError) refusals.set(id, change);
      else if (change !== null) updates.set(id, change);
    }
    const outcomes = await writer.updateIn(tx, [...updates.values()], { actor, now: clock.now() });
    [...updates.keys()].forEach((id, at) => {
      const outcome = outcomes[at];
      if (outcome instanceof AppError) refusals.set(id, outcome);
    });
    return refusals;
  }

  /** One try is enough: links that stay do so for good. */
  async function revertPart(
    tx: ChangeTransaction,
    bulk: number,
    { id, before }: BulkLinkEvent,
  ): Promise<RevertedPart> {
    const part = readTagPart(before);
    if (!(await events.lockBulk(tx.db, bulk, [id])).has(id)) return { restored: 0, failed: [] };
    await events.leaveBulk(tx.db, [id]);
    return deps.revertTagPart(tx, part);
  }

  /** Undoes a portion of a change, after an event. @param by who made the change */
  return async function revertPortion(
    { at, bulk }: BulkId,
    after: number,
    by = actor.name,
  ): Promise<RevertedPortion> {
    const run = { actor: by, at, bulk };

    const noted = (next: number | null, revert: (tx: ChangeTransaction) => Promise<RevertedPart>) =>
      written(async (tx) => {
        const { restored, failed } = await revert(tx);
        await deps.noteUndo(tx.db, run, {
          after,
          next,
          restored,
          failed: failed.length,
          refusal: failed[0]?.error.message,
          by: actor.name,
          now: clock.now(),
        });
        return { restored, failed, next };
      });

    const [first, second] = await events.ofBulk(run, after, 2);
    if (first?.action === PART_OF_BULK) {
      return noted(second === undefined ? null : first.id, (tx) => revertPart(tx, bulk, first));
    }
    const found = first === undefined ? [] : await events.ofBulk(run, after, most);
    const ofLinks = found.flatMap((event) => ofLink(event) ?? []);
    if (ofLinks.length === 0) return noted(null, async () => ({ restored: 0, failed: [] }));
    const looping = await loopsOf(ofLinks);
    const ids = ofLinks.map(({ id }) => id);
    return noted(found.length < most ? null : found.at(-1)!.id, async (tx) => {
      const kept = await events.lockBulk(tx.db, bulk, ids);
      const open = ofLinks.filter(({ id }) => kept.has(id));
      const isDeletion = (event: OfLink): boolean => event.action.endsWith(".delete");
      const changed = open.filter((event) => !isDeletion(event));
      const deleted = open.filter(isDeletion).map(({ subjectId }) => subjectId);
      const refusals = new Map([
        ...(changed.length === 0 ? [] : await revertChanges(tx, changed, looping)),
        ...(deleted.length === 0 ? [] : await deps.restoreManyIn(tx, { actor, by, at, ids: deleted })),
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
  };
}

/** The name of the owner, if the event has owners. */
const nameOf = (
  { ownerId }: { ownerId: number | null },
  event: OfLink,
  names: ReadonlyMap<number, string>,
) => (changesOwner(event) ? (names.get(ownerId ?? NOBODY) ?? null) : undefined);

type TagPartDeps = {
  repository: Pick<LinkRepository, "lockIds" | "retag">;
  tags: Pick<TagRepository, "keysOf" | "touch">;
  record: RecordLinkEvents;
  clock: Clock;
  actor: Actor;
};

type RevertedPart = { restored: number; failed: { code: string; error: AppError }[] };

/**
 * Undoes a part of a change of a tag: each link gets the tag again and loses the one that replaced it. A link that has
 * since got the tag or lost its replacement stays as it is.
 */
export const revertTagPart =
  ({ repository, tags, record, clock, actor }: TagPartDeps) =>
  async (tx: ChangeTransaction, part: TagPart): Promise<RevertedPart> => {
    const retag = retagLinks({ repository, tags, record, clock, actor });
    const links = await repository.lockIds(tx.db, part.moved);
    const had = new Set(part.had);
    const back: { link: ExistingLink; after: readonly string[] }[] = [];
    const failed: RevertedPart["failed"] = [];
    const gone: number[] = [];
    for (const id of part.moved) {
      const link = links.get(id);
      if (!reaches(actor, link)) {
        gone.push(id);
        continue;
      }
      if (!mayChange(actor, link.ownerId)) {
        failed.push({ code: codeOf(link.code), error: editorsOnly(link.code) });
        continue;
      }
      const after = takenDownRefusal(link) ?? revertedTags(link, part, had.has(id));
      if (after instanceof AppError) failed.push({ code: codeOf(link.code), error: after });
      else back.push({ link, after });
    }
    await retag(tx.db, back);
    tx.changed("tags", [part.from, ...(part.to === null ? [] : [part.to])]);
    if (back.length > 0) await recordRestoration(tx.db, part, back.length);
    const keys =
      gone.length === 0 ? new Map<number, string>() : await tags.keysOf(tx.db, gone, ownersReadBy(actor));
    for (const id of gone) {
      const key = keys.get(id) ?? "";
      failed.push({ code: codeOf(key), error: linkNotFound(key) });
    }
    return { restored: back.length, failed };

    async function recordRestoration(db: Db, { from, to }: TagPart, count: number): Promise<void> {
      const states = { before: to === null ? null : { tag: to }, after: { tag: from, links: count } };
      await record(db, [{ at: clock.now(), actor, action: "tag.restore", subject: from, ...states }]);
    }
  };

function revertedTags({ code, tags }: ExistingLink, { from, to }: TagPart, hadBoth: boolean) {
  const loses = to !== null && !hadBoth;
  if (tags.includes(from) || (loses && !tags.includes(to))) return tagsChangedSince(code);
  const before = sortedTags([...tags.filter((tag) => !(loses && tag === to)), from]);
  return before.length > MOST_TAGS ? tooManyTags(codeOf(code)) : before;
}

const tagsChangedSince = (key: string): AppError =>
  appError("Conflict", `The tags of "${codeOf(key)}" have been changed since and stay as they are.`);

/** `before` and `after` are JSON of link/events.ts. */
type ChangeEvent = { subject: string; before: string | null; after: string | null };

const ofLink = ({ id, action, subject, subjectId, before, after }: BulkLinkEvent): OfLink | null =>
  subjectId === null ? null : { id, action, subject, subjectId, was: read(before), is: read(after) };

const shape = z.looseObject({
  tags: z.array(z.string()).default([]),
  code: z.string().optional(),
  domain: z.string().nullish(),
});
type State = z.output<typeof shape>;
const read = (json: string | null) => shape.parse(JSON.parse(json ?? "{}"));

/** @throws BadRequest for a host that is no domain any more */
type KeyOf = (code: string, host: string | null | undefined) => string;

/** `owner`: its name; null: none. */
type RevertingChange = CheckedUpdate & { owner?: string | null };

/** Fields that events of a change contain but that it did not change. */
const NEVER_REVERTED = ["code", "domain", "domain_id", "tags"];

/**
 * The change that restores the former state, its owner by name; null if nothing differs. Passwords stay, because events don't have them.
 */
function revertingChange(
  link: ExistingLink & { owner?: string | null | undefined },
  { subject, was, is }: OfLink,
  keyOf: KeyOf,
): RevertingChange | AppError | null {
  if (link.isInternal) return linkServesShare(link.code);
  const now: Record<string, unknown> = { ...wholeState(link) };
  const move = moveOf(was, is, keyOf);
  if (move instanceof AppError) return move;
  if (move !== null && link.code !== move.to) return changedSince(subject);
  const changed = Object.keys({ ...was, ...is }).filter(
    // The states of a moved link are whole.
    (name) => !NEVER_REVERTED.includes(name) && (move === null || !isDeepStrictEqual(was[name], is[name])),
  );
  const fields = changed.filter((name) => name !== "password");
  const added = is.tags.filter((tag) => !was.tags.includes(tag));
  const removed = was.tags.filter((tag) => !is.tags.includes(tag));
  const isKept =
    fields.every((name) => isDeepStrictEqual(now[name] ?? null, is[name] ?? null)) &&
    added.every((tag) => link.tags.includes(tag)) &&
    !removed.some((tag) => link.tags.includes(tag));
  if (!isKept) return changedSince(subject);
  if (move === null && fields.length + added.length + removed.length === 0) {
    return changed.length === 0 ? null : passwordStays(subject);
  }
  const before = Object.fromEntries(fields.map((name) => [name, was[name] ?? null]));
  const tags = [...link.tags.filter((tag) => !added.includes(tag)), ...removed].sort();
  const patch = patchOfState({ ...now, ...before, tags });
  return patch === null || isInternal(patch.target)
    ? changedSince(subject)
    : {
        code: link.code,
        ...patch,
        ...(move && { to: move.from }),
        ...(fields.includes("owner") && { owner: z.string().nullable().parse(before["owner"]) }),
      };
}

/** The keys between which a change moved a link, or null if it stayed. */
function moveOf(was: State, is: State, keyOf: KeyOf): { from: string; to: string } | AppError | null {
  if (was.code === undefined || is.code === undefined) return null;
  try {
    const [from, to] = [keyOf(was.code, was.domain), keyOf(is.code, is.domain)];
    return from === to ? null : { from, to };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** The key that a link had, if a change moved it. */
function keyBefore({ was, is }: OfLink, keyOf: KeyOf): string | null {
  const move = moveOf(was, is, keyOf);
  return move === null || move instanceof AppError ? null : move.from;
}

/** Whether the change gave the link to another owner. */
const changesOwner = ({ was, is }: OfLink): boolean => "owner" in was && was["owner"] !== is["owner"];

/** The URLs before a change, or null if it did not affect any. */
function urlsBefore({ was }: OfLink): LeadingUrls | null {
  const { target, fallback_url: fallback, rules } = was;
  const urls = {
    ...(typeof target === "string" && { target }),
    ...(typeof fallback === "string" && { fallbackUrl: fallback }),
    ...(Array.isArray(rules) && { rules: rules as Rule[] }),
  };
  return Object.keys(urls).length === 0 ? null : urls;
}

const changedSince = (code: string): AppError =>
  appError("Conflict", `"${code}" has been changed since and stays as it is.`);

const passwordStays = (code: string): AppError =>
  appError("Conflict", `The password of "${code}" stays, because the earlier one is not stored.`);

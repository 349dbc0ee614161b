/** Plans each write from the locked rows and the actor's permissions. */
import type { Db } from "../../platform/db/dialect.ts";
import { type Actor, mayChange, mayManage, mayRead } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import {
  linkAlreadyExists,
  codeTakenByAlias,
  codeTaken,
  linkNotFound,
  linkServesShare,
  codeRepeated,
  ownersOnly,
  editorsOnly,
} from "../link/code.ts";
import type { Link, LinkContent, LinkPatch } from "../link/link.ts";
import type { TagChange } from "../link/input.ts";
import { domainRefusal, type KeptDomains, type Moves } from "./moves.ts";
import { MOST_TAGS, tagsAfter, tooManyTags } from "../tags/tag.ts";
import { isInternal } from "../link/internal-target.ts";
import { type LinkOptions, readOptions, writeOptions } from "../link/field-values.ts";
import { changeEvents, isUnchanged, type ReviewVerb, type ServedFields } from "../link/events.ts";
import type { ExistingLink, NewLink } from "./repository.ts";
import { stillHeld, takenDownRefusal, type ValidateTargets } from "./allowed-targets.ts";
import { ownerNames } from "../link/owners.repository.ts";
import { servedRefusal } from "./served-links.ts";
import type { EventRecord } from "../../lib/event.ts";

/** With the password hashed. */
export type CheckedCreate = LinkContent & {
  /** Key; null: a random code. */
  code: string | null;
  domain: number;
  force: boolean;
  /** A link with this target alone will do; nothing else is set then. */
  reuse?: boolean;
  /** Absent: the actor, or the owner of a link that is overwritten. */
  ownerId?: number | undefined;
};

export type CheckedUpdate = Omit<LinkPatch, "options"> &
  Partial<TagChange> & {
    code: string;
    /** The new key; absent: it stays. The old code becomes free, or an alias with `keepOld`. */
    to?: string | undefined;
    keepOld?: boolean;
    /** What the target becomes, for a link that redirects. @throws AppError if it may not be that */
    retarget?: ((target: string) => string) | undefined;
    /** Only what changes. */
    options?: Partial<LinkOptions>;
    /** The new owner; null: none. */
    ownerId?: number | null | undefined;
  };

export type WrittenLink = Omit<NewLink, "clickCount" | "automatedClicks">;
/** `isUnchanged`: a bulk change left it as it was, because nothing differs. */
export type ChangedLink = WrittenLink & { id: number; isUnchanged?: true };
/** `isNew` false: it was overwritten. */
export type CreatedLink = ChangedLink & { isNew: boolean };

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

export type Stored = ReadonlyMap<string, ExistingLink>;

type Planning = Writing & { validateTargets: ValidateTargets };

type Owning = Pick<Link, "ownerId">;
/** Undefined while no owner changes, which events leave out. */
type NameOwner = (link: Owning) => string | null | undefined;

export async function namesOfOwners(
  db: Db,
  written: readonly (Owning & { code: string })[],
  existing: Stored,
): Promise<NameOwner> {
  const changed = written.filter(({ code, ownerId }) => existing.get(code)!.ownerId !== ownerId);
  if (changed.length === 0) return () => undefined;
  const ids = changed.flatMap(({ code, ownerId }) => [ownerId, existing.get(code)!.ownerId]);
  const names = await ownerNames(db, ids);
  return ({ ownerId }) => (ownerId === null ? null : (names.get(ownerId) ?? null));
}

export function planCreate(
  entries: readonly CheckedCreate[],
  chosen: ReadonlyMap<CheckedCreate, string>,
  existing: {
    links: Stored;
    aliases: ReadonlyMap<string, unknown>;
    domains: KeptDomains;
    /** Why entries are refused, by their index. */
    refusals: readonly (AppError | null)[];
  },
  by: Planning,
) {
  const { actor, now, validateTargets } = by;
  const claimed = new Set<string>();
  const inserts: NewLink[] = [];
  const overwrites: WrittenLink[] = [];
  const outcomes = entries.map((entry, at): WriteOutcome<WrittenLink> => {
    const code = entry.code ?? chosen.get(entry)!;
    const stored = existing.links.get(code);
    if (claimed.has(code)) return codeRepeated(code);
    if (existing.aliases.has(code)) return codeTakenByAlias(code);
    if (stored !== undefined && !(entry.force && mayChange(actor, stored.ownerId)))
      return entry.force || isInternal(entry.target) ? codeTaken(code) : linkAlreadyExists(code);
    if (stored?.isInternal) return linkServesShare(code);
    if (stored && givesAway(entry, stored) && !mayManage(actor, stored.ownerId)) return ownersOnly();
    const closed =
      stored === undefined ? domainRefusal(actor, existing.domains, entry.domain) : takenDownRefusal(stored);
    const refusal = existing.refusals[at] ?? closed;
    if (refusal) return refusal;
    const options = validateTargets(stored ?? null, stored ? stillHeld(stored, entry) : entry, by);
    if (options instanceof AppError) return options;
    const { code: _, domain: __, force: ___, reuse: ____, ownerId: given, ...content } = entry;
    const made = { createdAt: now, ownerId: given ?? actor.accountId, createdBy: actor.name };
    const { createdAt, createdBy } = stored ?? made;
    const ownerId = given ?? (stored ?? made).ownerId;
    const link = { ...content, options, code, createdAt, ownerId, createdBy, updatedAt: now };
    if (stored === undefined) inserts.push({ ...link, clickCount: 0, automatedClicks: 0 });
    else overwrites.push(link);
    claimed.add(code);
    return link;
  });
  return { outcomes, inserts, overwrites };
}

/** Whether a link gets another owner when an entry overwrites it. */
export const givesAway = ({ ownerId }: Pick<CheckedCreate, "ownerId">, stored: Owning): boolean =>
  ownerId !== undefined && ownerId !== stored.ownerId;

export function planUpdate(
  changes: readonly CheckedUpdate[],
  existing: Stored,
  by: Planning,
  refusals: ReadonlyMap<string, AppError>,
) {
  const { actor, now, serves, review, validateTargets } = by;
  const claimed = new Set<string>();
  const outcomes = changes.map((change): WriteOutcome<ChangedLink> => {
    const { code } = change;
    const stored = existing.get(code);
    if (!reaches(actor, stored)) return linkNotFound(code);
    if (!mayChange(actor, stored.ownerId)) return editorsOnly(code);
    if (stored.isInternal && serves === undefined && !review) return linkServesShare(code);
    if (change.ownerId !== undefined && change.ownerId !== stored.ownerId) {
      if (!mayManage(actor, stored.ownerId)) return ownersOnly();
      if (stored.isInternal && serves === undefined) return linkServesShare(code);
    }
    if (claimed.has(code)) return codeRepeated(code);
    const refusal = refusals.get(code) ?? (review?.refusal ?? takenDownRefusal)(stored);
    if (refusal) return refusal;
    const tags = tagsAfter(stored.tags, change);
    if (tags.length > MOST_TAGS) return tooManyTags(code);
    const { isInternal: _, ...before } = stored;
    const target = retargeted(change, before.target);
    if (target instanceof AppError) return target;
    const changed = { ...before, ...changesOf(change, before), ...(target !== undefined && { target }) };
    const options = review ? changed.options : validateTargets(before, changed, by);
    if (options instanceof AppError) return options;
    const isMoved = changed.target !== before.target;
    const link = { ...changed, options, tags, updatedAt: now, ...(isMoved && { deadSince: null }) };
    claimed.add(code);
    const isKept = (change.to ?? code) === code && link.ownerId === before.ownerId;
    return by.bulk !== undefined && isKept && isUnchanged(before, link)
      ? { ...before, isUnchanged: true }
      : link;
  });
  const overwrites = outcomes.filter(
    (outcome): outcome is ChangedLink => !(outcome instanceof AppError) && !outcome.isUnchanged,
  );
  return { outcomes, overwrites };
}

function retargeted({ retarget }: CheckedUpdate, before: string): string | AppError | undefined {
  try {
    return retarget?.(before);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function changesOf(
  change: CheckedUpdate,
  before: LinkContent,
): Partial<LinkContent & { ownerId: number | null }> {
  const { options, addTags: _, removeTags: __, to: ___, keepOld: ____, retarget: _____, ...rest } = change;
  const defined = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(defined),
    ...(options && { options: writeOptions({ ...readOptions(before.options), ...options }) }),
  };
}

type Owned = Pick<Link, "id" | "code" | "ownerId" | "options">;

/** Which links an actor may see and change. */
export const reaches = <L extends Pick<Link, "ownerId">>(actor: Actor, link: L | undefined): link is L =>
  link !== undefined && mayRead(actor, link.ownerId);

/** @param filesOwners of links that serve files, by id. Per code: itself, or why it may not be removed. */
export function planRemoval(
  codes: readonly string[],
  existing: ReadonlyMap<string, Owned>,
  actor: Actor,
  filesOwners: ReadonlyMap<number, number>,
): (string | AppError)[] {
  const claimed = new Set<string>();
  const servedBy = ({ id, code }: Owned) => servedRefusal(actor, code, filesOwners.get(id));
  return codes.map((code) => {
    const stored = existing.get(code);
    if (!reaches(actor, stored)) return linkNotFound(code);
    if (!mayChange(actor, stored.ownerId)) return editorsOnly(code);
    if (claimed.has(code)) return codeRepeated(code);
    const takenDown = takenDownRefusal(stored);
    // Administrators delete what they took down.
    const refusal = actor.ownOnly || takenDown === null ? (takenDown ?? servedBy(stored)) : null;
    if (refusal !== null) return refusal;
    claimed.add(code);
    return code;
  });
}

/** The links that `still` names, now that they are locked. */
export async function among(db: Db, existing: Stored, { still }: Pick<Writing, "still">): Promise<Stored> {
  if (still === undefined || existing.size === 0) return existing;
  const kept = await still(db, [...existing.keys()]);
  return new Map([...existing].filter(([code]) => kept.has(code)));
}

/** @param moves by the old keys  @param named the names of owners, where they change */
export const overwriteEvents = (
  overwrites: readonly WrittenLink[],
  existing: Stored,
  by: Writing,
  { moves, named }: { moves?: Moves; named?: NameOwner } = {},
): EventRecord[] =>
  overwrites.flatMap((written) => {
    const stored = existing.get(written.code)!;
    const before = { ...stored, owner: named?.(stored), serves: by.serves?.before };
    const after = {
      ...written,
      owner: named?.(written),
      serves: by.serves?.after,
      code: moves?.get(written.code)?.to ?? written.code,
    };
    return changeEvents({ ...by, verb: by.review?.verb ?? "update" }, { id: before.id, before, after });
  });

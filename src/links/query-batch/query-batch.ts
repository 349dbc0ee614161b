/**
 * Deletes or changes what a filter finds, in portions of one transaction each. Each link is tested again once it is
 * locked, so links that a concurrent writer moved out of the filter stay, and so do new ones. A run that ends early has
 * handled some links; a repeated one continues. Calls may be parts of one change, which changes no link twice, so that
 * a call whose response is lost can be repeated.
 */
import { z } from "zod";
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import { type BulkId, bulkText, newBulk, parseBulkId } from "../bulk-id.ts";
import type { Clock } from "../../lib/clock.ts";
import { given } from "../../lib/given.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { MOST_ITEMS } from "../write/batch.ts";
import { isCodeText } from "../link/code.ts";
import type { FallbackLoops } from "../fallback/loops.ts";
import {
  type LinkUpdateInput,
  parseLinkUpdate,
  parseTarget,
  parseTagChange,
  type TagChange,
  type TargetRule,
} from "../link/input.ts";
import { namedSchema, patchSchema, updateItemSchema } from "../link/link.ts";
import { retargetBy, retargeting } from "./retargeting.ts";
import { codeOf } from "../link/key.ts";
import type { Owners } from "../link/owners.repository.ts";
import { readOptions } from "../link/field-values.ts";
import type { LinkRepository } from "../write/repository.ts";
import {
  type DomainFilter,
  filterFor,
  filterOf,
  filterQuery,
  isEverything,
  type LinkFilter,
} from "../list/filter.ts";
import type { LinkList } from "../list/list.ts";
import type { FoundKey, LinkListRepository } from "../list/repository.ts";
import type { ChangedLink } from "../write/plans.ts";
import type { LinkWriter, WriteOutcome, Writing } from "../write/writer.ts";
import { cursorText, placeOf } from "../../lib/cursor.ts";
import { foundInChunks } from "../../lib/chunked.ts";
import type { Extent } from "../../platform/db/queries.ts";

const MOST_CHARACTERS = 200;
export const bulkField = z
  .string()
  .min(1)
  .max(MOST_CHARACTERS)
  .describe("`change` of the response to the change");

/** Where a call ended: the range of links that remain. */
type BulkPlace = BulkId & { from: number; to: number };

const linkId = z.int().min(0);
const placeShape = z.object({ at: z.int(), bulk: linkId, from: linkId, to: linkId });

const bulkCursor = z.string().max(MOST_CHARACTERS);

export const bulkCursorText = (at: BulkPlace): string => cursorText(at);

/** Parses a cursor; null for the first call. @throws BadRequest */
export const bulkPlaceOf = (cursor: string | undefined): BulkPlace | null =>
  placeOf(placeShape, cursor, "cursor: send `next` of the previous response unchanged.");

const flag = z.boolean().optional();

/** Strict: a misspelt condition would match more links than meant. */
const filterBody = z.strictObject({
  ...filterQuery.shape,
  only_expired: flag,
  only_active: flag,
  only_dead: flag,
  owner: filterQuery.shape.owner
    .or(z.int().min(0))
    .describe("name of an account, or team:{name}; also the id of an account"),
  tag: filterQuery.shape.tag.or(z.string()).describe("links that have all of these tags"),
  not_tag: filterQuery.shape.not_tag.or(z.string()).describe("links that have none of these tags"),
  codes: z
    .array(z.union([namedSchema.shape.code, namedSchema]))
    .min(1)
    .max(MOST_ITEMS)
    .optional()
    .describe(
      "only these links; a code without a domain is of the filter's `domain`, with `*` of every domain, else of the default one",
    ),
});

const setBody = updateItemSchema.shape.payload
  .extend({ domain: patchSchema.shape.domain, ...retargeting })
  .partial({ target: true })
  .strict();

export const queryBatchSchema = z.object({
  filter: filterBody.describe("as in lists; an empty filter needs confirm"),
  action: z.enum(["delete", "update"]),
  set: setBody.optional().describe("for update: the changes"),
  dry_run: z
    .boolean()
    .optional()
    .describe("true: only count; with change: also what that change has changed so far"),
  confirm: z.string().optional().describe('"all" for an empty filter'),
  limit: z.int().min(1).optional().describe("most links that this call handles; default: all"),
  change: bulkField
    .optional()
    .describe("`change` of a response of the last day, which this call continues; a cursor does so too"),
  cursor: bulkCursor
    .optional()
    .describe("`next` of the previous response; the rest of the body must be the same"),
});
export type QueryBatchInput = z.output<typeof queryBatchSchema>;

export const queryBatchResult = z.object({
  matched: z.int().describe("links that the filter found"),
  changed: z
    .int()
    .describe(
      "links deleted or changed, never shares of others, nor links that are so already; in a dry run 0, or with change what it has changed so far",
    ),
  first_error: z.string().optional().describe("why the first link that was not changed was left as it is"),
  change: z.string().optional().describe("for POST /links/batch/undo; absent if nothing changed"),
  next: z
    .string()
    .optional()
    .describe("with a limit: cursor of the next call; absent when all links are handled"),
});
export type QueryBatchResult = z.output<typeof queryBatchResult>;

const PORTION = 500;
/** Codes times domains. */
const MOST_KEYS = 10_000;
/** Longest time of a change in several calls. */
const LONGEST_MS = 86_400_000;
/** Passes every check. Never stored. */
const PLACEHOLDER = "http://localhost/";

type Deps = {
  repository: FoundRepository & Pick<LinkListRepository, "stillMatching">;
  links: Pick<LinkRepository, "find">;
  list: Pick<LinkList, "total">;
  writer: Pick<LinkWriter, "update" | "remove">;
  loops: FallbackLoops;
  owners: Owners;
  domains: {
    filterOf: DomainFilter;
    key(code: string, host: string | null | undefined): string;
    list(): readonly { host: string }[];
  };
  /** Changes of an account. */
  events: {
    ofBulk(run: BulkId & { actor: string }, after: number, limit: number): Promise<unknown[]>;
    countOfBulk(run: BulkId & { actor: string }): Promise<number>;
    linksOfBulk(db: Db, run: BulkId, links: readonly number[]): Promise<ReadonlySet<number>>;
  };
  hashPassword(plain: string): Promise<string>;
  rule: TargetRule;
  clock: Clock;
  actor: Actor;
  portion?: number;
};

type Written = string | Pick<ChangedLink, "isUnchanged">;
type Write = (codes: readonly string[], by: Writing) => Promise<WriteOutcome<Written>[]>;

const isUnchanged = (outcome: Written): boolean =>
  typeof outcome === "object" && outcome.isUnchanged === true;

export function createQueryBatch(deps: Deps) {
  const { repository, list, writer, owners, domains, events, clock, actor } = deps;

  /** Anybody can write a cursor or name a change, and events must not be dated back at will. */
  async function isOwn({ at, bulk }: BulkId): Promise<boolean> {
    const age = clock.now() - at;
    if (age < 0 || age > LONGEST_MS) return false;
    return (await events.ofBulk({ actor: actor.name, at, bulk }, 0, 1)).length > 0;
  }

  /** @throws BadRequest, and what the parts of `set` throw */
  return async function run(input: QueryBatchInput, signal?: AbortSignal): Promise<QueryBatchResult> {
    const place = bulkPlaceOf(input.cursor);
    // Calls that follow one another are one change.
    const joined = place ?? (input.change === undefined ? null : parseBulkId(input.change));
    const goesOn = joined !== null && (await isOwn(joined));
    const { at: now, bulk } = goesOn ? joined : { at: clock.now(), bulk: newBulk() };
    const { codes, domain } = input.filter;
    const requested = filterOf(await owners.resolved(queryOf(input.filter)), now, domains.filterOf);
    const replaced = input.set?.replace_in_target?.text;
    const filter = filterFor(
      actor,
      replaced ? { ...requested, target: requested.target ?? replaced } : requested,
      true,
    );
    if (input.action === "delete" && input.set !== undefined) {
      throw appError("BadRequest", "set is for updates only; leave it out to delete.");
    }
    const write: Write = input.action === "delete" ? writer.remove : await updating(deps, input.set, now);
    const found = await createFoundKeys(repository, filter, keysOf(input.filter, domains));
    if (input.dry_run) {
      return {
        matched: await (codes === undefined ? list.total(filter) : countAmong(found)),
        changed: goesOn ? await events.countOfBulk({ actor: actor.name, at: now, bulk }) : 0,
      };
    }
    const isOfSome = codes !== undefined || !["", "*", undefined].includes(domain);
    if (isEverything({ ...requested, domain: null }) && !isOfSome && input.confirm !== "all") {
      throw appError("BadRequest", 'An empty filter matches every link; confirm it with "confirm": "all".');
    }
    const result: QueryBatchResult = { matched: 0, changed: 0 };
    const all = place ?? (await found.extent());
    let { from, to } = all ?? { from: 1, to: 0 };
    for (let left = input.limit ?? Number.POSITIVE_INFINITY; from <= to && !signal?.aborted; ) {
      if (left === 0) {
        result.next = bulkCursorText({ at: now, bulk, from, to });
        break;
      }
      const start = performance.now();
      const portion = await found.portion({ from, to }, Math.min(left, deps.portion ?? PORTION));
      from = portion.from;
      left -= portion.keys.length;
      const ids = new Map(portion.keys.map(({ id, code }) => [code, id]));
      /** Changed by an earlier call, whose response may be lost. */
      let done: ReadonlySet<number> = new Set();
      const still: Writing["still"] = async (db, among) => {
        const kept = await repository.stillMatching(filter, among, db);
        if (goesOn) done = await events.linksOfBulk(db, { at: now, bulk }, [...ids.values()]);
        return new Set([...kept].filter((code) => !done.has(ids.get(code)!)));
      };
      const outcomes =
        portion.keys.length === 0 ? [] : await write([...ids.keys()], { actor, now, bulk, still });
      for (const [at, outcome] of outcomes.entries()) {
        const isDone = done.has(portion.keys[at]!.id);
        const isGone = outcome instanceof AppError && outcome.name === "LinkNotFound";
        if (!isGone || isDone) result.matched++;
        if (isDone || !(outcome instanceof AppError || isUnchanged(outcome))) result.changed++;
        else if (outcome instanceof AppError && !isGone) result.first_error ??= outcome.message;
      }
      // Leaves half of the time to others.
      await Bun.sleep(performance.now() - start);
    }
    return { ...result, ...(result.changed > 0 && { change: bulkText({ at: now, bulk }) }) };
  };
}

/** What an update writes. @throws BadRequest, and what the parts of `set` throw */
async function updating(deps: Deps, set: QueryBatchInput["set"], now: number): Promise<Write> {
  const { links, writer, rule, loops, owners, domains, actor } = deps;
  if (set === undefined || Object.keys(set).length === 0) {
    throw appError("BadRequest", "set is required for an update: name what changes.");
  }
  const { domain, owner, replace_in_target: replacing, utm, ...fields } = set;
  const changedTarget = retargetBy({ replacing, utm });
  const retarget = changedTarget && ((target: string) => parseTarget(changedTarget(target), rule));
  if (retarget !== undefined && set.target !== undefined) {
    throw appError("BadRequest", "target excludes replace_in_target and utm; give one of them.");
  }
  const ownerId = await owners.newOwner(actor, owner);
  const checked = parseLinkUpdate({ ...fields, target: fields.target ?? PLACEHOLDER }, rule, now);
  const { password, target, ...rest } = {
    ...checked,
    ...parseTagChange(fields),
  } satisfies LinkUpdateInput & TagChange;
  /** The link's new key. @throws BadRequest for an unknown host */
  const newKeyOf = (code: string): string =>
    domain === undefined ? code : domains.key(codeOf(code), domain);
  newKeyOf(PLACEHOLDER);
  /** Whatever leads to the new key leads to this link. */
  async function loopOf(code: string): Promise<AppError | null> {
    const to = newKeyOf(code);
    const stored = to === code && retarget === undefined ? null : await links.find(code);
    const kept = stored && to !== code && { target: stored.target, ...readOptions(stored.options) };
    // A target that is no URL is refused in the transaction.
    const leadsTo = (stored && changedTarget?.(stored.target)) ?? change.target;
    const urls = { ...kept, ...given({ target: leadsTo, ...change.options }) };
    return (await loops.refusal(to, urls)) ?? (to === code ? null : loops.refusal(code, urls));
  }
  const change = {
    ...rest,
    ownerId,
    target: set.target === undefined ? undefined : target,
    passwordHash: typeof password === "string" ? await deps.hashPassword(password) : password,
  };
  return async (codes, by) => {
    const outcomes = new Map<string, WriteOutcome<Written>>();
    for (const code of codes) {
      const refusal = await loopOf(code);
      if (refusal !== null) outcomes.set(code, refusal);
    }
    const fine = codes.filter((code) => !outcomes.has(code));
    const written = await writer.update(
      fine.map((code) => ({
        ...change,
        retarget,
        code,
        ...(domain !== undefined && { to: newKeyOf(code) }),
      })),
      by,
    );
    fine.forEach((code, at) => outcomes.set(code, written[at]!));
    return codes.map((code) => outcomes.get(code)!);
  };
}

/** As in the address of a list. */
function queryOf({
  only_expired,
  only_active,
  only_dead,
  owner,
  tag,
  not_tag: notTag,
  codes,
  ...conditions
}: QueryBatchInput["filter"]) {
  return {
    ...(codes !== undefined && { domain: "*" }),
    ...conditions,
    ...(only_expired && { only_expired: "true" }),
    ...(only_active && { only_active: "true" }),
    ...(only_dead && { only_dead: "true" }),
    ...(owner !== undefined && { owner: String(owner) }),
    tag: typeof tag === "string" ? [tag] : tag,
    not_tag: typeof notTag === "string" ? [notTag] : notTag,
  };
}

/** Null for links of all codes. @throws BadRequest for an unknown host, and for many codes on many domains */
function keysOf(
  { codes, domain: inFilter }: QueryBatchInput["filter"],
  domains: Deps["domains"],
): string[] | null {
  if (codes === undefined) return null;
  const hosts = inFilter === "*" ? [null, ...domains.list().map(({ host }) => host)] : [inFilter];
  const named = codes
    .map((one) => (typeof one === "string" ? { code: one, domain: undefined } : one))
    .filter(({ code }) => isCodeText(code));
  if (hosts.length > 1 && named.length * hosts.length > MOST_KEYS) {
    throw appError("BadRequest", "There are too many domains for so many codes; name one domain.", {
      field: "filter.domain",
    });
  }
  return named.flatMap(({ code, domain }) =>
    (domain === undefined ? hosts : [domain]).map((host) => domains.key(code, host)),
  );
}

type FoundRepository = Pick<LinkListRepository, "keysWithin" | "keysAmong" | "idsOfCodes" | "extent">;

/** `from`: the id to continue with; beyond the range at its end. */
type Portion = { keys: FoundKey[]; from: number };

type FoundKeys = {
  /** The range of ids, or null without links. */
  extent(): Promise<Extent | null>;
  /** At most `most` ≤ 1,000. */
  portion(range: Extent, most: number): Promise<Portion>;
};

const CHUNK = 1_000;

/** Finds the links that a call handles in portions, by id. @param codes keys of the only links to find; null: all */
async function createFoundKeys(
  repository: FoundRepository,
  filter: LinkFilter,
  codes: readonly string[] | null,
): Promise<FoundKeys> {
  if (codes === null) {
    return {
      extent: repository.extent,
      async portion(range, most) {
        const keys = await repository.keysWithin(filter, range, most);
        return { keys, from: keys.length < most ? range.to + 1 : keys.at(-1)!.id + 1 };
      },
    };
  }
  const ids = await foundInChunks([...new Set(codes)], CHUNK, repository.idsOfCodes);
  ids.sort((a, b) => a - b);
  return {
    extent: async () => (ids.length === 0 ? null : { from: ids[0]!, to: ids.at(-1)! }),
    async portion({ from, to }, most) {
      const some = ids.filter((id) => id >= from && id <= to).slice(0, most);
      const keys = some.length === 0 ? [] : await repository.keysAmong(filter, some);
      return { keys, from: some.length < most ? to + 1 : some.at(-1)! + 1 };
    },
  };
}

async function countAmong(found: FoundKeys): Promise<number> {
  const range = await found.extent();
  let count = 0;
  for (let from = range?.from ?? 1; range !== null && from <= range.to; ) {
    const portion = await found.portion({ from, to: range.to }, CHUNK);
    count += portion.keys.length;
    from = portion.from;
  }
  return count;
}

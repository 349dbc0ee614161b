/** Conditions and locks of a change: checked before its body is read, and in its transaction, which holds the tree. */
import type { Db } from "../../platform/db/dialect.ts";
import { isNotModified, isPreconditionFailed } from "../../lib/conditional-request.ts";
import { appError } from "../../lib/errors.ts";
import { beforeFirstWrite } from "../../lib/first-write.ts";
import type { AccountTree } from "../../files/tree/account-tree.ts";
import { type Entry, MOST_LEVELS, validatorsOf } from "../../files/tree/entry.ts";
import { covers, type DavLocks, type Holder, type Reach, requireTokens } from "./locks.ts";
import { type DavPlace, namesIn, nothing, pathOf, readAddress, type Spot, type SpotOf } from "./places.ts";

/** The token of a lock, or an ETag with its quotes. */
type Condition = { isNot: boolean; value: string };
/** `resource`: an address; null is that of the request. */
type ConditionList = { resource: string | null; conditions: Condition[] };

const MOST_PARTS = 200;
/** Clients name the source and the destination. */
const MOST_RESOURCES = 4;
/** Each level of a resource is a query: two of the deepest ones, and their hosts and prefixes. */
const MOST_LEVELS_TOGETHER = 2 * MOST_LEVELS + 20;
const PART = /[()]|<[^<>]*>|\[(?:W\/)?"[^"]*"\]|Not\b/g;
/** The order in which parts follow each other, by their first characters. */
const GRAMMAR = /^(?:<?\((?:N?[<[])+\))+$/;

/** @throws BadRequest */
export function readIf(header = ""): ConditionList[] {
  const parts = header.match(PART) ?? [];
  const isRead = header.replace(PART, "").trim() === "" && parts.length <= MOST_PARTS;
  const isEmpty = header.trim() === "";
  if (!isRead || !(isEmpty || GRAMMAR.test(parts.map(([first]) => first).join("")))) {
    throw appError("BadRequest", "The header If is malformed.");
  }
  const lists: ConditionList[] = [];
  let resource: string | null = null;
  let open: Condition[] | null = null;
  let isNot = false;
  for (const part of parts) {
    const value = part.slice(1, -1);
    if (part === "(") lists.push({ resource, conditions: (open = []) });
    else if (part === ")") open = null;
    else if (part === "Not") isNot = true;
    else if (open === null) resource = value;
    else isNot = !open.push({ isNot, value });
  }
  const resources = [...new Set(lists.map((list) => list.resource ?? ""))].filter(Boolean);
  const levels = resources.join("").split("/").length;
  if (resources.length > MOST_RESOURCES || levels > MOST_LEVELS_TOGETHER) {
    throw appError(
      "BadRequest",
      `The header If names more than ${MOST_RESOURCES} resources, or too deep ones.`,
    );
  }
  return lists;
}

/** What the client shows, wherever it stands. */
export const tokensOf = (lists: readonly ConditionList[]): Set<string> =>
  new Set(lists.flatMap(({ conditions }) => conditions.map(({ value }) => value)));

/** `stateOf` has the tokens and the ETag of a resource, and is called once for each. */
export async function holds(
  lists: readonly ConditionList[],
  stateOf: (resource: string | null) => Promise<ReadonlySet<string>>,
): Promise<boolean> {
  const states = new Map<string | null, ReadonlySet<string>>();
  for (const { resource, conditions } of lists) {
    const state = states.get(resource) ?? (await stateOf(resource));
    states.set(resource, state);
    if (conditions.every(({ isNot, value }) => state.has(value) !== isNot)) return true;
  }
  return lists.length === 0;
}

export type DavChange = Holder & {
  place: DavPlace;
  header(name: string): string | undefined;
  conditions: readonly ConditionList[];
};

/**
 * `finish` runs what writes, with the checks and the plan at the start of its transaction. `reverted` is called if
 * nothing has been committed.
 */
export type Checked = Spot & {
  finish<R>(write: () => Promise<R>, reverted?: () => Promise<unknown>): Promise<R>;
};
export type DavPlan = (tx: Db) => Promise<unknown>;

type Deps = { tree: AccountTree; spotOf: SpotOf; locks: DavLocks };

export function createChecked({ tree, spotOf, locks }: Deps) {
  async function check(change: DavChange, reach: Reach, db?: Db): Promise<Spot> {
    const { place, header } = change;
    const spot = await spotOf(place, db);
    const held = await locks.of(place.tree, db);
    const stateOf = async (resource: string | null) => {
      const names = resource === null ? place.names : namesIn(readAddress(resource, "If"), place.root);
      if (names === null || !isInside(place, names)) return new Set<string>();
      const { entry } = resource === null ? spot : await spotOf({ ...place, names }, db);
      const around = held.filter((lock) => covers(lock, pathOf({ names })));
      return new Set([...around.map(({ token }) => token), ...(entry ? [validatorsOf(entry).etag] : [])]);
    };
    if (!(await holds(change.conditions, stateOf))) throw failed("The header If does not hold.");
    requireMatch(header, spot.entry);
    const isNew = spot.entry === null && reach === "self";
    requireTokens(held, pathOf(place), isNew ? "member" : reach, change);
    return spot;
  }

  /** @throws PreconditionFailed, 423 */
  return async (change: DavChange, reach: Reach, plan?: DavPlan): Promise<Checked> => {
    const before = async (tx: unknown): Promise<void> => {
      await tree.lock(tx as Db, change.place.tree);
      await check(change, reach, tx as Db);
      await plan?.(tx as Db);
    };
    const spot = await check(change, reach);
    return {
      ...spot,
      async finish(write, reverted) {
        const { result, isCommitted } = beforeFirstWrite(before, write);
        try {
          return await result;
        } catch (error) {
          if (!isCommitted()) await reverted?.();
          throw error;
        }
      },
    };
  };
}

/** False outside of the folder to which an API token is bound: nothing is told of what is there. */
const isInside = ({ names: own, fixed = 0 }: DavPlace, names: readonly string[]): boolean =>
  own.slice(0, fixed).every((name, at) => names[at] === name);

/** @throws PreconditionFailed */
function requireMatch(header: DavChange["header"], entry: Entry | null): void {
  const ofWrites = (name: string) => (name === "If-Modified-Since" ? undefined : header(name));
  const isOther =
    entry === null
      ? header("If-Match") !== undefined
      : isPreconditionFailed(header, validatorsOf(entry)) || isNotModified(ofWrites, validatorsOf(entry));
  if (isOther) throw failed("It is not as If-Match, If-None-Match or If-Unmodified-Since says.");
}

export const failed = (message: string) => appError("PreconditionFailed", message);

/** @throws FileNotFound */
export function there(entry: Entry | null): Entry {
  if (entry !== null) return entry;
  throw nothing();
}

/** @throws Conflict */
export function existing(parentId: number | null): number {
  if (parentId !== null) return parentId;
  throw appError("Conflict", "There is no such folder. Make it first.");
}

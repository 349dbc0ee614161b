/** The header If (RFC 4918, section 10.4): lists of conditions, of which one list must hold. */
import { appError } from "../../lib/errors.ts";

/** The token of a lock, or an ETag with its quotes. */
type Condition = { isNot: boolean; value: string };
/** `resource`: an address; null is that of the request. */
export type ConditionList = { resource: string | null; conditions: Condition[] };

const MOST_PARTS = 200;
const PART = /[()]|<[^<>]*>|\[(?:W\/)?"[^"]*"\]|Not\b/g;
/** Of the first characters of the parts. */
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
  return lists;
}

/** What the client shows, wherever it stands. */
export const tokensOf = (lists: readonly ConditionList[]): Set<string> =>
  new Set(lists.flatMap(({ conditions }) => conditions.map(({ value }) => value)));

/** `stateOf` has the tokens and the ETag of a resource, and is asked once per list. */
export async function holds(
  lists: readonly ConditionList[],
  stateOf: (resource: string | null) => Promise<ReadonlySet<string>>,
): Promise<boolean> {
  for (const { resource, conditions } of lists) {
    const state = await stateOf(resource);
    if (conditions.every(({ isNot, value }) => state.has(value) !== isNot)) return true;
  }
  return lists.length === 0;
}

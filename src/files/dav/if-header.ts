/** The header If (RFC 4918, section 10.4): lists of conditions, of which one list must hold. */
import { appError } from "../../lib/errors.ts";

export type Condition = { isNot: boolean; kind: "token" | "etag"; value: string };
/** `resource`: an address; null is that of the request. */
export type ConditionList = { resource: string | null; conditions: Condition[] };

const MOST_CONDITIONS = 50;
const PART = /\s*(?:([()])|<([^<>]*)>|\[((?:W\/)?"[^"]*")\]|(Not)\b)/y;

/** @throws BadRequest */
export function readIf(header: string | undefined): ConditionList[] {
  const lists: ConditionList[] = [];
  const text = header?.trim() ?? "";
  let resource: string | null = null;
  let open: ConditionList | null = null;
  let isNot = false;
  let count = 0;
  PART.lastIndex = 0;
  for (let at = 0; at < text.length; at = PART.lastIndex) {
    PART.lastIndex = at;
    const [, bracket, uri, etag, not] = PART.exec(text) ?? refuse();
    if (bracket === "(" && open === null) {
      lists.push((open = { resource, conditions: [] }));
    } else if (bracket === ")" && open !== null && open.conditions.length > 0 && !isNot) {
      open = null;
    } else if (uri !== undefined && open === null) {
      resource = uri;
    } else if (open !== null && not !== undefined && !isNot) {
      isNot = true;
    } else if (open !== null && bracket === undefined && not === undefined && ++count <= MOST_CONDITIONS) {
      const value = uri ?? etag!;
      open.conditions.push({ isNot, kind: uri === undefined ? "etag" : "token", value });
      isNot = false;
    } else refuse();
  }
  if (open !== null || (text !== "" && lists.length === 0)) refuse();
  return lists;
}

/** Tokens that the client shows, wherever they stand. */
export const tokensOf = (lists: readonly ConditionList[]): Set<string> =>
  new Set(
    lists.flatMap(({ conditions }) =>
      conditions.flatMap(({ kind, value }) => (kind === "token" ? value : [])),
    ),
  );

export type ResourceState = { tokens: ReadonlySet<string>; etag: string | null };

/** `stateOf` is asked once per list. */
export async function holds(
  lists: readonly ConditionList[],
  stateOf: (resource: string | null) => Promise<ResourceState>,
): Promise<boolean> {
  for (const { resource, conditions } of lists) {
    const { tokens, etag } = await stateOf(resource);
    const isMet = ({ isNot, kind, value }: Condition) =>
      (kind === "token" ? tokens.has(value) : value === etag) !== isNot;
    if (conditions.every(isMet)) return true;
  }
  return lists.length === 0;
}

function refuse(): never {
  throw appError("BadRequest", "The header If is malformed.");
}

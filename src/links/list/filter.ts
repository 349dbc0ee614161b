import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type Actor, mayChange, ownersReadBy } from "../../lib/actor.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { NOBODY } from "../../lib/owner.ts";
import { flag, isSet, queryChoice, queryText } from "../../lib/query-text.ts";
import { parseRfc3339 } from "../../lib/rfc3339.ts";
import { HELD_STATES, type HeldState } from "../link/held.ts";
import { checkTags, tagList } from "../tags/tag.ts";

const SEARCH_MAX_LENGTH = 512;
const MOST_OF_NAME = 100;

export type LinkFilter = {
  /** Ignores case; null: any. */
  search: string | null;
  /** Inclusive, epoch milliseconds; null: no bound. */
  createdAfter: number | null;
  createdBefore: number | null;
  /** Its id; null: every domain. */
  domain: number | null;
  /** Links of these accounts and teams; null: of all. */
  owners: readonly number[] | null;
  /** At `asOf`; null: both. */
  state: "active" | "expired" | null;
  asOf: number;
  /** Links in this state of review; null: all. */
  held: HeldState | null;
  /** Only links whose target is dead. */
  dead: boolean;
  /** A link must have all. Queries start with the first one: see list.ts. */
  tags: readonly string[];
  /** A link may have none of these. */
  notTags: readonly string[];
  /** Not the links of this account or team; null: of any. */
  notOwner: number | null;
  /** Text in the target, which is searched too; null: any. */
  target: string | null;
  /** Text that the target lacks; null: any. */
  notTarget: string | null;
  /** Links of this import, which is not confirmed yet; null: any. */
  importId: number | null;
};

/** Only links that exist for the actor, or that it may change. */
export function filterFor(actor: Actor, filter: LinkFilter, changes = false): LinkFilter {
  const reached = ownersReadBy(actor)?.filter((id) => !changes || mayChange(actor, id)) ?? null;
  return { ...filter, owners: common(filter.owners, reached) };
}

/** @param one null: all */
export function common(
  one: readonly number[] | null,
  other: readonly number[] | null,
): readonly number[] | null {
  if (one === null || other === null) return one ?? other;
  const both = one.filter((id) => other.includes(id));
  return both.length === 0 ? [NOBODY] : both;
}

export const EVERYTHING: LinkFilter = {
  search: null,
  createdAfter: null,
  createdBefore: null,
  domain: null,
  owners: null,
  state: null,
  asOf: 0,
  held: null,
  dead: false,
  tags: [],
  notTags: [],
  notOwner: null,
  target: null,
  notTarget: null,
  importId: null,
};

export const isEverything = (filter: LinkFilter): boolean =>
  isDeepStrictEqual({ ...filter, asOf: EVERYTHING.asOf }, EVERYTHING);

/** An empty text counts as absent. */
export const filterQuery = z.object({
  search: queryText(SEARCH_MAX_LENGTH)
    .optional()
    .describe("text in the code, target, title or note, case-insensitive"),
  created_after: z.string().optional().describe("RFC 3339; this instant or later"),
  created_before: z.string().optional().describe("RFC 3339; this instant or earlier"),
  domain: z
    .string()
    .max(1000)
    .optional()
    .describe("host; absent or empty: the default domain; *: every domain"),
  only_expired: flag("only links that have expired"),
  tag: tagList.optional().describe("repeated: links that have all of these tags"),
  only_active: flag("only links without an expiry or before it"),
  held: queryChoice(HELD_STATES, "links that wait for approval, were refused or were taken down"),
  only_dead: flag("only links whose target does not answer"),
  owner: queryText(MOST_OF_NAME)
    .optional()
    .describe("links of this account, or of a team as team:{name}; also the id of an account"),
  team: queryText(MOST_OF_NAME).optional().describe("links of this team; its name"),
  target: queryText(SEARCH_MAX_LENGTH).optional().describe("text in the target, case-insensitive"),
  not_target: queryText(SEARCH_MAX_LENGTH)
    .optional()
    .describe("text that the target does not contain, case-insensitive"),
  not_tag: tagList.optional().describe("repeated: links that have none of these tags"),
  not_owner: queryText(MOST_OF_NAME)
    .optional()
    .describe("links of others than this account, or than a team as team:{name}"),
  import: z
    .string()
    .regex(/^\d{0,15}$/, "must be the id of an import")
    .optional()
    .describe("links of this import from another product, until it is confirmed; its id"),
});
type FilterQuery = z.output<typeof filterQuery>;

/** The id for `domain`; null for every domain. @throws BadRequest for an unknown host */
export type DomainFilter = (host: string | undefined) => number | null;

export const everyDomain: DomainFilter = () => null;

function notTagsIn({ not_tag: tags = [] }: Pick<FilterQuery, "not_tag">): string[] {
  try {
    return checkTags(tags.filter((tag) => tag !== ""));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw appError("BadRequest", `not_tag: ${error.message}`, { field: "not_tag" });
  }
}

/** @param query resolved (link/owners.repository.ts)  @throws BadRequest if both states are requested or the domain is unknown, or a tag is invalid, InvalidDateFormat */
export function filterOf(query: FilterQuery, now: number, domainOf = everyDomain): LinkFilter {
  const expired = isSet(query.only_expired);
  const active = isSet(query.only_active);
  if (expired && active) {
    throw appError("BadRequest", "only_expired and only_active exclude each other; give one of them.", {
      field: "only_active",
    });
  }
  return {
    search: query.search || query.target || null,
    createdAfter: instantOf("created_after", query.created_after),
    createdBefore: instantOf("created_before", query.created_before),
    domain: domainOf(query.domain),
    owners: ownersIn(query),
    state: expired ? "expired" : active ? "active" : null,
    asOf: now,
    held: query.held || null,
    dead: isSet(query.only_dead),
    tags: checkTags((query.tag ?? []).filter((tag) => tag !== "")),
    notTags: notTagsIn(query),
    notOwner: query.not_owner ? Number(query.not_owner) : null,
    target: query.target || null,
    notTarget: query.not_target || null,
    importId: query.import ? Number(query.import) : null,
  };
}

/** @param query resolved  Null: of all */
export const ownersIn = ({ owner, team }: { owner?: string | undefined; team?: string | undefined }) =>
  common(owner ? [Number(owner)] : null, team ? [Number(team)] : null);

function instantOf(name: string, text: string | undefined): number | null {
  if (!text) return null;
  // An unescaped plus sign arrives as a space.
  const instant = parseRfc3339(text.replace(/ (?=\d{2}:\d{2}$)/, "+"));
  if (instant !== null) return instant;
  throw appError("InvalidDateFormat", `${name} must be an RFC 3339 instant such as 2026-11-20T13:00:00Z.`);
}

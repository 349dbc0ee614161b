/** Which links a report counts. */
import { z } from "zod";
import { type Actor, ownersReadBy } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { queryText } from "../../lib/query-text.ts";
import { isCodeText, linkNotFound } from "../link/code.ts";
import { DEFAULT_DOMAIN, keyOf } from "../link/key.ts";
import type { Owners } from "../link/owners.repository.ts";
import { checkTags, tagList } from "../tags/tag.ts";
import { EVERYTHING, filterFor, isEverything, ownersIn } from "./filter.ts";
import type { LinkSet, LinkSets } from "./link-set.repository.ts";

/** Stands for the default domain, which has no host. */
export const DEFAULT_DOMAIN_NAME = "(default)";

const MOST_CODES = 100;
/** The longest code that a query takes. */
const MOST_CHARACTERS = 1_000;
const MOST_KEYS = 10_000;

/** An empty text counts as absent. */
export const chosenQuery = {
  code: z
    .array(z.string().meta({ maxLength: MOST_CHARACTERS }))
    .max(MOST_CODES)
    .refine(
      (codes) => codes.every((code) => code.length <= MOST_CHARACTERS),
      "must have at most 1,000 characters each",
    )
    .optional()
    .describe("repeated: clicks of these links, on every domain unless `domain` says which"),
  tag: tagList.optional().describe("repeated: clicks of links that have all of these tags"),
  domain: queryText(1000)
    .optional()
    .describe(`clicks of the links of this host; ${DEFAULT_DOMAIN_NAME}: of the default domain`),
  owner: queryText(100)
    .optional()
    .describe("clicks of the links of this account, or of a team as team:{name}"),
  team: queryText(100).optional().describe("clicks of the links of this team; its name"),
  search: queryText(512)
    .optional()
    .describe("clicks of links with this text in the code, target, title or note, case-insensitive"),
};
const schema = z.object(chosenQuery);
export type ChosenQuery = z.output<typeof schema>;

type Deps = {
  sets: LinkSets;
  owners: Owners;
  domains: {
    /** @throws BadRequest for an unknown host */
    idOf(host: string): number;
    list(): readonly { id: number }[];
    /** The key under which a link with this key is stored. */
    stored(key: string): string;
  };
};

/** `among`: of these ids only. */
export type ChooseLinks = (query: ChosenQuery, among?: readonly number[]) => Promise<LinkSet | null>;

/** Returns null for all links, even those of which only clicks are left. @throws LinkNotFound, BadRequest */
export const createChoice =
  ({ sets, owners, domains }: Deps, actor: Actor): ChooseLinks =>
  async ({ code = [], tag = [], domain: host, owner, team, search }, among) => {
    const codes = [...new Set(code)].filter((text) => text !== "");
    const domain = !host ? null : host === DEFAULT_DOMAIN_NAME ? DEFAULT_DOMAIN : domains.idOf(host);
    const filter = filterFor(actor, {
      ...EVERYTHING,
      tags: checkTags(tag.filter((text) => text !== "")),
      domain,
      owners: ownersIn(await owners.resolved({ owner, team })),
      search: search || null,
    });
    if (codes.length === 0) return isEverything(filter) ? null : sets.find({ ids: among ?? null, filter });
    const hosts = domain === null ? [DEFAULT_DOMAIN, ...domains.list().map(({ id }) => id)] : [domain];
    if (codes.length * hosts.length > MOST_KEYS) {
      throw appError("BadRequest", "There are too many domains for so many codes; give domain.", {
        field: "code",
      });
    }
    const keysOf = (text: string) => hosts.map((id) => domains.stored(keyOf(id, text)));
    const found = await sets.withKeys(codes.filter(isCodeText).flatMap(keysOf), ownersReadBy(actor));
    const known = new Set(found.map(({ code: key }) => key));
    const unknown = codes.find((text) => !keysOf(text).some((key) => known.has(key)));
    if (unknown !== undefined) throw linkNotFound(unknown);
    const ids = [...new Set(found.map(({ id }) => id))];
    return sets.find({ ids: among === undefined ? ids : ids.filter((id) => among.includes(id)), filter });
  };

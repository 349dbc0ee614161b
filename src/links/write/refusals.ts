/** Why links may not be written: their rules name shares of others, or their codes speak for the whole site. */
import { isDeepStrictEqual } from "node:util";
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { AppError } from "../../lib/errors.ts";
import { DEFAULT_DOMAIN, domainOf } from "../link/key.ts";
import { readOptions } from "../link/field-values.ts";
import { invalidRule, type Rule, sharedCode } from "../rules/rule.ts";
import { isSiteCode, siteCodeOwnerRefusal, siteCodeRefusal } from "../link/code.ts";
import { type CheckedCreate, type CheckedUpdate, givesAway, type Stored } from "./plans.ts";
import type { LinkRepository } from "./repository.ts";

/**
 * A link as it will be. Its rules may name a share with `share:CODE` if the share belongs to the account that owns the
 * link, and the link is on the default domain, like all shares.
 */
type RuledLink = {
  domain: number;
  ownerId: number | null;
  rules: readonly Rule[];
  /** A share may have been deleted since the rules were set. */
  mayLack?: boolean;
};

type Repository = Pick<LinkRepository, "shareOwners" | "administratorsAmong" | "aliases">;

/** Rules name shares as people write their codes. */
export const ownersByAnyCase =
  ({ shareOwners }: Pick<Repository, "shareOwners">, stored: (key: string) => string) =>
  async (codes: readonly string[], db?: Db): Promise<Map<string, number | null>> => {
    const owners = await shareOwners([...new Set(codes.map(stored))], db);
    return new Map(
      codes.flatMap((code) => {
        const owner = owners.get(stored(code));
        return owner === undefined ? [] : [[code, owner]];
      }),
    );
  };

/** Why each link may not have its rules, or null. Queries nothing if no rule names a share. Null: nothing to check. */
export async function shareRefusals(
  shares: Pick<Repository, "shareOwners">,
  links: readonly (RuledLink | null)[],
  db?: Db,
): Promise<(AppError | null)[]> {
  const codes = links.flatMap((link) => link?.rules.flatMap(({ target }) => sharedCode(target) ?? []) ?? []);
  if (codes.length === 0) return links.map(() => null);
  const owners = await shares.shareOwners([...new Set(codes)], db);
  return links.map((link) => link && refusalOf(link, owners));
}

function refusalOf(
  { domain, ownerId, rules, mayLack = false }: RuledLink,
  owners: ReadonlyMap<string, number | null>,
): AppError | null {
  for (const [at, { target }] of rules.entries()) {
    const code = sharedCode(target);
    const fault = code === null ? null : faultOf(code);
    if (fault !== null) return invalidRule("LinkInvalidUrl", `rules.${at}.target`, fault);
  }
  return null;

  function faultOf(code: string): string | null {
    if (mayLack && !owners.has(code)) return null;
    if (domain !== DEFAULT_DOMAIN) {
      return "can't name a share, because the link is not on the default domain; give the short URL of the share";
    }
    if (ownerId === null) {
      return "can't name a share, because the link belongs to no account; give the short URL of the share";
    }
    return owners.get(code) === ownerId
      ? null
      : "must name a share or drop box of the account that owns the link";
  }
}

type OwnedLinks = ReadonlyMap<string, { id: number; ownerId: number | null }>;
type By = { actor: Pick<Actor, "ownOnly">; db?: Db | undefined };

/**
 * Codes that speak for the whole site belong to administrators, and so does what their links lead to. An earlier owner
 * may still delete such a link. Returns why each owner may not have its key. An owner null is an administrator; without
 * an owner nothing is invalidRule.
 */
export async function refusedOwners(
  repository: Pick<Repository, "administratorsAmong">,
  owners: readonly { key: string; ownerId: number | null | undefined }[],
  db?: Db,
): Promise<(AppError | null)[]> {
  const ids = owners.flatMap(({ key, ownerId }) => (isSiteCode(key) ? (ownerId ?? []) : []));
  if (ids.length === 0) return owners.map(() => null);
  const administrators = await repository.administratorsAmong([...new Set(ids)], db);
  return owners.map(({ key, ownerId }) =>
    !isSiteCode(key) || ownerId === null || ownerId === undefined || administrators.has(ownerId)
      ? null
      : siteCodeOwnerRefusal(key),
  );
}

type Change = Pick<CheckedUpdate, "code" | "to" | "ownerId">;

/** Refusals by the present codes. The owner counts when the link gets such a code, or another owner. */
export async function changedSiteCodeRefusals(
  repository: Repository,
  changes: readonly Change[],
  stored: OwnedLinks,
  { actor, db }: By,
): Promise<Map<string, AppError>> {
  const known = changes.flatMap((change) => {
    const link = stored.get(change.code);
    return link === undefined ? [] : { ...change, link };
  });
  const isGiven = ({ ownerId, link }: (typeof known)[number]) =>
    ownerId !== undefined && ownerId !== link.ownerId;
  const checked = actor.ownOnly ? known : known.filter(isGiven);
  const aliases = await aliasesFor(
    repository,
    checked.map(({ link }) => link.id),
    { actor: { ...actor, ownOnly: true }, db },
  );
  const keysOf = ({ code, to = code, link }: (typeof known)[number]) => [
    to,
    code,
    ...(aliases.get(link.id) ?? []),
  ];
  const owners = known.flatMap((change) => {
    const { code, to = code, ownerId, link } = change;
    const keys = isGiven(change) ? keysOf(change) : to === code ? [] : [to];
    return keys.map((key) => ({ code, key, ownerId: ownerId === undefined ? link.ownerId : ownerId }));
  });
  const ofOwners = await refusedOwners(repository, owners, db);
  return new Map([
    ...owners.flatMap(({ code }, at) => (ofOwners[at] ? [[code, ofOwners[at]] as const] : [])),
    ...known.flatMap((change) => {
      const refusal = siteCodeRefusal(actor, keysOf(change));
      return refusal === null ? [] : [[change.code, refusal] as const];
    }),
  ]);
}

/** Administrators write any link, so nothing is looked up for them. */
const aliasesFor = (
  { aliases }: Repository,
  ids: readonly number[],
  { actor, db }: By,
): Promise<ReadonlyMap<number, string[]>> | ReadonlyMap<number, string[]> =>
  actor.ownOnly && ids.length > 0 ? aliases.byLink(ids, db) : new Map();

type Checking = { actor: Actor; db: Db };

/** Refusals by the index in `entries`. An overwritten link keeps its owner unless the entry names another one. */
export async function refusalsOfNew(
  repository: Repository,
  entries: readonly CheckedCreate[],
  stored: Stored,
  { actor, db }: Checking,
): Promise<(AppError | null)[]> {
  const links = entries.map((entry) => {
    const { code, domain, options, ownerId: given } = entry;
    const overwritten = code === null ? undefined : stored.get(code);
    const ownerId = given ?? (overwritten === undefined ? actor.accountId : overwritten.ownerId);
    const isOwnerKept = overwritten !== undefined && !givesAway(entry, overwritten);
    return { key: code ?? "", domain, options, ownerId, overwritten, isOwnerKept };
  });
  const ofRules = await shareRefusals(
    repository,
    links.map(({ domain, options, ownerId }) => {
      return { domain, ownerId, rules: readOptions(options).rules ?? [] };
    }),
    db,
  );
  const ids = links.flatMap(({ overwritten }) => overwritten?.id ?? []);
  const aliases = await aliasesFor(repository, ids, { actor, db });
  const added = links.map(({ key, ownerId, isOwnerKept }) => ({
    key,
    ownerId: isOwnerKept ? undefined : ownerId,
  }));
  const ofOwners = await refusedOwners(repository, added, db);
  return links.map(({ key, overwritten }, at) => {
    const keys = [key, ...(aliases.get(overwritten?.id ?? Number.NaN) ?? [])];
    return siteCodeRefusal(actor, keys) ?? ofOwners[at] ?? ofRules[at] ?? null;
  });
}

/** Refusals by the present codes: of rules that change, of links that move or get another owner. */
export async function refusalsOfChanges(
  repository: Repository,
  changes: readonly CheckedUpdate[],
  stored: Stored,
  { actor, db }: Checking,
): Promise<Map<string, AppError>> {
  const ofRules = await shareRefusals(
    repository,
    changes.map(({ code, to, options, ownerId }) => {
      const link = stored.get(code);
      const given = options?.rules;
      const domain = domainOf(to ?? code);
      const isGiven = ownerId !== undefined && ownerId !== link?.ownerId;
      const isMoved = isGiven || domain !== domainOf(code);
      if (link === undefined || (given === undefined && !isMoved)) return null;
      const before = readOptions(link.options).rules;
      const rules = given === undefined ? before : given;
      if (rules === null || (!isMoved && isDeepStrictEqual(rules, before))) return null;
      return { domain, ownerId: ownerId === undefined ? link.ownerId : ownerId, rules };
    }),
    db,
  );
  return new Map([
    ...changes.flatMap(({ code }, at) => (ofRules[at] ? [[code, ofRules[at]] as const] : [])),
    ...(await changedSiteCodeRefusals(repository, changes, stored, { actor, db })),
  ]);
}

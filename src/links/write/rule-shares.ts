/**
 * Rules may name a share with `share:CODE` if it belongs to the account that owns the link, and the link is on the
 * default domain, like all shares.
 */
import { isDeepStrictEqual } from "node:util";
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { AppError } from "../../lib/errors.ts";
import { DEFAULT_DOMAIN, domainOf } from "../link/key.ts";
import { type LinkOptions, readOptions } from "../link/options.ts";
import { refused, type Rule, sharedCode } from "../rules/rule.ts";

/** A link as it will be. */
export type RuledLink = {
  domain: number;
  ownerId: number | null;
  rules: readonly Rule[];
  /** A share may have been deleted since the rules were set. */
  mayLack?: boolean;
};

/** `to`: its new key, if it moves. */
type Changed = {
  code: string;
  to?: string | undefined;
  options?: Partial<LinkOptions>;
  ownerId?: number | null | undefined;
};

/** Accounts by the codes of shares, also by aliases. Other codes are absent. */
type Shares = { shareOwners(codes: readonly string[], db?: Db): Promise<ReadonlyMap<string, number | null>> };

/** Why each link may not have its rules, or null. Queries nothing if no rule names a share. Null: nothing to check. */
export async function shareRefusals(
  shares: Shares,
  links: readonly (RuledLink | null)[],
  db?: Db,
): Promise<(AppError | null)[]> {
  const codes = links.flatMap((link) => link?.rules.flatMap(({ target }) => sharedCode(target) ?? []) ?? []);
  if (codes.length === 0) return links.map(() => null);
  const owners = await shares.shareOwners([...new Set(codes)], db);
  return links.map((link) => link && refusalOf(link, owners));
}

type Stored = ReadonlyMap<string, { ownerId: number | null; options: string | null }>;
type New = {
  code: string | null;
  domain: number;
  options: string | null;
  ownerId?: number | null | undefined;
};

/** By place in `entries`. A link that is overwritten keeps its account. */
export const newRuleRefusals = (
  shares: Shares,
  entries: readonly New[],
  { stored, by }: { stored: Stored; by: Pick<Actor, "accountId"> },
  db: Db,
) =>
  shareRefusals(
    shares,
    entries.map(({ code, domain, options, ownerId: given = by.accountId }) => {
      const overwritten = code === null ? undefined : stored.get(code);
      const ownerId = overwritten === undefined ? given : overwritten.ownerId;
      return { domain, ownerId, rules: readOptions(options).rules ?? [] };
    }),
    db,
  );

/** Refusals of rules that change and of links that move to another domain, by their codes. */
export async function changedRuleRefusals(
  shares: Shares,
  changes: readonly Changed[],
  stored: Stored,
  db: Db,
): Promise<Map<string, AppError>> {
  const found = await shareRefusals(
    shares,
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
  return new Map(changes.flatMap(({ code }, at) => (found[at] ? [[code, found[at]]] : [])));
}

function refusalOf(
  { domain, ownerId, rules, mayLack = false }: RuledLink,
  owners: ReadonlyMap<string, number | null>,
): AppError | null {
  for (const [at, { target }] of rules.entries()) {
    const code = sharedCode(target);
    const fault = code === null ? null : faultOf(code);
    if (fault !== null) return refused("LinkInvalidUrl", `rules.${at}.target`, fault);
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

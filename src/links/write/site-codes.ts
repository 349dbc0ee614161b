/**
 * Who writes links whose codes, or aliases, speak for the whole site: administrators, and what such a link leads to is
 * theirs alone. Who owned one before it became theirs may still delete it.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { AppError } from "../../lib/errors.ts";
import { isSiteCode, siteCodeOwnerRefusal, siteCodeRefusal } from "../link/site-code.ts";

type Repository = {
  administratorsAmong(ids: readonly number[], db?: Db): Promise<ReadonlySet<number>>;
  aliases: { byLink(ids: readonly number[], db?: Db): Promise<ReadonlyMap<number, string[]>> };
};
type Owner = number | null | undefined;
type Stored = ReadonlyMap<string, { id: number; ownerId: number | null }>;
type By = { actor: Pick<Actor, "ownOnly">; db?: Db | undefined };

/** Null belongs to administrators. Absent ones get none. */
export async function refusedOwners(
  repository: Pick<Repository, "administratorsAmong">,
  owners: readonly { key: string; ownerId: Owner }[],
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

type New = { code: string | null; ownerId?: number | undefined };

/** By place in `entries`. A link that is overwritten keeps its owner. */
export async function newSiteCodeRefusals(
  repository: Repository,
  entries: readonly New[],
  stored: Stored,
  { actor, db }: By & { actor: Pick<Actor, "accountId"> },
): Promise<(AppError | null)[]> {
  const overwritten = entries.flatMap(({ code }) => (code === null ? [] : (stored.get(code)?.id ?? [])));
  const aliases = await aliasesFor(repository, overwritten, { actor, db });
  const owners = entries.map(({ code, ownerId = actor.accountId }) => {
    return { key: code ?? "", ownerId: stored.has(code ?? "") ? undefined : ownerId };
  });
  const ofOwners = await refusedOwners(repository, owners, db);
  return entries.map(({ code }, at) =>
    code === null
      ? null
      : (siteCodeRefusal(actor, [code, ...(aliases.get(stored.get(code)?.id ?? -1) ?? [])]) ?? ofOwners[at]!),
  );
}

type Change = { code: string; to?: string | undefined; ownerId?: Owner };

/** By the present codes. The owner of a link counts when the link gets such a code, or another owner. */
export async function changedSiteCodeRefusals(
  repository: Repository,
  changes: readonly Change[],
  stored: Stored,
  { actor, db }: By,
): Promise<Map<string, AppError>> {
  const known = changes.flatMap((change) => {
    const link = stored.get(change.code);
    return link === undefined ? [] : { ...change, link };
  });
  const isGiven = ({ ownerId, link }: (typeof known)[number]) =>
    ownerId !== undefined && ownerId !== link.ownerId;
  const asked = actor.ownOnly ? known : known.filter(isGiven);
  const aliases = await aliasesFor(
    repository,
    asked.map(({ link }) => link.id),
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

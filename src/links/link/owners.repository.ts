/** Owners by the names of the API: `anna`, `team:press`. */
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { prepared } from "../../platform/db/prepared.ts";
import { ownerIds } from "../../platform/db/owner-ids.ts";
import { type Actor, mayChange } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { ADMIN_NAME, NOBODY, ownerOfTeam, TEAM_MARK } from "../../lib/owner.ts";

const ID = /^\d{1,15}$/;

/** The names of accounts and teams that exist. */
export async function ownerNames(db: Db, ids: readonly (number | null)[]): Promise<Map<number, string>> {
  const known = [...new Set(ids)].filter((id) => id !== null);
  const [accounts, teams] = [known.filter((id) => id > 0), known.filter((id) => id < 0).map(ownerOfTeam)];
  const found = accounts.length === 0 ? [] : await usersById(db, accounts);
  const ofTeams = teams.length === 0 ? [] : await teamsById(db, teams);
  return new Map([
    [0, ADMIN_NAME],
    ...found.map(({ id, name }) => [id, name] as const),
    ...ofTeams.map(({ id, name }) => [ownerOfTeam(id), TEAM_MARK + name] as const),
  ]);
}

const usersById = prepared((db, ids: readonly number[]) =>
  db.selectFrom("users").select(["id", "username as name"]).where("id", "in", ids),
);
const teamsById = prepared((db, ids: readonly number[]) =>
  db.selectFrom("teams").select(["id", "name"]).where("id", "in", ids),
);

type Named = { owner?: string | undefined; team?: string | undefined; not_owner?: string | undefined };

export type Owners = ReturnType<typeof createOwners>;

export function createOwners({ read }: Pick<Database, "read">) {
  const find = async (name: string): Promise<number | undefined> => (await ownerIds(read, [name])).get(name);

  async function idOf(name: string): Promise<number> {
    const id = await find(name);
    if (id !== undefined) return id;
    throw appError("BadRequest", `owner: there is no account or team '${name}'.`, { field: "owner" });
  }

  /**
   * The id of an owner that the actor reaches. Who does not reach every account gets the same refusal for others and for
   * names that do not exist, and so learns of none. @throws Forbidden, BadRequest for an unknown one
   */
  async function reachedBy(
    actor: { ownOnly: boolean },
    name: string,
    { reaches, refusal }: { reaches(id: number): boolean; refusal: string },
  ): Promise<number> {
    const id = actor.ownOnly ? ((await find(name)) ?? NOBODY) : await idOf(name);
    if (id !== NOBODY && reaches(id)) return id;
    const message = actor.ownOnly ? `${refusal} Or there is no such account or team.` : refusal;
    throw appError("Forbidden", message, { field: "owner" });
  }

  return {
    /** Ids by name, at most 1,000. Unknown names are absent. */
    idsOf: (names: readonly string[]) => ownerIds(read, names),

    /** The id of a name, for actors who may know all names. @throws BadRequest for an unknown one */
    idOf,

    reachedBy,

    /** The id of a new owner of links; undefined without a name. @throws Forbidden, BadRequest for an unknown one */
    async newOwner(actor: Actor, name: string | null | undefined): Promise<number | undefined> {
      if (!name) return undefined;
      const refusal = `You may not make '${name}' the owner of links.`;
      return reachedBy(actor, name, { reaches: (id) => mayChange(actor, id), refusal });
    },

    /** A filter with ids in place of names. The id of an account may stand for its name. */
    async resolved<Q extends Named>(query: Q): Promise<Q> {
      const { owner, team, not_owner: other } = query;
      if (!owner && !team && !other) return query;
      const known = async (name: string) =>
        String((await find(name)) ?? (ID.test(name) ? Number(name) : NOBODY));
      return {
        ...query,
        ...(owner && { owner: await known(owner) }),
        ...(team && { team: await known(TEAM_MARK + team) }),
        ...(other && { not_owner: await known(other) }),
      };
    },
  };
}

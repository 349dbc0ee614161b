import { ADMIN_NAME, ownerOfTeam, TEAM_MARK } from "../../lib/owner.ts";
import type { Db, Dialect } from "./dialect.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

/**
 * Ids of owners by their names in the API: `anna`, `team:press`. Unknown ones are absent. At most 1,000.
 *
 * @param lock of the rows of accounts and teams
 */
export async function ownerIds(
  db: Db,
  names: readonly string[],
  lock: Dialect["forShare"] = (query) => query,
): Promise<Map<string, number>> {
  const uniqueNames = [...new Set(names.map(asciiLower))];
  const teams = uniqueNames
    .filter((name) => name.startsWith(TEAM_MARK))
    .map((name) => name.slice(TEAM_MARK.length));
  const accounts = uniqueNames.filter((name) => !name.startsWith(TEAM_MARK) && name !== ADMIN_NAME);
  const users = db.selectFrom("users").select(["id", "username"]).where("username", "in", accounts);
  const named = db.selectFrom("teams").select(["id", "name"]).where("name", "in", teams);
  const found = accounts.length === 0 ? [] : await users.$call(lock).execute();
  const ofTeams = teams.length === 0 ? [] : await named.$call(lock).execute();
  const ids = new Map([
    [ADMIN_NAME, 0],
    ...found.map(({ id, username }) => [username, id] as const),
    ...ofTeams.map(({ id, name }) => [TEAM_MARK + name, ownerOfTeam(id)] as const),
  ]);
  const known = names.map((name) => [name, ids.get(asciiLower(name))] as const);
  return new Map(known.filter((pair): pair is [string, number] => pair[1] !== undefined));
}

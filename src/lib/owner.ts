/** Owners of links, folders and domains: accounts (ids from 0, the built-in administrator) and teams (ids below 0). */
export const TEAM_MARK = "team:";

/** No account or team has this id. */
export const NOBODY = Number.MIN_SAFE_INTEGER;

/** Its own inverse. */
export const ownerOfTeam = (id: number): number => -id;

export const isTeam = (ownerId: number): boolean => ownerId < 0;

/** In answers: `anna` or `team:press`. @param name of the account's or team's row; null without one */
export function ownerName(id: number | null, name: string | null): string | null {
  if (id === 0) return "admin";
  return id === null || name === null ? null : isTeam(id) ? TEAM_MARK + name : name;
}

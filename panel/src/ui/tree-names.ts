/** Names of trees of files: a team's, or the account's own (undefined). */
const TEAM_MARK = "team:";

export const ownerOfTree = (team: string): string => TEAM_MARK + team;

/** Undefined for an account. */
export const teamOf = (owner: string): string | undefined =>
  owner.startsWith(TEAM_MARK) ? owner.slice(TEAM_MARK.length) : undefined;

/** For queries of the API and of the panel's addresses. */
export const inTree = (team: string | undefined): { team?: string } => (team === undefined ? {} : { team });

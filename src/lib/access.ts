/** Roles of accounts and scopes of API tokens. */

/** Ascending: each role includes those before it. */
export const ROLES = ["user", "editor", "admin"] as const;
export type Role = (typeof ROLES)[number];

export const SCOPES = [
  "links:read",
  "links:write",
  "analytics:read",
  "files:read",
  "files:write",
  "admin",
] as const;
export type Scope = (typeof SCOPES)[number];

/** The roles of a team's members, ascending: viewers read, editors also change, managers also change the members. */
export const TEAM_ROLES = ["viewer", "editor", "manager"] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

/** The teams of an account, by their ids as owners (owner.ts). */
export type Teams = ReadonlyMap<number, TeamRole>;

const FILE_SCOPES: readonly Scope[] = ["files:read", "files:write"];

/** The scopes that an account with the role may grant to its tokens. */
export const SCOPES_OF: Readonly<Record<Role, readonly Scope[]>> = {
  user: FILE_SCOPES,
  editor: ["links:read", "links:write", "analytics:read", ...FILE_SCOPES],
  admin: SCOPES,
};

export const reachesRole = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);

/** An unknown stored role counts as the lowest. */
export const teamRoleOf = (text: string): TeamRole => TEAM_ROLES.find((role) => role === text) ?? "viewer";

/** An unknown stored role counts as the lowest. */
export const roleOf = (text: string): Role => ROLES.find((role) => role === text) ?? "user";

/**
 * Owners of links, folders and domains: accounts (ids from 0, the built-in administrator) and teams (ids below -1, which
 * holds files that are being removed).
 */

import { queryText } from "./query-text.ts";

/** An owner in a body. An empty one would look like a removal and change nothing. */
export const ownerText = queryText(100).min(
  1,
  "must name an account or team:{name}; leave it out to let the owner be what it is",
);

/** The built-in administrator, who has no row. */
export const ADMIN_NAME = "admin";

export const TEAM_MARK = "team:";

/** No account or team has this id. */
export const NOBODY = Number.MIN_SAFE_INTEGER;

export const isTeam = (ownerId: number): boolean => ownerId < -1;

/** Its own inverse. */
export const ownerOfTeam = (id: number): number => -1 - id;

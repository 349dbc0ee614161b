/** The pages of the panel behind the sign-in. `link/long/code` needs such a link. */
export const PANEL_ROUTES = [
  "",
  "analytics",
  "links",
  "link/long/code",
  "files",
  "files/trash",
  "tokens",
  "api",
  "users",
  "domains",
  "events",
  "settings",
] as const;

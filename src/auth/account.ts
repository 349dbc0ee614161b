import type { Role, Teams } from "../lib/access.ts";

/** The built-in administrator (id 0) or a row of `users`. */
export type Account = {
  id: number;
  username: string;
  role: Role;
  /** Set for callers. */
  teams?: Teams | undefined;
  /** Set by the guards. */
  credential?: Credential;
};

export type Credential = {
  sessionId: string;
  /** Of the access token, epoch ms. */
  expiresAt: number;
};

export const BUILT_IN_ADMIN: Account = Object.freeze({ id: 0, username: "admin", role: "admin" });

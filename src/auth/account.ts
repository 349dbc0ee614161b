import type { Role, Teams } from "../lib/access.ts";
import type { Credential } from "../lib/credential.ts";
import { asciiLower } from "../lib/ascii-lower.ts";

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

export const BUILT_IN_ADMIN: Account = Object.freeze({ id: 0, username: "admin", role: "admin" });

/** The name of an account by its row; without one it is the built-in administrator, or gone. */
export const nameOfAccount = (id: number, username: string | null): string =>
  id === BUILT_IN_ADMIN.id ? BUILT_IN_ADMIN.username : (username ?? `#${id}`);

export type FindAccount = { getByUsername(username: string): Promise<{ id: number; username: string }> };

/** Finds the account that a command names. @throws NotFound */
export const accountNamed = async (users: FindAccount, username: string) =>
  asciiLower(username) === BUILT_IN_ADMIN.username ? BUILT_IN_ADMIN : users.getByUsername(username);

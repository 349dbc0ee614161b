/** Who is calling: the built-in administrator (id 0, username `admin`) or a row of users. */
export type Account = {
  id: number;
  username: string;
  role: "admin" | "user";
  /** What it signed in with; set by the guards on requests. */
  credential?: Credential;
};

export type Credential = {
  sessionId: string;
  /** When the access token ends, epoch ms. */
  expiresAt: number;
};

export type Role = Account["role"];

export const BUILT_IN_ADMIN: Account = Object.freeze({ id: 0, username: "admin", role: "admin" });

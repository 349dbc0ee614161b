/** Who acts, and by which way: decides ownership of links and is recorded in events. */
export type Via = "panel" | "api" | "token" | "cli" | "import" | "system";

export type Actor = {
  /** An account's name, `token:{name}`, `cli` or `system`. */
  name: string;
  via: Via;
  /** 0 is the built-in administrator; null for commands and jobs. */
  accountId: number | null;
  /** The actor sees only links of its own. */
  ownOnly: boolean;
};

/** For jobs. */
export const SYSTEM: Actor = { name: "system", via: "system", accountId: null, ownOnly: false };

export const COMMAND: Actor = { name: "cli", via: "cli", accountId: null, ownOnly: false };

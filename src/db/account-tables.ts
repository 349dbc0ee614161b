/** Tables of accounts, events and settings; see schema.ts. */
export const ACCOUNT_TABLES = {
  /** Secrets are masked in `before` and `after`, which are JSON. */
  events: {
    id: "serial",
    at: "int",
    /** An account's name, `token:{name}`, `cli` or `system`. */
    actor: "text",
    /** "panel", "api", "token", "cli", "import" or "system". */
    via: "text",
    /** Such as "link.update"; ≤ 32 characters. */
    action: "text",
    /** The code, user name or the like. */
    subject: "text",
    /** Of links only: history survives renames. */
    subject_id: "int?",
    before: "text?",
    after: "text?",
    /** Common to the events of a bulk change until it is taken back; with `actor` and `at` unique. */
    bulk: "int?",
  },
  tokens: {
    id: "serial",
    /** 0 is the built-in administrator. */
    user_id: "int",
    /** Unique for the account. */
    name: "text",
    /** SHA-256 of the token, 64 hex digits; unique. */
    hash: "text",
    /** Names, separated by blanks. */
    scopes: "text",
    created_at: "int",
    expires_at: "int?",
    /** Rounded to the hour. */
    last_used_at: "int?",
  },
  settings: { key: "text", value: "text", updated_at: "int", updated_by: "text" },
  /** Masks sensitive values. */
  settings_history: {
    id: "serial",
    key: "text",
    old_value: "text?",
    new_value: "text?",
    changed_at: "int",
    changed_by: "text",
  },
  users: {
    id: "serial",
    /** Lower-case. */
    username: "text",
    password_hash: "text",
    /** "admin", "editor" or "user". */
    role: "text",
    disabled: "int",
    /** Bytes; 0 is unlimited. */
    quota_bytes: "int",
    created_at: "int",
    updated_at: "int",
  },
  /** As an owner a team has an id below -1 (lib/owner.ts). */
  teams: {
    id: "serial",
    /** Unique, lower-case. */
    name: "text",
    created_at: "int",
    updated_at: "int",
  },
  /** `account_id` 0 is the built-in administrator. `role`: "viewer", "editor" or "manager". Removed with the team. */
  team_members: { team_id: "int", account_id: "int", role: "text" },
  sessions: {
    /** A UUID. */
    id: "text",
    /** 0 is the built-in administrator, who has no row in users. */
    user_id: "int",
    created_at: "int",
    expires_at: "int",
    refresh_jti: "text",
    previous_jti: "text?",
    rotated_at: "int?",
    revoked_at: "int?",
  },
  /** Also for one-time addresses: auth/set-up/repository.ts. */
  login_failures: { account: "text", failures: "int", retry_at: "int", updated_at: "int" },
} as const;

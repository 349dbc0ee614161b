/** Tables of accounts, events and settings; see schema.ts. */
export const ACCOUNT_TABLES = {
  /** Secrets are masked in `before` and `after`, which are JSON. */
  events: {
    id: "serial",
    at: "int",
    /** An account's name, `token:{name}`, `cli` or `system`. */
    actor: "text(140)",
    /** "panel", "api", "token", "cli", "import" or "system". */
    via: "text(16)",
    /** Such as "link.update". */
    action: "text(32)",
    /** The code, user name or the like. */
    subject: "text(300)",
    /** Set for links only: history survives renames. */
    subject_id: "int?",
    before: "text?",
    after: "text?",
    /** Common to the events of a bulk change until it is taken back; with `actor` and `at` unique. */
    bulk: "int?",
    /** 1: webhooks have to be notified; see webhooks/. */
    untold: "int?",
    /** Tool of the MCP server. */
    tool: "text(40)?",
  },
  tokens: {
    id: "serial",
    /** 0 is the built-in administrator. */
    user_id: "int",
    /** Unique for the account. */
    name: "text(64)",
    /** SHA-256 of the token, 64 hex digits; unique. */
    hash: "text(64)",
    /** Names, separated by blanks. */
    scopes: "text(255)",
    created_at: "int",
    expires_at: "int?",
    /** Rounded to the hour. */
    last_used_at: "int?",
    /** The token reaches only this folder and what is below it, even if it is gone; null: all. */
    folder_id: "int?",
  },
  settings: { key: "text(128)", value: "text", updated_at: "int", updated_by: "text(128)" },
  /** Masks sensitive values. */
  settings_history: {
    id: "serial",
    key: "text(128)",
    /** The text in force before. */
    old_value: "text?",
    new_value: "text?",
    changed_at: "int",
    changed_by: "text(128)",
  },
  users: {
    id: "serial",
    /** Lower-case, unique. */
    username: "text(64)",
    password_hash: "text(255)",
    /** "admin", "editor" or "user". */
    role: "text(16)",
    /** 1: can't sign in and has no sessions. */
    disabled: "int",
    created_at: "int",
    updated_at: "int",
    /** Bytes; 0 is unlimited. */
    quota_bytes: "int0",
  },
  /** As an owner a team has an id below -1 (lib/owner.ts). */
  teams: {
    id: "serial",
    /** Unique, lower-case. */
    name: "text(64)",
    created_at: "int",
    updated_at: "int",
    /** Bytes; 0 is unlimited. */
    quota_bytes: "int0",
  },
  /** `account_id` 0 is the built-in administrator. `role`: "viewer", "editor" or "manager". Removed with the team. */
  team_members: { team_id: "int", account_id: "int", role: "text(16)" },
  sessions: {
    /** A UUID. */
    id: "text(36)",
    /** 0 is the built-in administrator, who has no row in users. */
    user_id: "int",
    created_at: "int",
    expires_at: "int",
    refresh_jti: "text(64)",
    previous_jti: "text(64)?",
    rotated_at: "int?",
    revoked_at: "int?",
    /** Address of the client at the sign-in or the last refresh. */
    address: "text(64)?",
    /** From the user agent of the sign-in, such as "Firefox" and "Linux". */
    browser: "text(64)?",
    os: "text(64)?",
    /** What was proved (lib/credential.ts). */
    signed_in_by: "text(16)?",
  },
  /** One row for each account with TOTP, like `recovery_codes`. */
  authenticators: {
    account_id: "int",
    /** Sealed (lib/secret-box.ts). */
    secret: "text(255)",
    /** While it is null, a sign-in asks for no codes. */
    confirmed_at: "int?",
    /** The time step of the last accepted code (RFC 6238). */
    last_step: "int",
    created_at: "int",
  },
  /** A row is one unused code: its SHA-256, 64 hex digits. */
  recovery_codes: { account_id: "int", hash: "text(64)" },
  passkeys: {
    id: "serial",
    account_id: "int",
    name: "text(64)",
    /** SHA-256 of `credential_id`, 64 hex digits; unique. */
    credential_hash: "text(64)",
    /** Base64url, at most 1,364 characters. */
    credential_id: "text",
    /** COSE, as base64url. */
    public_key: "text",
    /** The number of signatures; many authenticators keep it at 0. */
    counter: "int",
    /** Names, separated by blanks. */
    transports: "text(128)",
    /** Whether it is on several devices. */
    backed_up: "int",
    created_at: "int",
    last_used_at: "int?",
  },
  /** What an account is called, where it gets mails, and which. `account_id` 0 is the built-in administrator. Removed with the account. */
  account_mail: {
    account_id: "int",
    /** Lower-case; unique. */
    email: "text(254)?",
    /** When somebody followed a link sent there; null before. */
    proved_at: "int?",
    language: "text(8)",
    /** JSON: how often, by kind (auth/contact/choices.ts). */
    choices: "text",
    /** Shown to people in place of the username. */
    display_name: "text(100)?",
  },
  /** The outbox, and the log of what was sent (mail/outbox.ts). */
  mails: {
    id: "serial",
    kind: "text(32)",
    /** The account, or null for an address alone. */
    account_id: "int?",
    recipient: "text(254)",
    language: "text(8)",
    /** JSON, from which the mail is made; empty once it is sent. */
    content: "text",
    /** "waiting", "sending", "sent" or "failed". */
    state: "text(16)",
    /** 0: before all others, even while the server is in trouble. */
    due_at: "int",
    attempts: "int",
    tried_at: "int?",
    /** The last attempt failed for a reason that other mails share. */
    is_server_trouble: "int",
    /** How often a process ended while it sent the mail. */
    was_interrupted: "int",
    error: "text(500)?",
    created_at: "int",
    sent_at: "int?",
    useful_until: "int?",
    /** Unique: a second mail of that key is not queued, or joins the first one. */
    once_key: "text(150)?",
  },
  /** Who an account is to providers of OpenID Connect. Removed with the account. */
  account_identities: {
    /** SHA-256 of issuer and subject, 64 hex digits. */
    hash: "text(64)",
    account_id: "int",
    issuer: "text(1000)",
    subject: "text(255)",
    created_at: "int",
    used_at: "int",
  },
  /** The sealed ID token of a session by OpenID Connect, which a sign-out sends back. Removed with the session. */
  oidc_sessions: { session_id: "text(36)", id_token: "text" },
  /**
   * Also for one-time addresses (auth/set-up/repository.ts), used challenges and states (auth/account.repository.ts),
   * and tries of codes for shares (files/recipients/tries.repository.ts).
   */
  login_failures: { account: "text(128)", failures: "int", retry_at: "int", updated_at: "int" },
} as const;

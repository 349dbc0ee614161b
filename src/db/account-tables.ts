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
    /** Of the MCP server. */
    tool: "text?",
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
    /** 1: webhooks have to be told; see webhooks/. */
    untold: "int?",
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
    /** The text in force before. */
    old_value: "text?",
    new_value: "text?",
    changed_at: "int",
    changed_by: "text",
  },
  users: {
    id: "serial",
    /** Lower-case, unique. */
    username: "text",
    password_hash: "text",
    /** "admin", "editor" or "user". */
    role: "text",
    /** 1: can't sign in and has no sessions. */
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
    /** Bytes; 0 is unlimited. */
    quota_bytes: "int0",
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
    /** Of the client, at the sign-in or the last refresh. */
    address: "text?",
    /** From the user agent of the sign-in, such as "Firefox" and "Linux". */
    browser: "text?",
    os: "text?",
    /** What was proved (lib/credential.ts). */
    signed_in_by: "text?",
  },
  /** Of accounts with TOTP, like `recovery_codes`. */
  authenticators: {
    account_id: "int",
    /** Sealed (lib/secret-box.ts). */
    secret: "text",
    /** Null: a sign-in does not ask for codes yet. */
    confirmed_at: "int?",
    /** The time step of the last accepted code (RFC 6238). */
    last_step: "int",
    created_at: "int",
  },
  /** A row is one unused code: its SHA-256, 64 hex digits. */
  recovery_codes: { account_id: "int", hash: "text" },
  passkeys: {
    id: "serial",
    account_id: "int",
    name: "text",
    /** SHA-256 of `credential_id`, 64 hex digits; unique. */
    credential_hash: "text",
    /** Base64url, at most 1,364 characters. */
    credential_id: "text",
    /** COSE, as base64url. */
    public_key: "text",
    /** Of signatures; many authenticators keep it at 0. */
    counter: "int",
    /** Names, separated by blanks. */
    transports: "text",
    /** Whether it is on several devices. */
    backed_up: "int",
    created_at: "int",
    last_used_at: "int?",
  },
  /** Where an account gets mails, and which. `account_id` 0 is the built-in administrator. Removed with the account. */
  account_mail: {
    account_id: "int",
    /** Lower-case; unique. */
    email: "text?",
    /** Null: nobody has followed a link sent there. */
    proved_at: "int?",
    language: "text",
    /** JSON: how often, by kind (auth/contact/choices.ts). */
    choices: "text",
  },
  /** The outbox, and the log of what was sent (mail/outbox.ts). */
  mails: {
    id: "serial",
    /** ≤ 32 characters. */
    kind: "text",
    /** Null: an address alone. */
    account_id: "int?",
    recipient: "text",
    language: "text",
    /** JSON, from which the mail is made; empty once it is sent. */
    content: "text",
    /** "waiting", "sending", "sent" or "failed". */
    state: "text",
    /** 0: before all others, even while the server is in trouble. */
    due_at: "int",
    attempts: "int",
    tried_at: "int?",
    /** The last attempt failed for a reason that other mails share. */
    is_server_trouble: "int",
    /** How often a process ended while it sent the mail. */
    was_interrupted: "int",
    error: "text?",
    created_at: "int",
    sent_at: "int?",
    useful_until: "int?",
    /** Unique: a second mail of that key is not queued, or joins the first one. */
    once_key: "text?",
  },
  /** Who an account is to providers of OpenID Connect. Removed with the account. */
  account_identities: {
    /** SHA-256 of issuer and subject, 64 hex digits. */
    hash: "text",
    account_id: "int",
    issuer: "text",
    subject: "text",
    created_at: "int",
    used_at: "int",
  },
  /** Of sessions by OpenID Connect: the sealed ID token, which a sign-out sends back. Removed with the session. */
  oidc_sessions: { session_id: "text", id_token: "text" },
  /** Also for one-time addresses (auth/set-up/repository.ts) and used challenges (auth/passkeys/repository.ts). */
  login_failures: { account: "text", failures: "int", retry_at: "int", updated_at: "int" },
} as const;

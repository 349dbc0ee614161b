/** Version 1.0: settings, accounts and teams, how they sign in, what they did, and their mails. */
import { ACCOUNT_TABLES } from "../account-tables.ts";
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1028_settings", "settings", ACCOUNT_TABLES.settings, ["primary key (key)"]),
  createTable("1029_settings_history", "settings_history", ACCOUNT_TABLES.settings_history, []),
  {
    name: "1030_settings_history_key",
    up: (db, w) =>
      w.createIndex(db, {
        name: "settings_history_key",
        table: "settings_history",
        columns: `${w.quote("key")}, id`,
      }),
  },
  createTable("1031_users", "users", ACCOUNT_TABLES.users, ["constraint users_username unique (username)"]),
  createTable("1032_sessions", "sessions", ACCOUNT_TABLES.sessions, [
    "primary key (id)",
    "index sessions_user_id (user_id)",
    "index sessions_expires_at (expires_at)",
  ]),
  createTable("1033_login_failures", "login_failures", ACCOUNT_TABLES.login_failures, [
    "primary key (account)",
  ]),
  createTable("1034_events", "events", ACCOUNT_TABLES.events, [
    "index events_at (at, id)",
    "index events_action (action, at, id)",
    "index events_actor (actor, at, id)",
    "index events_subject (subject, at, id)",
    "index events_subject_id (subject_id, at, id)",
    "index events_untold (untold, id)",
  ]),
  createTable("1035_tokens", "tokens", ACCOUNT_TABLES.tokens, [
    "constraint tokens_hash unique (hash)",
    "constraint tokens_name unique (user_id, name)",
  ]),
  createTable("1036_teams", "teams", ACCOUNT_TABLES.teams, ["constraint teams_name unique (name)"]),
  createTable("1037_team_members", "team_members", ACCOUNT_TABLES.team_members, [
    "primary key (team_id, account_id)",
    "constraint team_members_team foreign key (team_id) references teams (id) on delete cascade",
    "index team_members_account (account_id, team_id)",
  ]),
  createTable("1038_authenticators", "authenticators", ACCOUNT_TABLES.authenticators, [
    "primary key (account_id)",
  ]),
  createTable("1039_recovery_codes", "recovery_codes", ACCOUNT_TABLES.recovery_codes, [
    "primary key (account_id, hash)",
  ]),
  createTable("1040_passkeys", "passkeys", ACCOUNT_TABLES.passkeys, [
    "constraint passkeys_credential unique (credential_hash)",
    "index passkeys_account (account_id)",
  ]),
  createTable("1041_mails", "mails", ACCOUNT_TABLES.mails, [
    "constraint mails_once unique (once_key)",
    "index mails_due (state, due_at, id)",
    "index mails_created (created_at, id)",
  ]),
  createTable("1042_account_mail", "account_mail", ACCOUNT_TABLES.account_mail, [
    "primary key (account_id)",
    "constraint account_mail_email unique (email)",
  ]),
  createTable("1043_account_identities", "account_identities", ACCOUNT_TABLES.account_identities, [
    "primary key (hash)",
    "constraint account_identities_user foreign key (account_id) references users (id) on delete cascade",
    "index account_identities_account (account_id)",
  ]),
  createTable("1044_oidc_sessions", "oidc_sessions", ACCOUNT_TABLES.oidc_sessions, [
    "primary key (session_id)",
    "constraint oidc_sessions_session foreign key (session_id) references sessions (id) on delete cascade",
  ]),
];

/** Version 0.9: sign-in by OpenID Connect, and what a sign-in proved. */
import { addColumn, createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("0210_account_identities", "account_identities", (w) => [
    `hash ${w.text(64)} not null primary key`,
    `account_id ${w.int} not null`,
    `issuer ${w.text(1000)} not null`,
    `subject ${w.text(255)} not null`,
    `created_at ${w.int} not null`,
    `used_at ${w.int} not null`,
    "constraint account_identities_user foreign key (account_id) references users (id) on delete cascade",
  ]),
  createIndex(
    "0211_account_identities_account",
    "account_identities",
    "account_identities_account",
    "account_id",
  ),
  createTable("0212_oidc_sessions", "oidc_sessions", (w) => [
    `session_id ${w.text(36)} not null primary key`,
    `id_token ${w.longText} not null`,
    "constraint oidc_sessions_session foreign key (session_id) references sessions (id) on delete cascade",
  ]),
  addColumn("0213_sessions_signed_in_by", "sessions", "signed_in_by", (w) => w.text(16)),
];

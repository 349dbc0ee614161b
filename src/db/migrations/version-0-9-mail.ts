/** Version 0.9: the outbox of mails, and where accounts get mails. */
import { createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("0180_mails", "mails", (w) => [
    `id ${w.serial}`,
    `kind ${w.text(32)} not null`,
    `account_id ${w.int}`,
    `recipient ${w.text(254)} not null`,
    `language ${w.text(8)} not null`,
    `content ${w.longText} not null`,
    `state ${w.text(16)} not null`,
    `due_at ${w.int} not null`,
    `attempts ${w.int} not null`,
    `tried_at ${w.int}`,
    `is_server_trouble ${w.int} not null`,
    `was_interrupted ${w.int} not null`,
    `error ${w.text(500)}`,
    `created_at ${w.int} not null`,
    `sent_at ${w.int}`,
    `useful_until ${w.int}`,
    `once_key ${w.text(150)}`,
    "constraint mails_once unique (once_key)",
  ]),
  createIndex("0181_mails_due", "mails", "mails_due", "state, due_at, id"),
  createIndex("0182_mails_created", "mails", "mails_created", "created_at, id"),
  createTable("0183_account_mail", "account_mail", (w) => [
    `account_id ${w.int} not null primary key`,
    `email ${w.text(254)}`,
    `proved_at ${w.int}`,
    `language ${w.text(8)} not null`,
    `choices ${w.longText} not null`,
    "constraint account_mail_email unique (email)",
  ]),
];

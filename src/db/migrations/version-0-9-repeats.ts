/** Version 0.9: answers to requests with an Idempotency-Key. */
import { createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("0240_repeats", "repeats", (w) => [
    `id ${w.text(64)} not null primary key`,
    `account_id ${w.int} not null`,
    `fingerprint ${w.text(64)} not null`,
    `claim ${w.text(36)} not null`,
    `state ${w.text(8)} not null`,
    `claimed_until ${w.int} not null`,
    `expires_at ${w.int} not null`,
    `size ${w.int} not null`,
    `answer ${w.longText}`,
  ]),
  createIndex("0241_repeats_account", "repeats", "repeats_account", "account_id, expires_at, size"),
  createIndex("0242_repeats_expiry", "repeats", "repeats_expiry", "expires_at"),
];

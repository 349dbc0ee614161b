/** Version 0.4: the codes of deleted links. */
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("0057_deleted_links", "deleted_links", (w) => [
    `link_id ${w.int} not null primary key`,
    `code ${w.text(128)} not null`,
    `deleted_at ${w.int} not null`,
  ]),
];

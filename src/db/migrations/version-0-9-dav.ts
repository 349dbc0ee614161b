/** Version 0.9: locks and properties of WebDAV. */
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("0260_dav_locks", "dav_locks", (w) => [
    `id ${w.int} not null primary key`,
    `content ${w.longText} not null`,
  ]),
  createTable("0261_dav_properties", "dav_properties", (w) => [
    `id ${w.int} not null primary key`,
    `content ${w.longText} not null`,
    "constraint dav_properties_entry foreign key (id) references entries (id) on delete cascade",
  ]),
];

/** Version 1.0: moves from other products, and what each of them brought until it is confirmed. */
import { createCounterTable, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1061_imports", "imports", (w) => [
    `id ${w.serial}`,
    `product ${w.text(16)} not null`,
    `source ${w.text(1000)} not null`,
    `file ${w.text(64)}`,
    `secret ${w.text(2000)}`,
    `state ${w.text(16)} not null`,
    `created_at ${w.int} not null`,
    `created_by ${w.text(140)} not null`,
    `updated_at ${w.int} not null`,
    `options ${w.longText} not null`,
    `report ${w.longText} not null`,
    `link_place ${w.int} not null default 0`,
    `visit_place ${w.int} not null default 0`,
    `event_id ${w.int}`,
    `file_place ${w.int} not null default 0`,
  ]),
  createTable(
    "1062_import_links",
    "import_links",
    (w) => [
      `import_id ${w.int} not null`,
      `source_key ${w.text(32)} not null`,
      `link_id ${w.int} not null`,
      `made_at ${w.int} not null`,
      `total ${w.int} not null default 0`,
      `dated ${w.int} not null default 0`,
      `automated ${w.int} not null default 0`,
      `removed ${w.int} not null default 0`,
      "primary key (import_id, source_key)",
    ],
    {
      import_links_link: "import_id, removed, link_id",
    },
  ),
  createCounterTable("1063_import_clicks", "import_clicks", (w) => [
    `import_id ${w.int} not null`,
    `link_id ${w.int} not null`,
    `unit ${w.int} not null`,
    `bucket ${w.int} not null`,
    `dimension ${w.int} not null`,
    `value_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    `automated ${w.int} not null default 0`,
    "primary key (import_id, link_id, unit, bucket, dimension, value_id)",
  ]),
  createTable(
    "1064_import_notes",
    "import_notes",
    (w) => [
      `id ${w.serial}`,
      `import_id ${w.int} not null`,
      `place ${w.int} not null`,
      `kind ${w.text(16)} not null`,
      `code ${w.text(200)} not null`,
      `reason ${w.text(1000)} not null`,
    ],
    {
      import_notes_kind: "import_id, kind, id",
      import_notes_import: "import_id, id",
    },
  ),
  createTable(
    "1065_import_entries",
    "import_entries",
    (w) => [
      `import_id ${w.int} not null`,
      `entry_id ${w.int} not null`,
      `parent_id ${w.int} not null`,
      `made_at ${w.int} not null`,
      "primary key (import_id, entry_id)",
    ],
    {
      import_entries_parent: "import_id, parent_id",
    },
  ),
];

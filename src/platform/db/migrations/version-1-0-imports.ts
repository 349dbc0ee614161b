/** Version 1.0: moves from other products, and what each of them made until it is confirmed. */
import { IMPORT_TABLES } from "../import-tables.ts";
import { createCounterTable, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1061_imports", "imports", IMPORT_TABLES.imports, []),
  createTable("1062_import_links", "import_links", IMPORT_TABLES.import_links, [
    "primary key (import_id, source_key)",
    "index import_links_link (import_id, removed, link_id)",
  ]),
  createCounterTable("1063_import_clicks", "import_clicks", IMPORT_TABLES.import_clicks, [
    "primary key (import_id, link_id, unit, bucket, dimension, value_id)",
  ]),
  createTable("1064_import_notes", "import_notes", IMPORT_TABLES.import_notes, [
    "index import_notes_kind (import_id, kind, id)",
    "index import_notes_import (import_id, id)",
  ]),
  createTable("1065_import_entries", "import_entries", IMPORT_TABLES.import_entries, [
    "primary key (import_id, entry_id)",
    "index import_entries_parent (import_id, parent_id)",
  ]),
];

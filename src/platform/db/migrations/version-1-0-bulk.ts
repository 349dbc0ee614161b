/** Version 1.0: bulk changes of links, and presets. */
import { LINK_TABLES } from "../link-tables.ts";
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1098_bulk_changes", "bulk_changes", LINK_TABLES.bulk_changes, [
    "constraint bulk_changes_bulk unique (at, bulk)",
    "index bulk_changes_account (account_id, at, bulk)",
    "index bulk_changes_state (state)",
  ]),
  createTable("1099_presets", "presets", LINK_TABLES.presets, [
    "constraint presets_name unique (owner_id, kind, name)",
  ]),
];

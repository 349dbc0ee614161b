/** Tables of moves from other products; see schema.ts. */
export const IMPORT_TABLES = {
  imports: {
    id: "serial",
    product: "text(16)",
    /** Name of the file, or address without secrets. */
    source: "text(1000)",
    /** An uploaded file in the folder of imports. */
    file: "text(64)?",
    /** The key of the source, sealed. */
    secret: "text(2000)?",
    /** See imports/move/state.ts. */
    state: "text(16)",
    created_at: "int",
    created_by: "text(140)",
    updated_at: "int",
    /** JSON. */
    options: "text",
    /** JSON (imports/move/state.ts). */
    report: "text",
    /** Places of the last written link, visit and file in the source; 0: none. */
    link_place: "int0",
    visit_place: "int0",
    event_id: "int?",
    file_place: "int0",
  },
  /** The links of an import, until it is confirmed. */
  import_links: {
    import_id: "int",
    /** Hash of domain and code in the source. */
    source_key: "text(32)",
    link_id: "int",
    /** `updated_at` of the new link. */
    made_at: "int",
    /** Clicks by the source's own count; dated visits that were imported, and those of them that are automated. */
    total: "int0",
    dated: "int0",
    automated: "int0",
    /** 1: by undo, but for its row in `deleted_links`. */
    removed: "int0",
  },
  /** Imported sums, until the import is confirmed. */
  import_clicks: {
    import_id: "int",
    /** 0: all links. */
    link_id: "int",
    /** 0: hours, 1: days. */
    unit: "int",
    bucket: "int",
    /** 0: clicks, else as in click_dim_days. */
    dimension: "int",
    value_id: "int",
    clicks: "int",
    automated: "int0",
  },
  /** Folders and files of an import, until it is confirmed. */
  import_entries: {
    import_id: "int",
    entry_id: "int",
    /** Where it was put; 0: in the root. */
    parent_id: "int",
    /** `updated_at` of the new entry. */
    made_at: "int",
  },
  /** What was not imported, or not as it was, and why. */
  import_notes: {
    id: "serial",
    import_id: "int",
    place: "int",
    kind: "text(16)",
    code: "text(200)",
    reason: "text(1000)",
  },
} as const;

/** The form of bulk edits. Separate from the work, which pages of one link need not load. */
/** The draft, until a change is complete. */
export const BULK_DRAFT = "edit of many";

/** A change of many links. */
export type BulkChange = {
  add: readonly string[];
  remove: readonly string[];
  /** Undefined keeps it, null is never. */
  expires?: string | null;
  /** A host; empty: the default domain. Undefined keeps it. */
  domain?: string;
  /** Undefined keeps it. */
  owner?: string;
};

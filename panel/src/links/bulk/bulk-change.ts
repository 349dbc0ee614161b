/** What the form of bulk edits asks for. Apart from the work, which pages of one link need not load. */
/** Of what is typed until a change is through. */
export const BULK_DRAFT = "edit of many";

/** What changes of each of many links. */
export type BulkChange = {
  add: readonly string[];
  remove: readonly string[];
  /** Undefined keeps it, null is never. */
  expires?: string | null;
  /** A host; empty: the default domain. Undefined keeps it. */
  domain?: string;
};

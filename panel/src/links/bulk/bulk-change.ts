import type { UtmValues } from "../form/utm-fields.tsx";

/** The form of bulk edits. Separate from the work, which pages of one link need not load. */
/** The draft, until a change is complete. */
export const BULK_DRAFT = "new bulk change";

/** What the form begins with, while the other fields are folded. Null: all fields, in their order. */
export type BulkLead = "owner" | "target" | null;

/** A change of many links. */
export type LinksChange = {
  add: readonly string[];
  remove: readonly string[];
  /** Undefined keeps it, null is never. */
  expires?: string | null;
  /** A host; empty: the default domain. Undefined keeps it. */
  domain?: string;
  /** Undefined keeps it. */
  owner?: string;
  /** A text in targets, and what it becomes. */
  replace?: { text: string; by: string };
  /** Parameters of campaigns that targets get; the others stay. */
  utm?: UtmValues;
};

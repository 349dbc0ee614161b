/** Whose clicks a report counts, and which of them. */
import type { LinkSet } from "../../links/list/link-set.repository.ts";
import type { COLUMN_OF, ColumnDimension } from "../rollups/dimensions.ts";
import type { Visitors } from "../../lib/visitors.ts";

export type Selection = {
  /** Null: of all links, deleted ones too. */
  links: LinkSet | null;
  /** Null: any. Otherwise clicks are counted in click_log. */
  details: DetailConditions | null;
  visitors: Visitors;
};

export type SelectedClicks = Pick<Selection, "links" | "details">;

/** All must hold. */
export type DetailConditions = {
  /** Columns of click_log. */
  texts: readonly (readonly [
    column: "country" | "city" | (typeof COLUMN_OF)[ColumnDimension],
    text: string,
  ])[];
  /** Ids of values; null: any. */
  agents: readonly number[] | null;
};

export const EVERY_CLICK: SelectedClicks = { links: null, details: null };

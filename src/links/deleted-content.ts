/** What `deleted_links.content` holds: the row of the link as it is stored, and what hangs on it. */
import type { LinkContent } from "./link.ts";

export type DeletedContent = LinkContent & {
  createdAt: number;
  updatedAt: number;
  ownerId: number | null;
  createdBy: string | null;
  /** Keys. */
  aliases?: readonly string[];
  /** How many people passed a link with `max_clicks`. */
  uses?: number;
};

export type DeletedLink = DeletedContent & {
  id: number;
  /** The key. */
  code: string;
  clickCount: number;
  automatedClicks: number;
  deletedAt: number;
  deletedBy: string | null;
};

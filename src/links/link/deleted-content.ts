/** The content of `deleted_links.content`: the stored row of the link, and the data that belongs to it. */
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
  /** In pages. Null: none, or it is gone. */
  ownerName?: string | null;
};

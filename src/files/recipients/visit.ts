/** What a verified recipient of a share did. */
import type { RowFields } from "../../platform/db/schema.ts";
export type VisitAction = "open" | "download" | "archive";

export type RecipientVisit = Omit<RowFields<"share_visits", { action: VisitAction }>, "linkId">;

export type DoneVisit = Omit<RecipientVisit, "id"> & { linkId: number };

/** Life cycle: service.ts. */
import type { RowFields } from "../../platform/db/schema.ts";
export type BlobState = "live" | "dead" | "damaged";

export type StoredBlob = Omit<RowFields<"blobs", { state: BlobState }>, "retired" | "createdAt">;

/** Without references: its object is removed, then its row. */
export type DeadBlob = Pick<StoredBlob, "id" | "policyId" | "objectKey">;

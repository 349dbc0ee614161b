/** Life cycle: service.ts. */
export type BlobState = "live" | "dead" | "damaged";

export type StoredBlob = {
  id: number;
  policyId: number;
  /** 64 hex digits. */
  sha256: string;
  generation: number;
  size: number;
  /** Entries that refer to it. */
  refs: number;
  state: BlobState;
  objectKey: string;
  /** Epoch milliseconds; 0: never. */
  checkedAt: number;
};

/** Without references: its object is removed, then its row. */
export type DeadBlob = Pick<StoredBlob, "id" | "policyId" | "objectKey">;

/** Content as it is stored: see blobs/service.ts. */
export type BlobState = "live" | "dead" | "damaged";

export type StoredBlob = {
  id: number;
  policyId: number;
  /** 64 hex digits. */
  sha256: string;
  generation: number;
  size: number;
  /** How many entries hold it. */
  refs: number;
  state: BlobState;
  objectKey: string;
  /** Epoch milliseconds; 0 is never. */
  checkedAt: number;
};

/** One that nobody holds any more; its object and then its row are to be removed. */
export type DeadBlob = Pick<StoredBlob, "id" | "policyId" | "objectKey">;

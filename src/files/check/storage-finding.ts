/** What a check of storage or trees finds, and how one is run. */
export type StorageProblem =
  | "storage_unavailable"
  | "missing_object"
  | "wrong_size"
  | "damaged_blob"
  | "wrong_refs"
  | "unheld_blob"
  | "dead_blob_in_use"
  | "odd_file"
  | "orphan_object"
  | "stale_staging"
  | "lost_entry"
  | "folder_cycle"
  | "wrong_usage";

export type StorageFinding = {
  problem: StorageProblem;
  /** For people, with what it is about. */
  message: string;
  fixed: boolean;
};

/** Findings as they are made. Rejects when the database is away. */
export type StorageCheck = (options: {
  fix: boolean;
  signal?: AbortSignal;
}) => AsyncGenerator<StorageFinding>;

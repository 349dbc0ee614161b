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
  /** For people, with the subject. */
  message: string;
  fixed: boolean;
};

/** Folders of all accounts, then objects of each storage, then rows of contents. */
export type StorageCheckStep = "folders" | "objects" | "contents";

/** Findings as they arise. Rejects if the database is away. */
export type StorageCheck = (options: {
  fix: boolean;
  signal?: AbortSignal;
  /** Steps follow each other. `total` as counted at the start. */
  onProgress?(step: StorageCheckStep, done: number, total: number): void;
}) => AsyncGenerator<StorageFinding>;

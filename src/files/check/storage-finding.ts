import type { FolderPath } from "../tree/paths.repository.ts";

export type StorageProblem =
  | "storage_unavailable"
  | "missing_object"
  | "wrong_size"
  | "damaged_blob"
  | "lost_content"
  | "trashed_content"
  | "unlikely_loss"
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

/** Moves the file if this blob is still its content. @throws FileNotFound */
export type MoveToTrash = (
  accountId: number,
  id: number,
  blobId: number,
) => Promise<{ name: string; size: number | null; path: FolderPath | null }>;

/** Findings as they arise. Rejects if the database is away. */
export type StorageCheck = (options: {
  fix: boolean;
  /** With `fix`: takes the files whose content is missing. Without it they stay. */
  toTrash?: MoveToTrash;
  /** Also if more than half of a storage is missing. */
  isAllLost?: boolean;
  signal?: AbortSignal;
  /** Steps follow each other. `total` as counted at the start. */
  onProgress?(step: StorageCheckStep, done: number, total: number): void;
}) => AsyncGenerator<StorageFinding>;

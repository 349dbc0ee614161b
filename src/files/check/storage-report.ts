import { programName } from "../../lib/program-name.ts";
import type { FolderPath } from "../tree/paths.repository.ts";

export type StorageProblem = keyof typeof ADVICE;

export type StorageFinding = {
  problem: StorageProblem;
  /** A sentence for people that names the subject. */
  message: string;
  fixed: boolean;
};

/** Folders of all accounts, then objects of each storage, then rows of contents. */
export type StorageCheckStep = "folders" | "objects" | "contents";

/** Adds to what is done of a step. */
export type CheckMeter = (step: Exclude<StorageCheckStep, "folders">, more: number) => void;

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
  /** Moves files also if more than half of a storage is missing. */
  isAllLost?: boolean;
  signal?: AbortSignal;
  /** Steps follow each other. `total` as counted at the start. */
  onProgress?(step: StorageCheckStep, done: number, total: number): void;
}) => AsyncGenerator<StorageFinding>;

const FIX = `'${programName()} doctor --storage --fix'`;
const MEND = `${FIX} mends it.`;
const ALL = `'${programName()} doctor --storage --fix=all'`;
const RESTORE = `Put the object back from a backup, then run ${FIX}, which moves files whose content stays missing to the trash.`;

const ADVICE = {
  storage_unavailable: "Make the storage reachable, then run this command again.",
  missing_object: RESTORE,
  wrong_size: RESTORE,
  damaged_blob: RESTORE,
  lost_content: MEND,
  trashed_content: `Put the object back from a backup, run ${FIX}, and restore the files; or do nothing: they are deleted with the trash.`,
  unlikely_loss: `Mount its disk or put the objects back, then run ${FIX}. If they are lost for good, ${ALL} moves their files to the trash.`,
  wrong_refs: MEND,
  unheld_blob: MEND,
  dead_blob_in_use: "This should not happen; restore the database from a backup, or delete the files.",
  odd_file: "This should not happen; restore the database from a backup, or delete the file.",
  orphan_object: MEND,
  stale_staging: MEND,
  lost_entry: "This should not happen; restore the database from a backup.",
  folder_cycle: "This should not happen; restore the database from a backup.",
  wrong_usage: MEND,
};

const REPAIRED: Partial<Record<StorageProblem, string>> = { lost_content: "It was moved to the trash." };

/** A fixed finding is a warning, and so is a loss that only the trash has. */
export const storageReport = ({ problem, message, fixed }: StorageFinding) =>
  fixed
    ? { verdict: "warning" as const, message, advice: REPAIRED[problem] ?? "It was repaired." }
    : {
        verdict: problem === "trashed_content" ? ("warning" as const) : ("failure" as const),
        message,
        advice: ADVICE[problem],
      };

export const finding = (problem: StorageProblem, message: string, fixed: boolean): StorageFinding => ({
  problem,
  message,
  fixed,
});

import { programName } from "../../lib/program-name.ts";
import type { StorageFinding, StorageProblem } from "./storage-finding.ts";

const FIX = `'${programName()} doctor --storage --fix'`;
const MEND = `${FIX} mends it.`;
const RESTORE = `Put the object back from a backup, then run ${FIX}; or delete the files.`;

const ADVICE: Record<StorageProblem, string> = {
  storage_unavailable: "Make the storage reachable, then run this command again.",
  missing_object: RESTORE,
  wrong_size: RESTORE,
  damaged_blob: RESTORE,
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

/** A fixed finding is a warning. */
export const storageReport = ({ problem, message, fixed }: StorageFinding) =>
  fixed
    ? { verdict: "warning" as const, message, advice: "It was repaired." }
    : { verdict: "failure" as const, message, advice: ADVICE[problem] };

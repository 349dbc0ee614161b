import { AppError, appError } from "../../lib/errors.ts";

/** Clients must not learn paths. */
const UNWRITABLE =
  "The storage can't be written. Run 'waymark doctor' on the server: it says what is wrong and what to run.";
const SENTENCES: Record<string, string> = {
  EFBIG: "The storage does not accept files of this size.",
  EROFS: UNWRITABLE,
  EACCES: UNWRITABLE,
  EPERM: UNWRITABLE,
  ENOTDIR: UNWRITABLE,
  EEXIST: UNWRITABLE,
  EMFILE: "The storage is busy. Try again.",
  ENFILE: "The storage is busy. Try again.",
};

/** An AppError passes unchanged. */
export function storageFailure(cause: unknown, sentence?: string): AppError {
  if (cause instanceof AppError) return cause;
  const code = String((cause as { code?: unknown } | null)?.code);
  if (code === "ENOSPC" || code === "EDQUOT") return storageFull(cause);
  return appError(
    "StorageUnavailable",
    sentence ?? SENTENCES[code] ?? "The storage is not available. Try again later.",
    {
      cause,
    },
  );
}

export const storageFull = (cause: unknown): AppError =>
  appError("InsufficientStorage", "The storage is full. Make room there, then try again.", { cause });

export const stagingLost = (cause: unknown): AppError =>
  appError("StorageUnavailable", "The upload is lost. Start it again.", { cause, details: { isLost: true } });

export const isStagingLost = (error: unknown): boolean =>
  error instanceof AppError && error.details?.["isLost"] === true;

/** Other errors come from elsewhere, such as the source of an upload. */
export const isStorageFailure = (error: unknown): boolean =>
  error instanceof AppError && (error.name === "StorageUnavailable" || error.kind === "full");

export async function withStorageFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageFailure(error);
  }
}

/** A stored file is cut off, changed or gone. */
export const contentDamaged = (sentence: string, cause?: unknown): AppError =>
  appError("StorageUnavailable", sentence, { cause, details: { isDamaged: true } });

export const isContentDamaged = (error: unknown): boolean =>
  error instanceof AppError && error.details?.["isDamaged"] === true;

/** A linked folder. */
export const folderAway = (code: string) =>
  appError("StorageUnavailable", "The folder on the server is not available just now. Try again later.", {
    cause: Object.assign(new Error(`the linked folder can't be opened: ${code}`), { code }),
  });

/** The next look at a linked folder shows what is there. */
export const fileChanged = (cause?: unknown) =>
  appError("StorageUnavailable", "The file has just changed on the server. Load it again.", {
    cause,
    details: { isChanged: true },
  });

/** For the code of an answer of a disk. */
export function diskFailure({ where, code }: { where: "root" | "inside"; code: string }): AppError {
  if (where === "root") return folderAway(code);
  const cause = Object.assign(new Error(`the linked folder: ${code}`), { code });
  if (CHANGED_CODES.has(code)) return fileChanged(cause);
  if (NOT_ALLOWED.has(code))
    return appError(
      "StorageUnavailable",
      "The server's account may not write there. Its administrator can allow it.",
      {
        cause,
      },
    );
  if (code === "ENAMETOOLONG" || code === "EILSEQ")
    return appError("InvalidName", "The disk of the server does not take this name. Choose another one.", {
      cause,
    });
  return storageFailure(cause);
}

const CHANGED_CODES = new Set(["changed", "ENOENT", "ENOTDIR", "EISDIR", "ELOOP", "EXDEV", "EINVAL"]);
const NOT_ALLOWED = new Set(["EACCES", "EPERM", "EROFS"]);

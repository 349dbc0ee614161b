/** The browser's record of an upload until its end, so that a reload can continue it. */

/** A handle to read the bytes again, if the person allows it. Not in every browser. */
export type FileSource = FileSystemHandle & {
  queryPermission?(requested: { mode: "read" }): Promise<PermissionState>;
  requestPermission?(requested: { mode: "read" }): Promise<PermissionState>;
};

export type UploadRecord = {
  id: string;
  /** Of the account that began it. */
  account: string;
  /** The tab that runs it, by the name of its lock. */
  tab: string;
  /** Null is the root. */
  folder: number | null;
  /** Whose root; absent: that of the account. */
  team?: string | undefined;
  name: string;
  /** As shown: with the folders around it. */
  path: string;
  size: number;
  type: string;
  lastModified: number;
  /** On the server; null before it has begun there. */
  tusId: string | null;
  isPaused: boolean;
  /** The file that gets this content, and keeps its own as a version. */
  replaces: number | null;
  finalName: string;
  /** A file, or the folder that it lies in. */
  source: FileSource | null;
  /** From a folder to the file. */
  sourcePath: readonly string[];
};

/**
 * `again`: its bytes are gone, and the person must choose the file again. `asks`: the browser asks for permission to
 * read them.
 */
export type UploadState = "queued" | "running" | "waiting" | "paused" | "again" | "asks" | "done" | "failed";

export type UploadItem = {
  record: UploadRecord;
  state: UploadState;
  sent: number;
  /** The server's message. */
  problem: string;
  /** If the server gave it another name. */
  storedAs?: string;
};

export const isMoving = ({ state }: UploadItem): boolean => ["queued", "running", "waiting"].includes(state);

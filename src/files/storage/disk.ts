/** What a linked policy says of the folder of the server that it shows (docs/decisions/linked-folders.md). */
export type DiskKind = "file" | "folder";

/** From the folder down. A name is as stored: text, or "/" and the hex digits of what is not UTF-8. */
export type DiskNames = readonly string[];

/** `time`: when it changed, in microseconds since the epoch. */
export type DiskFile = { names: DiskNames; time: number };

export type DiskItem = {
  name: string;
  kind: DiskKind;
  /** 0 for folders, like `time`. */
  size: number;
  time: number;
};

export type KnownItem = DiskItem & { id: number };

export type DiskDifference = {
  /** Not there any more. */
  gone: number[];
  changed: KnownItem[];
};

/** `where`: whether the root failed, or something in it. `code`: such as ENOENT. */
export type DiskAnswer<T> = { value: T } | { where: "root" | "inside"; code: string };

export type OpenedFile = { fd: number; size: number; time: number };

/** `inode` is that of the root. */
export type DiskListing = { id: number; inode: string; count: number };

/** Never rejects for what is on the disk, and answers in bounded time. */
export type Disk = {
  look(): Promise<DiskAnswer<true>>;
  /** Close the descriptor. */
  open(names: DiskNames): Promise<DiskAnswer<OpenedFile>>;
  /** Ends with `forget` of its id. Links, mounts and what is neither file nor folder are left out. */
  list(names: DiskNames): Promise<DiskAnswer<DiskListing>>;
  /** Whether one of these is there. */
  hasSome(id: number, names: readonly string[]): Promise<boolean>;
  /** What is known and equal is not among the rest. */
  compare(id: number, known: readonly KnownItem[]): Promise<DiskDifference>;
  /** The next of what is not known; none at the end. */
  rest(id: number): Promise<DiskItem[]>;
  forget(id: number): Promise<void>;
};

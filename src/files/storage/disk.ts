/**
 * What a linked policy says of the folder of the server that it shows, and does there if it may write
 * (docs/decisions/linked-folders.md).
 */
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

/**
 * A folder of the root that nobody sees. Uploads are written there until they have their place (`{uuid}`), what is in
 * the trash lies there (`trash-…`), and what is being removed (`gone-…`).
 */
export const HIDDEN = ".waymark";

/** The root must have this inode, unless it is null: an empty mount point is another folder. */
type InRoot = { inode: string | null };

export type DiskMove = InRoot & {
  from: DiskNames;
  /** Must be free. */
  to: DiskNames;
  /** What has to be at `from`. */
  expected?: DiskState | undefined;
  /** `to` is a file like this one, which is replaced in one step and stays as `kept` unless that is null. */
  over?: (DiskState & { kept: DiskNames | null }) | undefined;
};

export type DiskState = { size: number; time: number };

/** Bytes of an upload. */
export type DiskPart = { id: string; size: number; modifiedAt: number };

/** Codes of answers beside those of the system: it is not as expected; bytes of an upload are missing. */
export const CHANGED = "changed";
export const LOST = "lost";

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

  /** Durable when it resolves, like `move`. */
  makeFolder(one: InRoot & { names: DiskNames }): Promise<DiskAnswer<true>>;
  move(one: DiskMove): Promise<DiskAnswer<true>>;
  /** Marks what lies in the hidden folder for `sweep`. Also resolves if it does not. */
  discard(name: string): Promise<DiskAnswer<true>>;
  /** Removes what is marked, and says whether all is gone. Follows nothing that leads outside. */
  sweep(): Promise<DiskAnswer<boolean>>;
  /** Bytes of an upload: new ones, or cut to the first `received`. Close the descriptor. */
  openPart(id: string, received: number | null): Promise<DiskAnswer<{ fd: number }>>;
  /** Gives the bytes the client's time. */
  settlePart(id: string, modifiedAt: number | null): Promise<DiskAnswer<DiskState>>;
  parts(): Promise<DiskAnswer<DiskPart[]>>;
  removePart(id: string): Promise<DiskAnswer<true>>;
};

/** The names in the hidden folder of an entry in the trash, and of one that is being removed. */
export const trashName = (tag: number, id: number): string => `trash-${tag.toString(16)}-${id}`;
export const goneName = (): string => `gone-${crypto.randomUUID()}`;

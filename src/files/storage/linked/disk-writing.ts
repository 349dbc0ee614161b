/**
 * Changes below a folder of the server, in the thread of its disk. Like reading, each works on names in folders that
 * were opened by descriptor (beneath.ts), so a link that is put in the way leads nowhere. Nothing that others have
 * written is overwritten: a new name must be free, and a file that is replaced has to be the one that was known.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import {
  CHANGED,
  type DiskMove,
  type DiskNames,
  type DiskPart,
  type DiskState,
  goneName,
  HIDDEN,
  LOST,
} from "../disk.ts";
import { isStagingId } from "../object-key.ts";
import { descriptors, mountOf, openRoot, pathBelow, placeBeneath } from "./beneath.ts";
import { during, timeOf } from "./disk-listing.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const NEW_PART = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
const OLD_PART = O_WRONLY | O_NOFOLLOW | O_NONBLOCK;
const FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
/** Others may read what has its place, as far as the server's umask allows. */
const FILE_MODE = 0o666;
const HIDDEN_MODE = 0o700;
const MODE_BITS = 0o777;
/** File systems without hard links. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);
const GONE = "gone-";
/** Removals of one call: the thread has to open files meanwhile. */
const SWEPT_AT_ONCE = 500;

type Place = ReturnType<typeof placeBeneath>;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code);
const failed = (code: string): Error => Object.assign(new Error(code), { code });

function inRoot<T>(rootPath: string, work: (root: number) => T, inode: string | null = null): T {
  const root = during("root", () => openRoot(rootPath));
  try {
    during("root", () => {
      const isOther = inode !== null && String(fstatSync(root, { bigint: true }).ino) !== inode;
      if (isOther) throw failed("another folder");
    });
    return during("inside", () => work(root));
  } finally {
    closeSync(root);
  }
}

function at<T>(root: number, names: DiskNames, work: (place: Place) => T): T {
  if (names[0] === HIDDEN) ensureHidden(root);
  const place = placeBeneath(root, names);
  try {
    return work(place);
  } finally {
    closeSync(place.fd);
  }
}

function ensureHidden(root: number): void {
  unlessCode("EEXIST", () => {
    mkdirSync(pathBelow(root, Buffer.from(HIDDEN)), HIDDEN_MODE);
    fsyncSync(root);
  });
}

function unlessCode(code: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (codeOf(error) !== code) throw error;
  }
}

const statusOf = (path: Buffer): BigIntStats => lstatSync(path, { bigint: true });

const isAs = (found: BigIntStats, { size, time }: DiskState): boolean =>
  found.isFile() && Number(found.size) === size && timeOf(found) === time;

export const createInside = (
  rootPath: string,
  { names, inode }: { names: DiskNames; inode: string | null },
): void =>
  inRoot(
    rootPath,
    (root) =>
      at(root, names, ({ fd, path }) => {
        mkdirSync(path);
        fsyncSync(fd);
      }),
    inode,
  );

export const moveInside = (rootPath: string, { from, to, expected, over, inode }: DiskMove): void =>
  inRoot(
    rootPath,
    (root) =>
      at(root, from, (source) =>
        at(root, to, (target) => {
          const found = statusOf(source.path);
          if (expected !== undefined && !isAs(found, expected)) throw failed(CHANGED);
          if (over === undefined) moveToFree(source.path, target.path, found);
          else replace(root, source, target, over);
          fsyncSync(target.fd);
          fsyncSync(source.fd);
        }),
      ),
    inode,
  );

/** Renaming would replace a file that came meanwhile; linking fails. A folder replaces an empty one at most. */
function moveToFree(from: Buffer, to: Buffer, found: BigIntStats): void {
  if (!found.isDirectory() && linked(from, to))
    return undoing(
      () => unlinkSync(from),
      () => unlinkSync(to),
    );
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) throw failed("EEXIST");
  renameSync(from, to);
}

/** Has nothing of a change left on the disk if its last step fails. */
function undoing(last: () => void, undo: () => void): void {
  try {
    last();
  } catch (error) {
    undo();
    throw error;
  }
}

/** False where the file system has no links. */
function linked(from: Buffer, to: Buffer): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (NO_LINKS.has(codeOf(error))) return false;
    throw error;
  }
}

function replace(root: number, source: Place, target: Place, over: NonNullable<DiskMove["over"]>): void {
  const former = statusOf(target.path);
  if (!isAs(former, over)) throw failed(CHANGED);
  const part = openSync(source.path, OLD_PART);
  try {
    fchmodSync(part, Number(former.mode) & MODE_BITS);
  } finally {
    closeSync(part);
  }
  const put = (): void => renameSync(source.path, target.path);
  if (over.kept === null) return put();
  at(root, over.kept, (kept) => {
    const isLinked = linked(target.path, kept.path);
    if (!isLinked) renameSync(target.path, kept.path);
    undoing(
      () => {
        fsyncSync(kept.fd);
        put();
      },
      () => (isLinked ? unlinkSync(kept.path) : renameSync(kept.path, target.path)),
    );
  });
}

export const discardHidden = (rootPath: string, name: string): void =>
  inRoot(rootPath, (root) =>
    at(root, [HIDDEN, name], ({ fd, path }) =>
      unlessCode("ENOENT", () => renameSync(path, pathBelow(fd, Buffer.from(goneName())))),
    ),
  );

export function sweepHidden(rootPath: string): boolean {
  return inRoot(rootPath, (root) => {
    const hidden = openHidden(root);
    if (hidden === null) return true;
    const left = { count: SWEPT_AT_ONCE, mount: mountOf(root) };
    try {
      return namesIn(hidden)
        .filter((name) => name.toString("latin1").startsWith(GONE))
        .every((name) => isRemoved(hidden, name, left));
    } finally {
      closeSync(hidden);
    }
  });
}

function openHidden(root: number): number | null {
  try {
    return openSync(pathBelow(root, Buffer.from(HIDDEN)), FOLDER);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

const namesIn = (fd: number): Buffer[] =>
  readdirSync(Buffer.from(`${descriptors()}/${fd}/`), { encoding: "latin1" }).map((name) =>
    Buffer.from(name, "latin1"),
  );

/** A folder with all in it, but nothing of what is mounted there. False if some is left for the next call. */
function isRemoved(folder: number, name: Buffer, left: { count: number; mount: string }): boolean {
  if (left.count-- <= 0) return false;
  const path = pathBelow(folder, name);
  if (!statusOf(path).isDirectory()) {
    unlinkSync(path);
    return true;
  }
  const fd = openSync(path, FOLDER);
  try {
    if (mountOf(fd) !== left.mount) throw failed("EXDEV");
    if (!namesIn(fd).every((one) => isRemoved(fd, one, left))) return false;
  } finally {
    closeSync(fd);
  }
  rmdirSync(path);
  return true;
}

export const openPart = (rootPath: string, id: string, received: number | null): number =>
  inRoot(rootPath, (root) =>
    at(root, [HIDDEN, id], ({ path }) => {
      const fd = openSync(path, received === null ? NEW_PART : OLD_PART, FILE_MODE);
      try {
        if (received === null) return fd;
        if (fstatSync(fd).size < received) throw failed(LOST);
        // Bytes after the last durable one may have holes.
        ftruncateSync(fd, received);
        return fd;
      } catch (error) {
        closeSync(fd);
        throw error;
      }
    }),
  );

export const settlePart = (rootPath: string, id: string, modifiedAt: number | null): DiskState =>
  inRoot(rootPath, (root) =>
    at(root, [HIDDEN, id], ({ path }) => {
      const fd = openSync(path, OLD_PART);
      try {
        if (modifiedAt !== null) {
          futimesSync(fd, modifiedAt / 1000, modifiedAt / 1000);
          fsyncSync(fd);
        }
        const found = fstatSync(fd, { bigint: true });
        return { size: Number(found.size), time: timeOf(found) };
      } finally {
        closeSync(fd);
      }
    }),
  );

export const listParts = (rootPath: string): DiskPart[] =>
  inRoot(rootPath, (root) => {
    const hidden = openHidden(root);
    if (hidden === null) return [];
    try {
      return namesIn(hidden).flatMap((bytes): DiskPart[] => {
        const id = bytes.toString();
        const found = isStagingId(id)
          ? lstatSync(pathBelow(hidden, bytes), { throwIfNoEntry: false })
          : undefined;
        return found?.isFile() ? [{ id, size: found.size, modifiedAt: found.ctimeMs }] : [];
      });
    } finally {
      closeSync(hidden);
    }
  });

export const removePart = (rootPath: string, id: string): void =>
  inRoot(rootPath, (root) =>
    at(root, [HIDDEN, id], ({ path }) => unlessCode("ENOENT", () => unlinkSync(path))),
  );

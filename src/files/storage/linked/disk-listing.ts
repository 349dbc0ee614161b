/** A folder of the server as it lies, compared with what is known of it. Runs in a thread, because disks may be slow. */
import { closeSync, fstatSync, lstatSync, readdirSync } from "node:fs";
import {
  type DiskDifference,
  type DiskItem,
  type DiskKind,
  type DiskNames,
  HIDDEN,
  type KnownItem,
} from "../disk.ts";
import { bytesOfName, descriptors, nameOfBytes, openBeneath, openRoot, pathBelow } from "./beneath.ts";

export type ReadFolder = ReturnType<typeof listFolder>;

const PAGE = 1_000;

/** Microseconds, as a number that databases take. */
export const timeOf = ({ mtimeNs }: { mtimeNs: bigint }): number =>
  Math.min(Math.max(Number(mtimeNs / 1000n), 0), Number.MAX_SAFE_INTEGER);

/** Whether the folder itself or something in it failed is told by `where`. */
export class DiskFailure extends Error {
  constructor(
    readonly where: "root" | "inside",
    override readonly cause: unknown,
  ) {
    super(String((cause as { code?: unknown } | null)?.code ?? cause));
  }
}

/** @throws DiskFailure */
export function openInside(rootPath: string, names: DiskNames, kind: DiskKind) {
  const root = during("root", () => openRoot(rootPath));
  try {
    return {
      fd: during("inside", () => openBeneath(root, names, kind)),
      inode: String(fstatSync(root, { bigint: true }).ino),
    };
  } finally {
    closeSync(root);
  }
}

export function during<T>(where: "root" | "inside", work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new DiskFailure(where, cause);
  }
}

/** Reads the folder at once. See Disk.list. @throws DiskFailure */
export function listFolder(rootPath: string, names: DiskNames) {
  const { fd, inode } = openInside(rootPath, names, "folder");
  const items = new Map<string, DiskItem>();
  try {
    during("inside", () => readInto(items, fd));
    if (names.length === 0) items.delete(HIDDEN);
  } finally {
    closeSync(fd);
  }
  const count = items.size;
  let left: MapIterator<DiskItem> | undefined;

  return {
    /** Of the root. */
    inode,
    count,

    hasSome: (some: readonly string[]): boolean => some.some((name) => items.has(name)),

    /**
     * What differs is looked at again: it may have been written since the listing. It stays as it was if the folder
     * can't be read any more.
     */
    compare(known: readonly KnownItem[]): DiskDifference {
      const difference: DiskDifference = { gone: [], changed: [] };
      const isOther = (item: DiskItem | undefined, one: KnownItem) =>
        item?.kind !== one.kind || item.size !== one.size || item.time !== one.time;
      const others = known.filter((one) => isOther(items.get(one.name), one));
      const isCurrent = others.length === 0 || readAgain(items, rootPath, names, others);
      for (const one of known) {
        const item = items.get(one.name);
        if (!isCurrent && isOther(item, one)) {
          items.delete(one.name);
          continue;
        }
        if (item?.kind !== one.kind) {
          difference.gone.push(one.id);
          continue;
        }
        items.delete(one.name);
        if (isOther(item, one)) difference.changed.push({ ...item, id: one.id });
      }
      return difference;
    },

    rest(): DiskItem[] {
      left ??= items.values();
      return [...left.take(PAGE)];
    },
  };
}

/** Puts these names into `items` as they are now. False if the folder can't be read. */
function readAgain(
  items: Map<string, DiskItem>,
  rootPath: string,
  names: DiskNames,
  some: readonly KnownItem[],
): boolean {
  let fd: number | null = null;
  try {
    ({ fd } = openInside(rootPath, names, "folder"));
    const { dev } = fstatSync(fd, { bigint: true });
    for (const { name } of some) {
      const item = itemAt(fd, bytesOfName(name), dev);
      if (item === null) items.delete(name);
      else items.set(name, item);
    }
    return true;
  } catch {
    return false;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

function readInto(items: Map<string, DiskItem>, fd: number): void {
  const { dev } = fstatSync(fd, { bigint: true });
  // A character is a byte: hundreds of thousands of buffers would take much more memory.
  for (const raw of readdirSync(Buffer.from(`${descriptors()}/${fd}/`), { encoding: "latin1" })) {
    const item = itemAt(fd, Buffer.from(raw, "latin1"), dev);
    if (item !== null) items.set(item.name, item);
  }
}

/** Null for what is neither file nor folder of this file system. */
function itemAt(fd: number, bytes: Buffer, dev: bigint): DiskItem | null {
  const found = lstatSync(pathBelow(fd, bytes), { bigint: true, throwIfNoEntry: false });
  if (found === undefined || found.dev !== dev) return null;
  const name = nameOfBytes(bytes);
  if (found.isDirectory()) return { name, kind: "folder", size: 0, time: 0 };
  if (!found.isFile() || found.size > Number.MAX_SAFE_INTEGER) return null;
  return { name, kind: "file", size: Number(found.size), time: timeOf(found) };
}

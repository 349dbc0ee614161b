/** A folder of the server as it lies, compared with what is known of it. Runs in a thread, because disks may be slow. */
import { closeSync, fstatSync, lstatSync, readdirSync } from "node:fs";
import type { DiskDifference, DiskItem, DiskKind, DiskNames, KnownItem } from "../disk.ts";
import { descriptors, nameOfBytes, openBeneath, openRoot } from "./beneath.ts";

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

function during<T>(where: "root" | "inside", work: () => T): T {
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

    compare(known: readonly KnownItem[]): DiskDifference {
      const difference: DiskDifference = { gone: [], changed: [] };
      for (const { id, name, kind, size, time } of known) {
        const item = items.get(name);
        if (item?.kind !== kind) {
          difference.gone.push(id);
          continue;
        }
        items.delete(name);
        if (item.size !== size || item.time !== time) difference.changed.push({ ...item, id });
      }
      return difference;
    },

    rest(): DiskItem[] {
      left ??= items.values();
      return [...left.take(PAGE)];
    },
  };
}

function readInto(items: Map<string, DiskItem>, fd: number): void {
  const here = Buffer.from(`${descriptors()}/${fd}/`);
  const { dev } = fstatSync(fd, { bigint: true });
  // A character is a byte: hundreds of thousands of buffers would take much more memory.
  for (const raw of readdirSync(here, { encoding: "latin1" })) {
    const bytes = Buffer.from(raw, "latin1");
    const found = lstatSync(Buffer.concat([here, bytes]), { bigint: true, throwIfNoEntry: false });
    if (found === undefined || found.dev !== dev) continue;
    const name = nameOfBytes(bytes);
    if (found.isDirectory()) items.set(name, { name, kind: "folder", size: 0, time: 0 });
    else if (found.isFile() && found.size <= Number.MAX_SAFE_INTEGER)
      items.set(name, { name, kind: "file", size: Number(found.size), time: timeOf(found) });
  }
}

import { closeSync, fstatSync } from "node:fs";
import { createRpc, type RpcMessage } from "../../../lib/rpc.ts";
import { DiskFailure, listFolder, openInside, type ReadFolder, timeOf } from "./disk-listing.ts";
import type { DiskAnswer } from "../disk.ts";
import {
  createInside,
  discardHidden,
  listParts,
  moveInside,
  openPart,
  removePart,
  settlePart,
  sweepHidden,
} from "./disk-writing.ts";
import type { DiskCalls, DiskPlace } from "./disk.thread.ts";

/** The memory of a listing with more is freed at once. */
const LARGE = 10_000;

const listings = new Map<number, ReadFolder>();
let lastListing = 0;

/** An error crosses the threads as data, because its place decides what follows. */
function answered<T>(work: () => T): DiskAnswer<T> {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof DiskFailure) return { where: error.where, code: error.message };
    return { where: "inside", code: String((error as { code?: unknown } | null)?.code ?? error) };
  }
}

function openFile({ root, names }: DiskPlace) {
  const { fd } = openInside(root, names, "file");
  const found = fstatSync(fd, { bigint: true });
  if (found.isFile()) return { fd, size: Number(found.size), time: timeOf(found) };
  closeSync(fd);
  throw Object.assign(new Error("not a file"), { code: "ENOENT" });
}

const done = (work: () => void): DiskAnswer<true> =>
  answered(() => {
    work();
    return true as const;
  });

const handlers: DiskCalls = {
  look: (folder) => done(() => closeSync(openInside(folder, [], "folder").fd)),
  open: (place) => answered(() => openFile(place)),
  list: ({ root, names }) =>
    answered(() => {
      const listing = listFolder(root, names);
      const id = ++lastListing;
      listings.set(id, listing);
      return { id, inode: listing.inode, count: listing.count };
    }),
  hasSome: ({ id, names }) => listings.get(id)!.hasSome(names),
  compare: ({ id, known }) => listings.get(id)!.compare(known),
  rest: (id) => listings.get(id)!.rest(),
  forget(id) {
    const isLarge = (listings.get(id)?.count ?? 0) > LARGE;
    listings.delete(id);
    if (isLarge) Bun.gc(true);
  },
  makeFolder: ({ root, ...one }) => done(() => createInside(root, one)),
  move: ({ root, ...one }) => done(() => moveInside(root, one)),
  discard: ({ root, name }) => done(() => discardHidden(root, name)),
  sweep: (root) => answered(() => sweepHidden(root)),
  openPart: ({ root, name, received }) => answered(() => ({ fd: openPart(root, name, received) })),
  settlePart: ({ root, name, modifiedAt }) => answered(() => settlePart(root, name, modifiedAt)),
  parts: (root) => answered(() => listParts(root)),
  removePart: ({ root, name }) => done(() => removePart(root, name)),
};

const rpc = createRpc({ send: (message) => postMessage(message), handlers });
addEventListener("message", ({ data }: MessageEvent<RpcMessage>) => rpc.receive(data));

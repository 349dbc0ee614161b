/**
 * The limits of drop boxes. The transaction that makes the file takes its place, so a box never exceeds its limits and
 * a crash takes no place.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { shortSender } from "../../lib/short-sender.ts";
import type { TreeTransaction } from "../tree/account-tree.ts";
import type { StoredFile } from "../tree/entry.ts";
import type { DropGate, DropUpload } from "../uploads/drop-upload.ts";
import { createDropFolders, type DropFoldersDeps } from "./drop-folders.ts";
import { type DropRefusal, dropRefusal, type OpenDrop, refuseKind, roomIn } from "./drop.ts";
import { createRateBuckets } from "../../lib/rate-buckets.ts";

type Deps = DropFoldersDeps & { record: RecordEvents<Db> };

/** Unfinished resumable uploads. */
const MOST_IN_BOX = 100;
const MOST_UNFINISHED_OF_SENDER = 20;
/** A visitor without the cookie is a new sender. */
const MOST_OF_ADDRESS = 50;

export function createDropGate({ record, ...deps }: Deps): DropGate {
  const { repository, clock } = deps;
  const placeIn = createDropFolders(deps);

  async function open(db: Db, linkId: number, folderId: number): Promise<OpenDrop> {
    const box = await repository.find(linkId, db);
    const isOpen = box !== null && (box.expiresAt === null || box.expiresAt > clock.now());
    if (!isOpen || box.folderId !== folderId) throw dropRefusal("ended");
    return box;
  }

  return {
    async admit(tx, { linkId, parentId, size }, { count, bytes, ofSender, ofAddress }) {
      const box = await open(tx.db, linkId, parentId);
      const refusal = refusalOf(box, size);
      if (refusal !== null) throw dropRefusal(refusal);
      if (ofSender >= MOST_UNFINISHED_OF_SENDER || ofAddress >= MOST_OF_ADDRESS) throw dropRefusal("rate");
      if (count >= MOST_IN_BOX || bytes + size > roomIn(box)) throw dropRefusal("busy");
    },

    receive(upload) {
      let box: OpenDrop;
      return {
        async place(tx) {
          box = await open(tx.db, upload.linkId, upload.folderId);
          return placeIn(tx, box, upload);
        },
        alongside: (tx, file) => take(tx, box, upload, file),
      };
    },
  };

  async function take(
    tx: TreeTransaction,
    box: OpenDrop,
    upload: DropUpload,
    file: StoredFile,
  ): Promise<void> {
    const { linkId, sender, senderName, senderEmail, path } = upload;
    // The limits may be narrower than when the upload began.
    const refusal = refusalOf(box, file.size);
    if (refusal !== null) throw dropRefusal(refusal);
    refuseKind(box, upload.name, file.mimeType);
    if (!(await repository.take(tx.db, box, file.size))) throw dropRefusal("ended");
    const at = clock.now();
    await repository.addFile(tx.db, { ...upload, fileId: file.id, at });
    await record(tx.db, [
      {
        at,
        actor: { name: `visitor ${shortSender(sender)}`, via: "system" },
        action: "drop.received",
        subject: box.code,
        subjectId: linkId,
        after: {
          file_id: file.id,
          folder_id: file.parentId,
          name: file.name,
          size: file.size,
          // The box may have another title later, or none.
          ...(box.title !== null && { title: box.title }),
          ...(senderName !== null && { sender_name: senderName }),
          ...(senderEmail !== null && { sender_email: senderEmail }),
          ...(path !== null && { path }),
        },
      },
    ]);
  }
}

/** Why the box can't take a file of that size, before its bytes come. */
export function refusalOf(box: OpenDrop, size: number): DropRefusal | null {
  if (box.maxFileSize !== null && size > box.maxFileSize) return "size";
  if (box.files >= box.maxFiles) return "full";
  return size > roomIn(box) ? "room" : null;
}

/** The largest file that it takes now, as far as a stranger may know. */
export const mostIn = (box: OpenDrop, policy: { maxFileSize: number }): number =>
  Math.min(
    roomIn(box),
    box.maxFileSize ?? Number.MAX_SAFE_INTEGER,
    policy.maxFileSize || Number.MAX_SAFE_INTEGER,
  );

const MOST_OF_BOX = 400;
const MOST_OF_SENDER = 8;
/** An address at a box may send this many requests at once, then one each interval. */
const AT_ONCE = 300;
const INTERVAL_MS = 200;
const REMEMBERED = 10_000;

type Box = { requests: number; bytes: number; bySender: Map<string, number> };

export type InFlight = ReturnType<typeof createInFlight>;

/**
 * Bounds what strangers currently send into boxes, in this process: requests per box and sender, and bytes per box,
 * which never exceed its limit. Rows have what came of unfinished resumable uploads.
 */
export function createInFlight({ clock }: { clock: Clock }) {
  const boxes = new Map<number, Box>();
  const turns = createRateBuckets({
    clock,
    atOnce: AT_ONCE,
    intervalMs: INTERVAL_MS,
    generationSize: REMEMBERED,
  });

  return {
    /** Call it for each request that sends something. @throws RateLimitExceeded */
    takeTurn(linkId: number, address: string): void {
      const waitMs = turns.tryNow(`${linkId} ${address}`);
      if (waitMs > 0) throw dropRefusal("rate", { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    },

    /** Call `leave` once. @throws RateLimitExceeded */
    enter({ linkId, maxBytes }: { linkId: number; maxBytes: number }, sender: string) {
      const box = boxes.get(linkId) ?? { requests: 0, bytes: 0, bySender: new Map() };
      const own = box.bySender.get(sender) ?? 0;
      if (own >= MOST_OF_SENDER) throw dropRefusal("rate");
      if (box.requests >= MOST_OF_BOX) throw dropRefusal("busy");
      boxes.set(linkId, box);
      box.requests++;
      box.bySender.set(sender, own + 1);
      let held = 0;
      return {
        /** @throws RateLimitExceeded if others hold the rest */
        add(bytes: number): void {
          if (box.bytes + bytes > maxBytes) throw dropRefusal("busy");
          held += bytes;
          box.bytes += bytes;
        },
        leave(): void {
          box.requests--;
          box.bytes -= held;
          held = 0;
          const left = box.bySender.get(sender)! - 1;
          if (left > 0) box.bySender.set(sender, left);
          else box.bySender.delete(sender);
          if (box.requests === 0) boxes.delete(linkId);
        },
      };
    },
  };
}

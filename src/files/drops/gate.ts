/**
 * The limits of drop boxes. The transaction that makes the file takes its place, so a box never exceeds its limits and
 * a crash takes no place.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { shortSender } from "../../lib/short-sender.ts";
import type { DropGate } from "../uploads/drop-upload.ts";
import { type DropRefusal, dropRefusal, type OpenDrop, roomIn } from "./drop.ts";
import type { DropsRepository } from "./repository.ts";

type Deps = { repository: DropsRepository; record: RecordEvents<Db>; clock: Clock };

/** Unfinished resumable uploads. */
const MOST_IN_BOX = 100;
const MOST_OF_SENDER = 20;
/** A visitor without the cookie is a new sender. */
const MOST_OF_ADDRESS = 50;

export function createDropGate({ repository, record, clock }: Deps): DropGate {
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
      if (ofSender >= MOST_OF_SENDER || ofAddress >= MOST_OF_ADDRESS) throw dropRefusal("rate");
      if (count >= MOST_IN_BOX || bytes + size > roomIn(box)) throw dropRefusal("busy");
    },

    async take(tx, { linkId, sender, senderName, name }, file) {
      const box = await open(tx.db, linkId, file.parentId);
      if (!(await repository.take(tx.db, box, file.size))) {
        throw dropRefusal(refusalOf(box, file.size) ?? "ended");
      }
      const at = clock.now();
      await repository.addFile(tx.db, { fileId: file.id, linkId, sender, senderName, name, at });
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
          },
        },
      ]);
    },
  };
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

/**
 * Moves or copies a file onto another one, which keeps its id and shares and gets the content; what it had becomes a
 * version.
 */
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RecordEvents } from "../../lib/event.ts";
import type { Blobs } from "../blobs/service.ts";
import type { AccountTree } from "../tree/account-tree.ts";
import { type Entry, isLinked, type StoredFile } from "../tree/entry.ts";
import type { Replace } from "../tree/files.service.ts";
import { mediaTypeOf } from "../tree/media-type.ts";
import type { Removal } from "../tree/removal.ts";
import type { RemovalRepository } from "../tree/removal.repository.ts";
import { spaceWithout } from "../tree/space.ts";

export type OverwritingDeps = {
  tree: AccountTree;
  removal: Pick<RemovalRepository, "isUsed">;
  removing: Pick<Removal, "fileIn">;
  blobs: Pick<Blobs, "retain" | "discard">;
  record: RecordEvents<Db>;
  clock: Clock;
};

export type Overwriting = ReturnType<typeof createOverwriting>;

export function createOverwriting(deps: OverwritingDeps, replace: Replace) {
  const { tree, removal, removing, blobs, record, clock } = deps;
  return {
    /** False where something would be lost: the source of a move goes, with shares and versions of its own. */
    async isFor(source: Entry | null, target: Entry | null, isMove: boolean, db?: Db): Promise<boolean> {
      if (source?.kind !== "file" || target?.kind !== "file") return false;
      if (isLinked(source) || isLinked(target)) return false;
      return !isMove || (source.versionsBytes === 0 && !(await removal.isUsed(source.id, db)));
    },

    /** Of two files for which `isFor` says so in this transaction. @throws FileNotFound, FileTooLargeForPolicy (over the quota) */
    async put(
      accountId: number,
      { id, targetId, isMove }: { id: number; targetId: number; isMove: boolean },
      actor: Actor,
    ): Promise<StoredFile> {
      const { file, dead } = await tree.change(accountId, async (tx) => {
        const source = await tree.file(accountId, id, tx.db);
        const target = await tree.file(accountId, targetId, tx.db);
        await blobs.retain(tx.db, [source.blobId]);
        if (isMove) await removing.fileIn(tx, source, actor);
        const space = isMove ? spaceWithout(tx.space, source) : tx.space;
        const { blobId, size, sha256, modifiedAt, createdBy } = source;
        const mimeType = mediaTypeOf(source.mimeType, target.name);
        const content = { blobId, size, sha256, mimeType, modifiedAt, createdBy };
        const replaced = await replace({ ...tx, space }, target, content);
        if (!isMove) {
          const event = { at: clock.now(), actor, action: "file.copy", subject: source.name };
          await record(tx.db, [{ ...event, before: { id }, after: { id: targetId, name: target.name } }]);
        }
        return replaced;
      });
      await blobs.discard(dead);
      return file;
    },
  };
}

/**
 * This room is for visitors who send files into a folder: the page of a drop box, forms, resumable uploads, and the limits
 * (gate.ts). Owners see here what came.
 */
import type { Actor } from "../../lib/actor.ts";
import { ASKS_NOTHING, asksAfter } from "../../links/link/drop-fields.ts";
import { NO_RECIPIENTS, recipientsAfter } from "../recipients/recipients.ts";
import { nullIfNoFolder } from "../tree/account-tree.ts";
import type { ServingDeps } from "../serving/changes.ts";
import { createEntryShares } from "../serving/service.ts";
import type { ShareRecord } from "../serving/served.ts";
import type { GivenDrop, ReceivedDrop, SentFile, VisitedDrop } from "./drop.ts";
import type { DropsRepository } from "./repository.ts";

export type Drops = ReturnType<typeof createDrops>;

type Deps = ServingDeps & { drops: DropsRepository };

const MOST_SENT_LISTED = 200;
/** Reads for a page whose files may be in the trash. */
const MOST_READS = 20;

export function createDrops({ drops: repository, ...deps }: Deps) {
  const { tree, clock } = deps;
  const ofFolder = createEntryShares(deps, { isDrop: true });
  const placeOf = (folderId: number) => ({ kind: "folder" as const, id: folderId });

  return {
    /** @throws FolderNotFound, Conflict, LinkAlreadyExists, LinkInvalidCode, LinkReservedCode, LinkInvalidExpireTime */
    async create(
      accountId: number,
      folderId: number,
      {
        max_bytes,
        max_files,
        max_file_size,
        require,
        sender_folders,
        types,
        message,
        recipients,
        ...input
      }: GivenDrop,
      actor: Actor,
    ): Promise<ShareRecord> {
      await tree.entry(accountId, placeOf(folderId));
      const limits = {
        ...recipientsAfter(NO_RECIPIENTS, { message, recipients }),
        maxDownloads: null,
        drop: {
          maxBytes: max_bytes,
          maxFiles: max_files,
          maxFileSize: max_file_size ?? null,
          isTwoWay: false,
          ...asksAfter(ASKS_NOTHING, { require, sender_folders, types }),
        },
      };
      return ofFolder.make(accountId, placeOf(folderId), input, limits, actor);
    },

    /** Newest first. @throws FolderNotFound */
    list: (accountId: number, folderId: number): Promise<ShareRecord[]> =>
      ofFolder.list(accountId, placeOf(folderId)),

    /** The files stay. @throws FolderNotFound, LinkNotFound */
    close: (accountId: number, folderId: number, code: string, actor: Actor): Promise<void> =>
      ofFolder.end(accountId, placeOf(folderId), code, actor),

    /** Received files, newest first. `before`: a file's id. A page may be short though more follow. @throws FolderNotFound, LinkNotFound */
    async received(
      accountId: number,
      { folderId, code }: { folderId: number; code: string },
      before: number | null,
      limit: number,
    ): Promise<{ files: ReceivedDrop[]; next: number | null }> {
      await tree.entry(accountId, placeOf(folderId));
      const linkId = await ofFolder.linkOf(placeOf(folderId), code);
      const files: ReceivedDrop[] = [];
      let next = before;
      for (let reads = 0; reads < MOST_READS && files.length <= limit; reads++) {
        const page = await repository.received({ linkId, accountId }, next, limit + 1);
        files.push(...page.files);
        next = page.last;
        if (next === null) break;
      }
      if (files.length <= limit) return { files, next };
      return { files: files.slice(0, limit), next: files[limit - 1]!.fileId };
    },

    /** The box as visitors see it; null if it has ended. */
    async find(linkId: number): Promise<VisitedDrop | null> {
      const box = await repository.find(linkId);
      if (box === null || (box.expiresAt !== null && box.expiresAt <= clock.now())) return null;
      const folders = await tree.folders(box.accountId, box.folderId).catch(nullIfNoFolder);
      return folders && { ...box, folders };
    },

    /** What a visitor sent, newest first. */
    sentBy: (linkId: number, sender: string): Promise<SentFile[]> =>
      repository.sentBy(linkId, sender, MOST_SENT_LISTED),
  };
}

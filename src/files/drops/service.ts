/**
 * Drop boxes: short links through which strangers put files into a folder. One transaction makes the link and its row
 * in `shares`; the one that removes the folder removes them (files/tree/removal.ts). gate.ts enforces the limits.
 */
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../db/dialect.ts";
import { appError } from "../../lib/errors.ts";
import type { InternalInput, InternalLinks } from "../../links/write/internal-links.ts";
import { internalTarget } from "../../links/link/internal-target.ts";
import type { AccountTree } from "../tree/account-tree.ts";
import { servedFields } from "../serving/changes.ts";
import type { SharesRepository } from "../shares/repository.ts";
import type { DropLimits, ShareRecord } from "../serving/served.ts";
import type { OpenDrop, ReceivedDrop, SentFile } from "./drop.ts";
import type { DropsRepository } from "./repository.ts";

export type DropInput = InternalInput & DropLimits;

export type Drops = ReturnType<typeof createDrops>;

type Deps = {
  tree: AccountTree;
  repository: DropsRepository;
  shares: Pick<SharesRepository, "insert" | "linkOf" | "load" | "ofEntry" | "removeLink">;
  links: InternalLinks;
  /** @throws Conflict while a node runs that takes drop boxes for public folders */
  admitDrops(): Promise<void>;
  clock: Clock;
};

const MOST_LISTED = 1_000;
const MOST_SENT_LISTED = 200;

export function createDrops({ tree, repository, shares, links, admitDrops, clock }: Deps) {
  /** @throws FolderNotFound */
  async function checkFolder(accountId: number, folderId: number, db?: Db): Promise<void> {
    if ((await tree.folders(accountId, folderId, db)).length > 0) return;
    throw appError("FolderNotFound", "There is no such folder.");
  }

  async function linkOf(folderId: number, code: string, db?: Db): Promise<number> {
    const linkId = await shares.linkOf(folderId, code, { isDrop: true }, db);
    if (linkId !== null) return linkId;
    throw appError("LinkNotFound", "This folder has no such drop box.");
  }

  return {
    /** @throws FolderNotFound, Conflict, LinkAlreadyExists, LinkInvalidCode, LinkReservedCode, LinkInvalidExpireTime */
    async create(accountId: number, folderId: number, input: DropInput, actor: Actor): Promise<ShareRecord> {
      await checkFolder(accountId, folderId);
      await admitDrops();
      const { maxBytes, maxFiles, maxFileSize, ...rest } = input;
      const limits = { maxBytes, maxFiles, maxFileSize };
      const checked = await links.check(rest);
      return links.inTurn(checked.code, () =>
        tree.change(accountId, async (tx) => {
          await checkFolder(accountId, folderId, tx.db);
          const serving = { accountId, entryId: folderId, maxDownloads: null, drop: limits };
          const use = {
            target: internalTarget("drop", folderId),
            before: null,
            after: servedFields(serving),
          };
          const link = await links.create(tx, checked, use, actor);
          await shares.insert(tx.db, { ...serving, linkId: link.id, createdAt: clock.now() });
          return (await shares.load([link.id], tx.db))[0]!;
        }),
      );
    },

    /** Newest first. @throws FolderNotFound */
    async list(accountId: number, folderId: number): Promise<ShareRecord[]> {
      await checkFolder(accountId, folderId);
      return shares.ofEntry(folderId, { isDrop: true }, MOST_LISTED);
    },

    /** The files stay. @throws FolderNotFound, LinkNotFound */
    close: (accountId: number, folderId: number, code: string, actor: Actor): Promise<void> =>
      tree.change(accountId, async (tx) => {
        await checkFolder(accountId, folderId, tx.db);
        const linkId = await linkOf(folderId, code, tx.db);
        tx.changed("links", await shares.removeLink(tx.db, linkId, { actor, now: clock.now() }));
      }),

    /** Received files, newest first. `before`: a file's id. @throws FolderNotFound, LinkNotFound */
    async received(
      accountId: number,
      { folderId, code }: { folderId: number; code: string },
      before: number | null,
      limit: number,
    ): Promise<{ files: ReceivedDrop[]; next: number | null }> {
      await checkFolder(accountId, folderId);
      const linkId = await linkOf(folderId, code);
      const found = await repository.received({ linkId, accountId }, before, limit + 1);
      const files = found.slice(0, limit);
      return { files, next: found.length > limit ? files.at(-1)!.fileId : null };
    },

    /** For visitors. Null if the box has ended. */
    async find(linkId: number): Promise<OpenDrop | null> {
      const box = await repository.find(linkId);
      if (box === null || (box.expiresAt !== null && box.expiresAt <= clock.now())) return null;
      const around = await tree.folders(box.accountId, box.folderId).catch(absent);
      return around === null ? null : box;
    },

    /** What a visitor sent, newest first. */
    sentBy: (linkId: number, sender: string): Promise<SentFile[]> =>
      repository.sentBy(linkId, sender, MOST_SENT_LISTED),
  };
}

/** @throws what does not mean that something is missing */
function absent(error: unknown): null {
  if (error instanceof Error && error.name === "FolderNotFound") return null;
  throw error;
}

/**
 * Shares: short links to a file or folder (files/serving/entry-shares.ts).
 *
 * A limited share counts a download at its start and takes it back if the client leaves, so parallel downloads stay
 * within the limit. After a crash the running ones stay counted.
 */
import { z } from "zod";
import type { Actor } from "../../lib/actor.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { cursorText, placeOf } from "../../lib/cursor.ts";
import type { Entry } from "../tree/entry.ts";
import {
  addingAfter,
  type ShareFilter,
  type ShareOrder,
  type Shareable,
  type ShareRecord,
} from "../serving/served.ts";
import { linkOfShare, shareNotFound } from "../serving/changes.ts";
import { createShareRecipients } from "../serving/recipients.service.ts";
import { createEntryShares, type EntrySharesDeps, makeShare } from "../serving/entry-shares.ts";
import type { SharedItems } from "../serving/plan.ts";
import { internalTarget } from "../../links/link/internal-target.ts";
import { type GivenShare, shareInput } from "../serving/schemas.ts";
import type { SharesRepository } from "./repository.ts";
import { createSharePlaces } from "./places.ts";
import type { VisitStep, SharedEntry, VisitedShare } from "./share.ts";

type Deps = Omit<EntrySharesDeps, "repository" | "isDrop"> & {
  items: SharedItems;
  repository: SharesRepository;
  /** A download has ended well. */
  tell(share: SharedEntry & { isUsedUp: boolean }): Promise<void>;
};

const listPlace = z.object({ id: z.int() });

export type Shares = ReturnType<typeof createShares>;

export function createShares(deps: Deps) {
  const { tree, items, repository, tell, clock } = deps;
  const ofEntry = createEntryShares({ ...deps, isDrop: false });
  const ofRecipients = createShareRecipients(deps);
  const { itemsOf, ...places } = createSharePlaces(deps);

  return {
    /**
     * @throws FileNotFound, FolderNotFound, LinkAlreadyExists, LinkInvalidCode, LinkReservedCode, LinkInvalidExpireTime
     */
    async create(accountId: number, place: Shareable, given: GivenShare, actor: Actor): Promise<ShareRecord> {
      await tree.entry(accountId, place);
      const { input, says, maxDownloads, adding } = shareInput(given);
      const drop = adding === undefined ? null : addingAfter(null, adding);
      return ofEntry.make(accountId, place, input, { ...says, maxDownloads, drop }, actor);
    },

    /** Several items as one share. @throws FileNotFound and like `create` */
    createOfItems: (
      accountId: number,
      ids: readonly number[],
      given: GivenShare,
      actor: Actor,
    ): Promise<ShareRecord> => {
      const { input, says, maxDownloads } = shareInput(given);
      const prepare = async (db: Db) => {
        const known = await items.checked(accountId, { ids, isPast: false }, db);
        const serving = { ...says, accountId, entryId: known[0]!, items: known, maxDownloads, drop: null };
        return { serving, target: internalTarget("items", 0) };
      };
      return makeShare(deps, { accountId, input, actor, says, prepare });
    },

    /** What visitors find of several items. */
    items: itemsOf,

    /** The same for the owner; empty for a share of one entry. @throws LinkNotFound */
    async itemsByCode(accountId: number, code: string): Promise<Entry[]> {
      return itemsOf({ accountId, linkId: await linkOfShare(repository, accountId, code) });
    },

    list: ofEntry.list,
    revoke: ofEntry.end,

    /** By code, like the next one. @throws LinkNotFound */
    async get(accountId: number, code: string): Promise<ShareRecord> {
      const [share] = await repository.load([await linkOfShare(repository, accountId, code)]);
      if (share === undefined) throw shareNotFound();
      return share;
    },

    /** Drop boxes too. @throws LinkNotFound */
    end: (accountId: number, code: string, actor: Actor): Promise<void> =>
      tree.change(accountId, async (tx) => {
        const held = await repository.lockShare(tx.db, code);
        if (held?.serves.accountId !== accountId) throw shareNotFound();
        tx.changed("links", await repository.removeLink(tx.db, held.linkId, { actor, now: clock.now() }));
      }),

    /** With drop boxes, newest first unless ordered. */
    async page(
      wish: ShareFilter,
      { page, pageSize }: { page: number; pageSize: number },
      order?: ShareOrder,
    ) {
      const filter = { ...wish, asOf: clock.now() };
      const slice = { after: null, offset: (page - 1) * pageSize, limit: pageSize };
      const [ids, total] = await Promise.all([
        repository.page(filter, slice, order),
        repository.total(filter),
      ]);
      return { shares: await repository.load(ids), total };
    },

    /** What follows a place of the list, newest first. `next`: null at its end. @throws BadRequest */
    async after(wish: ShareFilter, cursor: string, limit: number) {
      const after = placeOf(listPlace, cursor)?.id ?? null;
      const filter = { ...wish, asOf: clock.now() };
      const ids = await repository.page(filter, { after, offset: 0, limit: limit + 1 });
      const shown = ids.slice(0, limit);
      return {
        shares: await repository.load(shown),
        next: ids.length > limit ? cursorText({ id: shown.at(-1) }) : null,
      };
    },

    /** Null if the link serves nothing. */
    async find(linkId: number): Promise<SharedEntry | null> {
      const share = await repository.find(linkId);
      return share === null || (share.expiresAt !== null && share.expiresAt <= clock.now()) ? null : share;
    },

    ...places,

    /** A download has ended well. */
    async tell(share: VisitedShare, step: VisitStep): Promise<void> {
      await ofRecipients.note(share, step);
      const isUsedUp = share.maxDownloads !== null && (await repository.isUsedUp(share.linkId));
      await tell({ ...share, isUsedUp });
    },
    ...ofRecipients,
    count: repository.count,
    finish: repository.finish,
    uncount: repository.uncount,
  };
}

/**
 * This room is for owners: it makes, lists, changes (changes.ts) and ends the links that serve files, which are shares and
 * drop boxes, by the rules for shares (rules.ts). Link and row in `shares` are made in one transaction, and go in the one
 * that removes the entry (files/tree/removal.ts).
 */
import type { Actor } from "../../lib/actor.ts";
import { appError, badField } from "../../lib/errors.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { internalTarget } from "../../links/link/internal-target.ts";
import type { InternalInput } from "../../links/write/internal-links.ts";
import { NO_RECIPIENTS, type Recipients } from "../recipients/recipients.ts";
import {
  addingAfter,
  type Serving,
  type Shareable,
  servedFields,
  type ShareFilter,
  type ShareOrder,
  type ShareRecord,
} from "./served.ts";
import { linkOfShare, type ServingDeps, shareNotFound } from "./changes.ts";
import { z } from "zod";
import { cursorText, placeOf } from "../../lib/cursor.ts";
import { type Entry, isLinked, noUploadsThere } from "../tree/entry.ts";
import { type GivenShare, shareInput } from "./schemas.ts";

const MOST_LISTED = 1_000;

/** The shares of an entry, or the drop boxes of a folder. */
export function createEntryShares(deps: ServingDeps, { isDrop }: { isDrop: boolean }) {
  const { tree, repository, clock } = deps;
  /** @throws LinkNotFound */
  async function linkOf(place: Shareable, code: string, db?: Db): Promise<number> {
    const linkId = await repository.linkOf(place.id, code, { isDrop }, db);
    if (linkId !== null) return linkId;
    const message = isDrop ? "This folder has no such drop box." : "This file or folder has no such share.";
    throw appError("LinkNotFound", message);
  }

  return {
    linkOf,

    /** @throws LinkAlreadyExists, LinkInvalidCode, LinkReservedCode, LinkInvalidExpireTime, Forbidden, FileNotFound, FolderNotFound */
    async make(
      accountId: number,
      place: Shareable,
      input: InternalInput,
      limits: Omit<Serving, "accountId" | "entryId" | "items">,
      actor: Actor,
    ): Promise<ShareRecord> {
      const prepare = async (db: Db) => {
        const entry = await tree.entry(accountId, place, db);
        if (limits.drop !== null && isLinked(entry)) throw noUploadsThere();
        const { id, kind } = entry;
        const serving = { ...limits, accountId, entryId: id, items: null };
        return { serving, target: internalTarget(isDrop ? "drop" : kind, id) };
      };
      return makeShare(deps, { accountId, input, actor, audience: limits, prepare });
    },

    /** Newest first. @throws FileNotFound, FolderNotFound */
    async list(accountId: number, place: Shareable): Promise<ShareRecord[]> {
      await tree.entry(accountId, place);
      return repository.ofEntry(place.id, { isDrop }, MOST_LISTED);
    },

    /** What the link served stays. @throws FileNotFound, FolderNotFound, LinkNotFound */
    end: (accountId: number, place: Shareable, code: string, actor: Actor): Promise<void> =>
      tree.change(accountId, async (tx) => {
        await tree.entry(accountId, place, tx.db);
        const linkId = await linkOf(place, code, tx.db);
        tx.changed("links", await repository.removeLink(tx.db, linkId, { actor, now: clock.now() }));
      }),
  };
}

type Making = {
  accountId: number;
  input: InternalInput;
  actor: Actor;
  audience: Recipients;
  /** Runs in the transaction. */
  prepare(db: Db): Promise<{ serving: Serving; target: string }>;
};

/** @throws what `prepare` throws, LinkAlreadyExists, LinkInvalidCode, LinkReservedCode, LinkInvalidExpireTime, Forbidden */
async function makeShare(
  { tree, repository, links, rules, invitations, clock }: ServingDeps,
  { accountId, input, actor, audience, prepare }: Making,
): Promise<ShareRecord> {
  const checked = await links.check({ ...input, expires_at: rules.expiry(actor, input.expires_at) });
  invitations.check(NO_RECIPIENTS, audience);
  return links.inTurn(checked.code, () =>
    tree.change(accountId, async (tx) => {
      const { serving, target } = await prepare(tx.db);
      const use = { target, before: null, after: servedFields(serving) };
      const link = await links.create(tx, { ...checked, ownerId: accountId }, use, actor);
      await repository.insert(tx.db, { ...serving, linkId: link.id, createdAt: clock.now() });
      const share = rules.validate(actor, (await repository.describe([link], tx.db))[0]!);
      await invitations.send(tx, share, share.recipients);
      return share;
    }),
  );
}

const listPlace = z.object({ id: z.int() });

export type OwnedShares = ReturnType<typeof createOwnedShares>;

/** Shares and drop boxes for their owners. */
export function createOwnedShares(deps: ServingDeps) {
  const { tree, items, repository, invitations, clock } = deps;
  const ofEntry = createEntryShares(deps, { isDrop: false });

  return {
    /**
     * @throws FileNotFound, FolderNotFound, LinkAlreadyExists, LinkInvalidCode, LinkReservedCode, LinkInvalidExpireTime
     */
    async create(accountId: number, place: Shareable, given: GivenShare, actor: Actor): Promise<ShareRecord> {
      await tree.entry(accountId, place);
      const { input, audience, maxDownloads, adding } = shareInput(given);
      const drop = adding === undefined ? null : addingAfter(null, adding);
      return ofEntry.make(accountId, place, input, { ...audience, maxDownloads, drop }, actor);
    },

    /** Several items as one share. @throws FileNotFound and like `create` */
    createOfItems: (
      accountId: number,
      ids: readonly number[],
      given: GivenShare,
      actor: Actor,
    ): Promise<ShareRecord> => {
      const { input, audience, maxDownloads } = shareInput(given);
      const prepare = async (db: Db) => {
        const known = await items.checked(accountId, { ids, isPast: false }, db);
        const serving = {
          ...audience,
          accountId,
          entryId: known[0]!,
          items: known,
          maxDownloads,
          drop: null,
        };
        return { serving, target: internalTarget("items", 0) };
      };
      return makeShare(deps, { accountId, input, actor, audience, prepare });
    },

    /** The files and folders of a share of several; empty for a share of one entry. @throws LinkNotFound */
    async itemsByCode(accountId: number, code: string): Promise<Entry[]> {
      const linkId = await linkOfShare(repository, accountId, code);
      return items.found(accountId, await repository.itemsOf(linkId));
    },

    ...createShareReports(deps),
    list: ofEntry.list,
    revoke: ofEntry.end,

    /** @throws LinkNotFound */
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
      filter: ShareFilter,
      { page, pageSize }: { page: number; pageSize: number },
      order?: ShareOrder,
    ) {
      const dated = { ...filter, asOf: clock.now() };
      const slice = { after: null, offset: (page - 1) * pageSize, limit: pageSize };
      const [ids, total] = await Promise.all([repository.page(dated, slice, order), repository.total(dated)]);
      return { shares: await repository.load(ids), total };
    },

    /** What follows a place of the list, newest first. `next`: null at its end. @throws BadRequest */
    async after(filter: ShareFilter, cursor: string, limit: number) {
      const after = placeOf(listPlace, cursor)?.id ?? null;
      const dated = { ...filter, asOf: clock.now() };
      const ids = await repository.page(dated, { after, offset: 0, limit: limit + 1 });
      const shown = ids.slice(0, limit);
      return {
        shares: await repository.load(shown),
        next: ids.length > limit ? cursorText({ id: shown.at(-1) }) : null,
      };
    },

    /**
     * Mails the link again, to all when `emails` is null. Returns how many. @throws like `visits`, BadRequest, Conflict,
     * RateLimitExceeded
     */
    async sendAgain(accountId: number, code: string, emails: readonly string[] | null): Promise<number> {
      const linkId = await linkOfShare(repository, accountId, code);
      return tree.change(accountId, async (tx) => {
        const [share] = await repository.load([linkId], tx.db);
        if (share?.owner?.id !== accountId) throw shareNotFound();
        if (share.expiresAt !== null && share.expiresAt <= clock.now()) {
          throw appError(
            "Conflict",
            "This share has ended. Give it a later expires_at, then send the mails.",
          );
        }
        const chosen = [...new Set(emails ?? share.recipients)];
        const stranger = chosen.find((email) => !share.recipients.includes(email));
        if (stranger !== undefined) {
          throw badField("recipients", `${stranger} is no recipient of this share; add it first.`);
        }
        await invitations.send(tx, share, chosen);
        return chosen.length;
      });
    },
  };
}

/** What owners read besides shares themselves. */
const createShareReports = ({ repository, invitations, clock }: ServingDeps) => ({
  /** The entries of a folder that codes serve by themselves now. */
  marks: (accountId: number, parentId: number) =>
    repository.marks({ accountId, parentId, asOf: clock.now() }),

  /** What visitors did, newest first, below an id. `next` is null at the end. @throws LinkNotFound */
  async visits(accountId: number, code: string, before: number | null, limit: number) {
    const linkId = await linkOfShare(repository, accountId, code);
    const found = await repository.recipients.visits(linkId, before, limit + 1);
    const visits = found.slice(0, limit);
    return { visits, next: found.length > limit ? visits.at(-1)!.id : null };
  },

  /** @throws LinkNotFound */
  mails: async (accountId: number, code: string) =>
    invitations.sent(accountId, await linkOfShare(repository, accountId, code)),
});

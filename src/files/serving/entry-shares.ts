/**
 * The links that serve an entry: its shares, or the drop boxes of a folder. Link and row in `shares` are made in one
 * transaction, and go in the one that removes the entry (files/tree/removal.ts).
 */
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { internalTarget } from "../../links/link/internal-target.ts";
import type { InternalInput, InternalLinks } from "../../links/write/internal-links.ts";
import type { AccountTree } from "../tree/account-tree.ts";
import type { ShareChangesRepository } from "./changes.repository.ts";
import type { ShareListRepository } from "./list.repository.ts";
import type { Invitations } from "../recipients/mails.ts";
import { NO_RECIPIENTS, type Recipients } from "../recipients/recipients.ts";
import type { SharePolicy } from "./policy.ts";
import { type Serving, type Shareable, servedFields, type ShareRecord } from "./served.ts";

export type EntrySharesDeps = {
  tree: AccountTree;
  repository: Pick<ShareChangesRepository, "insert"> &
    Pick<ShareListRepository, "describe" | "load" | "ofEntry"> & {
      linkOf(entryId: number, code: string, which: { isDrop: boolean }, db?: Db): Promise<number | null>;
      removeLink(tx: Db, linkId: number, by: { actor: Actor; now: number }): Promise<string[]>;
    };
  links: InternalLinks;
  policy: SharePolicy;
  invitations: Invitations;
  clock: Clock;
  isDrop: boolean;
};

const MOST_LISTED = 1_000;

export function createEntryShares(deps: EntrySharesDeps) {
  const { tree, repository, clock, isDrop } = deps;
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
        const { id, kind } = await tree.entry(accountId, place, db);
        const serving = { ...limits, accountId, entryId: id, items: null };
        return { serving, target: internalTarget(isDrop ? "drop" : kind, id) };
      };
      return makeShare(deps, { accountId, input, actor, says: limits, prepare });
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
  says: Recipients;
  /** In the transaction. */
  prepare(db: Db): Promise<{ serving: Serving; target: string }>;
};

/** @throws what `prepare` throws, LinkAlreadyExists, LinkInvalidCode, LinkReservedCode, LinkInvalidExpireTime, Forbidden */
export async function makeShare(
  { tree, repository, links, policy, invitations, clock }: Omit<EntrySharesDeps, "isDrop">,
  { accountId, input, actor, says, prepare }: Making,
): Promise<ShareRecord> {
  const checked = await links.check({ ...input, expires_at: policy.expiry(actor, input.expires_at) });
  invitations.check(NO_RECIPIENTS, says);
  return links.inTurn(checked.code, () =>
    tree.change(accountId, async (tx) => {
      const { serving, target } = await prepare(tx.db);
      const use = { target, before: null, after: servedFields(serving) };
      const link = await links.create(tx, { ...checked, ownerId: accountId }, use, actor);
      await repository.insert(tx.db, { ...serving, linkId: link.id, createdAt: clock.now() });
      const share = policy.check(actor, (await repository.describe([link], tx.db))[0]!);
      await invitations.send(tx, share, share.recipients);
      return share;
    }),
  );
}

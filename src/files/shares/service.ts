/**
 * Shares: short links to a file or folder (files/serving/entry-shares.ts).
 *
 * A limited share counts a download at its start and takes it back if the client leaves, so parallel downloads stay
 * within the limit. After a crash the running ones stay counted.
 */
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { InternalInput, InternalLinks } from "../../links/write/internal-links.ts";
import type { Invitations } from "../recipients/mails.ts";
import { NO_RECIPIENTS, type Recipients } from "../recipients/recipients.ts";
import type { AccountTree } from "../tree/account-tree.ts";
import type { Folder, StoredFile } from "../tree/entry.ts";
import { addingAfter, type AddingInput } from "../serving/adding.ts";
import { shareNotFound } from "../serving/changes.ts";
import { createShareRecipients } from "../serving/recipients.service.ts";
import { createEntryShares } from "../serving/entry-shares.ts";
import type { ShareFilter, ShareOrder } from "../serving/share-filter.ts";
import type { SharesRepository } from "./repository.ts";
import type { SharePolicy } from "../serving/policy.ts";
import type { Shareable, ShareRecord } from "../serving/served.ts";
import type { Deed, SharedEntry, VisitedShare } from "./share.ts";

/** What a list shows; the state is judged when asked. */
type ShareWish = Omit<ShareFilter, "state"> & { state?: NonNullable<ShareFilter["state"]>["is"] | undefined };

export type ShareInput = InternalInput &
  Partial<Recipients> & { maxDownloads: number | null; adding?: AddingInput | undefined };

type Deps = {
  tree: AccountTree;
  repository: SharesRepository;
  links: InternalLinks;
  policy: SharePolicy;
  /** @throws Conflict while a node runs that knows no drop boxes */
  admitDrops(): Promise<void>;
  invitations: Invitations;
  /** A download has ended well. */
  tell(share: SharedEntry): Promise<void>;
  clock: Clock;
};

export type Shares = ReturnType<typeof createShares>;

export function createShares({
  tree,
  repository,
  links,
  policy,
  invitations,
  admitDrops,
  tell,
  clock,
}: Deps) {
  const ofEntry = createEntryShares({ tree, repository, links, policy, invitations, clock, isDrop: false });
  const ofRecipients = createShareRecipients({ tree, repository, ofEntry, invitations, clock });
  const filterOf = ({ state, ...rest }: ShareWish): ShareFilter => ({
    ...rest,
    state: state && { is: state, asOf: clock.now() },
  });

  return {
    /**
     * @throws FileNotFound, FolderNotFound, LinkAlreadyExists, LinkInvalidCode, LinkReservedCode, LinkInvalidExpireTime
     */
    async create(
      accountId: number,
      place: Shareable,
      { maxDownloads, adding, message, verify, recipients, ...input }: ShareInput,
      actor: Actor,
    ): Promise<ShareRecord> {
      await ofEntry.entryOf(accountId, place);
      const drop = adding === undefined ? null : addingAfter(null, adding);
      if (drop !== null) await admitDrops();
      const says = {
        message: message ?? NO_RECIPIENTS.message,
        verify: verify ?? NO_RECIPIENTS.verify,
        recipients: recipients ?? NO_RECIPIENTS.recipients,
      };
      return ofEntry.make(accountId, place, input, { ...says, maxDownloads, drop }, actor);
    },

    list: ofEntry.list,
    revoke: ofEntry.end,

    /** By code, like the next one. @throws LinkNotFound */
    async get(accountId: number, code: string): Promise<ShareRecord> {
      const held = await repository.linkWith(code);
      const [share] = held?.accountId === accountId ? await repository.load([held.linkId]) : [];
      if (share === undefined) throw shareNotFound();
      return share;
    },

    /** Drop boxes too. @throws LinkNotFound */
    end: (accountId: number, code: string, actor: Actor): Promise<void> =>
      tree.change(accountId, async (tx) => {
        const link = await repository.hold(tx.db, code);
        if (link?.serves?.accountId !== accountId) throw shareNotFound();
        tx.changed("links", await repository.removeLink(tx.db, link.id, { actor, now: clock.now() }));
      }),

    /** With drop boxes, newest first unless ordered. */
    async page(wish: ShareWish, { page, pageSize }: { page: number; pageSize: number }, order?: ShareOrder) {
      const filter = filterOf(wish);
      const slice = { after: null, offset: (page - 1) * pageSize, limit: pageSize };
      const [ids, total] = await Promise.all([
        repository.page(filter, slice, order),
        repository.total(filter),
      ]);
      return { shares: await repository.load(ids), total };
    },

    /** What follows a link of the list. `next`: null at its end. */
    async after(wish: ShareWish, after: number | null, limit: number) {
      const ids = await repository.page(filterOf(wish), { after, offset: 0, limit: limit + 1 });
      const shown = ids.slice(0, limit);
      return { shares: await repository.load(shown), next: ids.length > limit ? shown.at(-1)! : null };
    },

    /** Null if the link serves nothing. */
    async find(linkId: number): Promise<SharedEntry | null> {
      const share = await repository.find(linkId);
      return share === null || (share.expiresAt !== null && share.expiresAt <= clock.now()) ? null : share;
    },

    /** The shared file, or one in the shared folder with its folders, the shared one first. @throws FileNotFound */
    async place(share: SharedEntry, id: number): Promise<{ file: StoredFile; path: Folder[] }> {
      const { rootFile } = share;
      const file = rootFile?.id === id ? rootFile : await tree.file(share.accountId, id);
      const path = share.kind === "file" ? [] : await within(share, file.parentId);
      if (share.kind === "file" ? file.id === share.entryId : path.length > 0) return { file, path };
      throw appError("FileNotFound", "There is no such file here.");
    },

    /** A folder of the share and its ancestors, the shared one first. @throws FolderNotFound */
    async folders(share: SharedEntry, id: number): Promise<[Folder, ...Folder[]]> {
      const [first, ...rest] = await within(share, id);
      if (first === undefined) throw appError("FolderNotFound", "There is no such folder here.");
      return [first, ...rest];
    },

    /** A download has ended well. */
    async tell(share: VisitedShare, deed: Deed): Promise<void> {
      await ofRecipients.note(share, deed);
      await tell(share);
    },
    ...ofRecipients,
    count: (linkId: number): Promise<boolean> => repository.count(linkId),
    finish: (linkId: number): Promise<void> => repository.finish(linkId),
    uncount: (linkId: number): Promise<void> => repository.uncount(linkId),
  };

  /** From the shared folder down to this one; empty outside of it. */
  async function within(share: SharedEntry, folderId: number): Promise<Folder[]> {
    const path = (await tree.folders(share.accountId, folderId)).toReversed();
    const begin = path.findIndex(({ id }) => id === share.entryId);
    return begin === -1 ? [] : path.slice(begin);
  }
}

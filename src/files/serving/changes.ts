/**
 * The one way to change what a code serves: a URL, a file, a folder, several items, a drop box. The link stays, with its
 * id, counts and history. It is read once for the plan. Then one transaction locks the account's tree and the link, which
 * is its second and last reading, checks the plan, and writes. Every cache is current before the response.
 */
import type { Db } from "../../platform/db/dialect.ts";
import { type Actor, mayChangeFiles } from "../../lib/actor.ts";
import { appError, badField } from "../../lib/errors.ts";
import { validateInternalFields } from "../../links/link/internal-fields.ts";
import { linkServesNothing } from "../../links/link/code.ts";
import { isInternal } from "../../links/link/internal-target.ts";
import type { Link, PatchInput, ShownLink } from "../../links/link/link.ts";
import type { ActorLinks } from "../../links/actor-links.ts";
import type { InternalLinks, PlannedChange } from "../../links/write/internal-links.ts";
import { servedRefusal } from "../../links/write/served-links.ts";
import { NO_RECIPIENTS, recipientsAfter } from "../recipients/recipients.ts";
import type { Invitations } from "../recipients/mails.ts";
import type { AccountTree, TreeTransaction } from "../tree/account-tree.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ServingRepository } from "./repository.ts";
import type { ShareRules } from "./rules.ts";
import { addingOf, entryIdsOf, type Serving, servedFields, type ShareRecord } from "./served.ts";
import {
  type SharedItems,
  isGone,
  pastUse,
  servedThen,
  createServingAfter,
  type HeldLink,
  type Plan,
  QUIET,
  type ShareChange,
  parseUse,
} from "./plan.ts";

export type ServingDeps = {
  tree: AccountTree;
  items: SharedItems;
  repository: ServingRepository;
  links: InternalLinks;
  rules: ShareRules;
  invitations: Invitations;
  clock: Clock;
};

type Deps = ServingDeps & {
  linksOf(actor: Actor): Pick<ActorLinks, "find" | "get" | "past" | "prepare" | "write">;
};

export type ShareChanges = ReturnType<typeof createShareChanges>;

export function createShareChanges(deps: Deps) {
  const { repository, linksOf, clock } = deps;
  const carryOut = createCarryOut(deps);

  /** @throws like `carryOut`, and BadRequest */
  async function change(link: Link, input: PatchInput, plan: Plan): Promise<ShareRecord> {
    const { actor, use } = plan;
    const isShare = use === null ? plan.isShare : use.kind !== "url";
    if (isShare) validateInternalFields(input, "share");
    const planned = await linksOf(actor).prepare(link, input);
    const { ownerId = plan.accountId } = planned.change;
    if (use?.kind !== "url" && ownerId !== plan.accountId) throw goesAlong();
    return carryOut(planned, plan);
  }

  return {
    locked: (accountId: number, code: string, tx: Db) => lockedShare(deps, accountId, code, tx),

    /** Changes a share or drop box of the account. @throws Forbidden if it may make no links, and like `change` */
    async patch(
      accountId: number,
      code: string,
      {
        max_downloads: maxDownloads,
        message,
        recipients,
        verify,
        add,
        max_bytes,
        max_files,
        max_file_size,
        require,
        sender_folders,
        types,
        ...input
      }: ShareChange,
      by: Actor,
    ): Promise<ShareRecord> {
      // Older shares have no owner.
      const actor = { ...by, ownOnly: false };
      const link = await linksOf(actor).find(code);
      const served = link === null ? undefined : await repository.accountServedBy(link.id);
      if (link === null || served !== accountId) throw shareNotFound();
      return change(link, input, {
        actor,
        accountId,
        use: parseUse(input),
        maxDownloads,
        adding: addingOf({ add, max_bytes, max_files, max_file_size, require, sender_folders, types }),
        audienceAfter: (before) => recipientsAfter(before, { message, recipients, verify }),
        invites: true,
        isShare: true,
        isOwner: ({ serves }) => serves?.accountId === accountId,
      });
    },

    /**
     * Changes any link that the actor may change; one that serves files by who may change those. @throws Forbidden (files
     * of others, or no scope for files), and like `patch`
     */
    async patchLink(accountId: number, key: string, input: PatchInput, actor: Actor): Promise<ShownLink> {
      const [use, links] = [parseUse(input), linksOf(actor)];
      const link = await links.get(key);
      const served = isInternal(link.target) ? await repository.accountServedBy(link.id) : undefined;
      const entries = use === null || use.kind === "url" ? null : entryIdsOf(use);
      if (entries !== null) refuseBound(actor);
      if (!isInternal(link.target) && entries === null) return links.write(await links.prepare(link, input));
      if (served === undefined && use === null) throw linkServesNothing(key);
      refuseOthers(actor, key, served);
      const owner = entries === null ? null : await repository.ownerOf(entries);
      const tree =
        entries === null ? served : owner !== null && mayChangeFiles(actor, owner) ? owner : undefined;
      return change(link, input, {
        ...QUIET,
        actor,
        use,
        maxDownloads: undefined,
        isShare: served !== undefined,
        accountId: tree ?? accountId,
        isOwner: isOwnerOf(actor),
      });
    },

    /**
     * Sets a link to a state of its history, in which it may have served something else. @throws NotFound, Conflict (what
     * it served is gone, or another account's), Forbidden (it serves files of others), and like `patch`
     */
    async revertLink(
      accountId: number,
      key: string,
      which: { eventId: number; state: "before" | "after" },
      { actor, mayShare }: { actor: Actor; mayShare(): void },
    ): Promise<ShownLink> {
      const links = linksOf(actor);
      const link = await links.get(key);
      const serves = await repository.serving(link.id);
      const past = await links.past({ ...link, serves: serves && servedFields(serves) }, which);
      const planned = { link, now: clock.now(), ...past };
      const earlier = pastUse(past.change.target, past.state);
      if (earlier === null && serves === null && !isInternal(link.target)) return links.write(planned);
      refuseOthers(actor, key, serves?.accountId);
      const plan = { ...QUIET, actor, isShare: serves !== null, isOwner: isOwnerOf(actor) };
      if (earlier === null) {
        const url = { use: { kind: "url" }, maxDownloads: undefined } as const;
        return carryOut(planned, { ...plan, ...url, accountId: serves?.accountId ?? accountId });
      }
      mayShare();
      refuseBound(actor);
      const owner = await repository.ownerOf(entryIdsOf(earlier.use));
      if (owner === null) throw servedThen("does not exist any more");
      if (!mayChangeFiles(actor, owner)) throw servedThen("belongs to another account");
      const back = { ...plan, ...earlier, audienceAfter: () => earlier.audience, accountId: owner };
      return carryOut(planned, back).catch((error: unknown) => {
        throw isGone(error) ? servedThen("does not exist any more") : error;
      });
    },
  };
}

function createCarryOut({ tree, items, repository, links, rules, invitations, clock }: Deps) {
  const servingAfter = createServingAfter(tree, items);

  /** Returns the number of downloads of a link that redirects. */
  async function store(
    tx: TreeTransaction,
    linkId: number,
    before: Serving | null,
    after: Serving | null,
  ): Promise<number> {
    if (after === null) return before === null ? 0 : repository.remove(tx.db, linkId);
    if (before === null) await repository.insert(tx.db, { ...after, linkId, createdAt: clock.now() });
    else await repository.update(tx.db, linkId, before, after);
    return 0;
  }

  /** @throws LinkNotFound, FileNotFound, FolderNotFound, Conflict, and what a change of a link throws */
  return (planned: PlannedChange, plan: Plan): Promise<ShareRecord> => {
    const { actor, accountId, isOwner, invites } = plan;
    return links.inTurn(planned.change.to ?? null, () =>
      tree.change(accountId, async (tx) => {
        const locked = await links.lock(tx, planned);
        if (locked === null) throw shareNotFound();
        const { id, target, ownerId } = locked.stored;
        const serves = await repository.lockServing(tx.db, id);
        const held = { target, ownerId, serves };
        if (!isOwner(held)) throw shareNotFound();
        if ((serves !== null) !== plan.isShare) {
          throw appError(
            "Conflict",
            "Somebody else has changed what this code serves. Read it again, then retry.",
          );
        }
        const after = await servingAfter(tx, accountId, held, plan);
        const before = serves ?? NO_RECIPIENTS;
        if (after !== null) invitations.check(before, after.serving);
        const downloads = await store(tx, id, serves, after?.serving ?? null);
        const use = {
          target: after === null ? planned.change.target! : after.target || target,
          before: serves && servedFields(serves),
          after: after && servedFields(after.serving),
        };
        // What a team shares is the team's. Older shares have no owner.
        const isOthers = after !== null && ownerId !== null && ownerId !== accountId;
        const given = isOthers && Math.min(ownerId, accountId) < 0 ? { ownerId: accountId } : {};
        const change = { ...planned.change, ...given };
        const link = await links.change(tx, locked, { ...planned, change }, use, actor);
        const [share = viewedUrl(link, downloads)] = await repository.describe([link], tx.db);
        rules.validate(actor, share);
        if (invites) await invitations.send(tx, share, invitations.added(before, share));
        return share;
      }),
    );
  };
}

/** A link that serves files is changed by who may change those. @throws Forbidden */
function refuseOthers(actor: Actor, key: string, filesOwner: number | undefined): void {
  const refusal = servedRefusal(actor, key, filesOwner);
  if (refusal !== null) throw refusal;
}

/** @throws Forbidden for API tokens of one folder, which change shares at their own endpoints only */
function refuseBound({ folderId = null }: Actor): void {
  if (folderId === null) return;
  throw appError("Forbidden", "The API token reaches one folder only; share what is in it at /shares.");
}

/** Call it in the transaction: others may have changed what the link serves meanwhile. */
const isOwnerOf =
  (actor: Actor) =>
  ({ serves }: HeldLink): boolean =>
    serves === null || mayChangeFiles(actor, serves.accountId);

const goesAlong = () =>
  badField(
    "owner",
    "A link that serves a file or folder goes with it; give the file or folder to another owner.",
  );

/** The link of a share of the account's. @throws LinkNotFound */
export async function linkOfShare(
  repository: ServingRepository,
  accountId: number,
  code: string,
): Promise<number> {
  const held = await repository.linkWith(code);
  if (held?.accountId !== accountId) throw shareNotFound();
  return held.linkId;
}

export const shareNotFound = () => appError("LinkNotFound", "There is no such share.");

const viewedUrl = (link: ShownLink, downloads: number): ShareRecord => ({
  ...link,
  ...NO_RECIPIENTS,
  kind: "url",
  items: null,
  entry: null,
  owner: null,
  maxDownloads: null,
  downloads,
  drop: null,
  inTrash: false,
  isDamaged: false,
});

/** With its tree, until the transaction ends. @throws LinkNotFound */
async function lockedShare({ tree, repository }: Deps, accountId: number, code: string, tx: Db) {
  await tree.lock(tx, accountId);
  const held = await repository.lockShare(tx, code);
  const [share] = held?.serves.accountId === accountId ? await repository.load([held.linkId], tx) : [];
  if (share === undefined) throw shareNotFound();
  return share;
}

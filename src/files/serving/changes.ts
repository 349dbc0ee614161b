/**
 * Changes what a code serves: a URL, a file, a folder, a drop box. The link stays, with its id, counts and history. One
 * transaction holds the account's tree and the link; every cache is current before the answer.
 */
import type { Db } from "../../platform/db/dialect.ts";
import { type Actor, mayChangeFiles } from "../../lib/actor.ts";
import { appError, badField } from "../../lib/errors.ts";
import { CHOSEN } from "../../links/link/fields.ts";
import { isInternal } from "../../links/link/internal-target.ts";
import type { PlannedChange } from "../../links/write/internal-links.ts";
import type { PatchInput, ShownLink } from "../../links/link/link.ts";
import { NO_RECIPIENTS, recipientsAfter } from "../recipients/recipients.ts";
import type { TreeTransaction } from "../tree/account-tree.ts";
import type { HeldLink, ShareChangesRepository } from "./changes.repository.ts";
import type { ShareListRepository } from "./list.repository.ts";
import { addingOf } from "./adding.ts";
import type { EntrySharesDeps } from "./entry-shares.ts";
import type { SharedItems } from "./items.ts";
import { createServingAfter, type Plan, QUIET, type ShareChange, wantedBy } from "./plan.ts";
import { isOwnerOf, refuseOthers } from "./rights.ts";
import { createReversal, type LinksOfActor } from "./reversal.ts";
import { idsOfWanted, type Serving, servedFields, type ShareRecord } from "./served.ts";

export type ChangesDeps = Omit<EntrySharesDeps, "repository" | "isDrop"> & {
  items: SharedItems;
  repository: ShareChangesRepository & Pick<ShareListRepository, "load">;
  linksOf(actor: Actor): LinksOfActor;
};

export type ShareChanges = ReturnType<typeof createShareChanges>;

const PASSWORD_MIN_CHARACTERS = 8;
/** Fields of links that redirect. */
const URL_USE = { kind: "url" };
const REDIRECT_FIELDS = Object.keys(CHOSEN) as (keyof typeof CHOSEN)[];

export function createShareChanges(deps: ChangesDeps) {
  const { tree, items, repository, links, linksOf, policy, invitations, clock } = deps;
  const servingAfter = createServingAfter(tree, items);

  /** Returns the number of downloads of a link that redirects. */
  async function store(
    tx: TreeTransaction,
    { id, serves }: HeldLink,
    after: Serving | null,
  ): Promise<number> {
    if (after === null) return serves === null ? 0 : repository.remove(tx.db, id);
    if (serves === null) await repository.insert(tx.db, { ...after, linkId: id, createdAt: clock.now() });
    else await repository.update(tx.db, id, serves, after);
    return 0;
  }

  /** @throws like `carryOut`, and BadRequest */
  async function change(key: string, input: PatchInput, plan: Plan): Promise<ShareRecord> {
    const { actor, wanted } = plan;
    const isShare = wanted === null ? plan.isShare : wanted.kind !== "url";
    if (isShare) checkForShare(input);
    const prepared = await linksOf(actor).prepare(key, input);
    const { ownerId = plan.accountId } = prepared.change;
    if (wanted?.kind !== "url" && ownerId !== plan.accountId) throw goesAlong();
    return carryOut(key, prepared, plan);
  }

  /** @throws LinkNotFound, FileNotFound, FolderNotFound, Conflict, and what a change of a link throws */
  async function carryOut(key: string, prepared: PlannedChange, plan: Plan): Promise<ShareRecord> {
    const { actor, accountId, isOwner, invites } = plan;
    return links.inTurn(prepared.renamed?.code ?? null, () =>
      tree.change(accountId, async (tx) => {
        const held = await repository.hold(tx.db, key);
        if (held === null || !isOwner(held)) throw shareNotFound();
        if ((held.serves !== null) !== plan.isShare) {
          throw appError(
            "Conflict",
            "Somebody else has changed what this code serves. Read it again, then retry.",
          );
        }
        const after = await servingAfter(tx, accountId, held, plan);
        const before = held.serves ?? NO_RECIPIENTS;
        if (after !== null) invitations.check(before, after.serving);
        const downloads = await store(tx, held, after?.serving ?? null);
        const use = {
          target: after === null ? prepared.change.target! : after.target || held.target,
          before: held.serves && servedFields(held.serves),
          after: after && servedFields(after.serving),
        };
        // What a team shares is the team's. Older shares have no owner.
        const { ownerId } = held;
        const isOthers = after !== null && ownerId !== null && ownerId !== accountId;
        const given = isOthers && Math.min(ownerId, accountId) < 0 ? { ownerId: accountId } : {};
        const planned = { ...prepared, change: { ...prepared.change, ...given } };
        const link = await links.change(tx, planned, use, actor);
        const [share = viewedUrl(link, downloads)] = await repository.load([link.id], tx.db);
        policy.check(actor, share);
        if (invites) await invitations.send(tx, share, invitations.added(before, share));
        return share;
      }),
    );
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
        ...input
      }: ShareChange,
      actor: Actor,
    ): Promise<ShareRecord> {
      await linkOfShare(repository, accountId, code);
      return change(code, input, {
        // Older shares have no owner.
        actor: { ...actor, ownOnly: false },
        accountId,
        wanted: wantedBy(input),
        maxDownloads,
        adding: addingOf({ add, max_bytes, max_files, max_file_size }),
        says: (before) => recipientsAfter(before, { message, recipients, verify }),
        invites: true,
        isShare: true,
        isOwner: ({ serves }) => serves?.accountId === accountId,
      });
    },

    /**
     * Changes any link that the actor may change; one that serves files by who may change those. Null if it is and stays
     * a link to a URL. @throws Forbidden (files of others, or no scope for files), and like `patch`
     */
    async patchLink(
      accountId: number,
      key: string,
      input: PatchInput,
      actor: Actor,
    ): Promise<ShownLink | null> {
      const wanted = wantedBy(input);
      const isShare = isInternal((await linksOf(actor).get(key)).target);
      if (!isShare && (wanted ?? URL_USE).kind === "url") return null;
      if (isShare) await refuseOthers(repository, key, actor);
      const served = await treeOf(repository, { key, wanted, accountId, actor });
      const common = { ...QUIET, actor, wanted, maxDownloads: undefined, isShare };
      return change(key, input, { ...common, accountId: served, isOwner: isOwnerOf(actor) });
    },

    revertLink: createReversal({ repository, linksOf, clock, carryOut }),
  };
}

/** @throws BadRequest */
function checkForShare(input: PatchInput): void {
  const field = REDIRECT_FIELDS.find((name) => input[name] !== undefined && input[name] !== null);
  if (field !== undefined) {
    throw badField(field, `${field} is for links to URLs; leave it out.`);
  }
  if (input.password && [...input.password].length < PASSWORD_MIN_CHARACTERS) {
    throw badField("password", `A share's password has at least ${PASSWORD_MIN_CHARACTERS} characters.`);
  }
}

/** Of what a code is to serve, or serves: the account's own tree, or that of a team. */
async function treeOf(
  repository: Pick<ShareChangesRepository, "ownerOf" | "linkWith">,
  { key, wanted, accountId, actor }: Pick<Plan, "wanted" | "accountId" | "actor"> & { key: string },
): Promise<number> {
  if (wanted === null || wanted.kind === "url") {
    return (await repository.linkWith(key))?.accountId ?? accountId;
  }
  const owner = await repository.ownerOf(idsOfWanted(wanted));
  return owner !== null && mayChangeFiles(actor, owner) ? owner : accountId;
}

const goesAlong = () =>
  badField(
    "owner",
    "A link that serves a file or folder goes with it; give the file or folder to another owner.",
  );

/** The link of a share of the account's. @throws LinkNotFound */
export async function linkOfShare(
  repository: Pick<ShareChangesRepository, "linkWith">,
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
async function lockedShare({ tree, repository }: ChangesDeps, accountId: number, code: string, tx: Db) {
  await tree.lock(tx, accountId);
  const held = await repository.hold(tx, code);
  const [share] = held?.serves?.accountId === accountId ? await repository.load([held.id], tx) : [];
  if (share === undefined) throw shareNotFound();
  return share;
}

/**
 * Changes what a code serves: a URL, a file, a folder, a drop box. The link stays, with its id, counts and history. One
 * transaction holds the account's tree and the link; every cache is current before the answer.
 */
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { CHOSEN } from "../../links/link/fields.ts";
import { isInternal } from "../../links/link/internal-target.ts";
import type { InternalLinks, PlannedChange } from "../../links/write/internal-links.ts";
import type { PatchInput, ShownLink } from "../../links/link/link.ts";
import type { AccountTree, TreeTransaction } from "../tree/account-tree.ts";
import type { HeldLink, ShareChangesRepository } from "./changes.repository.ts";
import type { ShareListRepository } from "./list.repository.ts";
import { isGone, pastUse, servedThen } from "./past-use.ts";
import type { SharePolicy } from "./policy.ts";
import { addingOf } from "./adding.ts";
import { createServingAfter, type Plan, type ShareChange, wantedBy } from "./plan.ts";
import type { Serving, ShareRecord } from "./served.ts";

/** Links as an actor may reach them. */
type LinksOfActor = {
  get(key: string): Promise<{ target: string }>;
  prepare(key: string, input: PatchInput): Promise<PlannedChange>;
  past(
    key: string,
    which: PastState,
    serves: Record<string, number> | null,
  ): Promise<{
    change: PlannedChange["change"] & { target: string };
    state: Readonly<Record<string, unknown>>;
  }>;
};

type PastState = { eventId: number; state: "before" | "after" };

export type ChangesDeps = {
  tree: AccountTree;
  repository: ShareChangesRepository & Pick<ShareListRepository, "load">;
  links: InternalLinks;
  linksOf(actor: Actor): LinksOfActor;
  /** @throws Conflict while a node runs that takes drop boxes for public folders */
  admitDrops(): Promise<void>;
  policy: SharePolicy;
  clock: Clock;
};

export type ShareChanges = ReturnType<typeof createShareChanges>;

const PASSWORD_MIN_CHARACTERS = 8;
/** Fields of links that redirect. */
const REDIRECT_FIELDS = Object.keys(CHOSEN) as (keyof typeof CHOSEN)[];

export function createShareChanges(deps: ChangesDeps) {
  const { tree, repository, links, linksOf, admitDrops, policy, clock } = deps;
  const servingAfter = createServingAfter(tree);

  /** Returns the number of downloads of a link that redirects. */
  async function store(
    tx: TreeTransaction,
    { id, serves }: HeldLink,
    after: Serving | null,
  ): Promise<number> {
    if (after === null) return serves === null ? 0 : repository.remove(tx.db, id);
    if (serves === null) await repository.insert(tx.db, { ...after, linkId: id, createdAt: clock.now() });
    else
      await repository.update(tx.db, id, after, { staysOpen: serves.drop !== null && after.drop !== null });
    return 0;
  }

  /** @throws like `carryOut`, and BadRequest */
  async function change(key: string, input: PatchInput, plan: Plan): Promise<ShareRecord> {
    const { actor, wanted } = plan;
    const isShare = wanted === null ? plan.isShare : wanted.kind === "entry";
    if (isShare) checkForShare(input);
    return carryOut(key, await linksOf(actor).prepare(key, input), plan);
  }

  /** @throws LinkNotFound, FileNotFound, FolderNotFound, Conflict, and what a change of a link throws */
  async function carryOut(key: string, prepared: PlannedChange, plan: Plan): Promise<ShareRecord> {
    const { actor, accountId, wanted, isOwner } = plan;
    const takesFiles = (wanted?.kind === "entry" && wanted.drop !== null) || plan.adding?.add === true;
    if (takesFiles) await admitDrops();
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
        const downloads = await store(tx, held, after?.serving ?? null);
        const use = {
          target: after === null ? prepared.change.target! : after.target || held.target,
          before: held.serves && servedFields(held.serves),
          after: after && servedFields(after.serving),
        };
        const link = await links.change(tx, prepared, use, actor);
        const [share = viewedUrl(link, downloads)] = await repository.load([link.id], tx.db);
        return policy.check(actor, share);
      }),
    );
  }

  return {
    /** Changes a share or drop box of the account. @throws Forbidden if it may make no links, and like `change` */
    async patch(
      accountId: number,
      code: string,
      { max_downloads: maxDownloads, add, max_bytes, max_files, max_file_size, ...input }: ShareChange,
      actor: Actor,
    ): Promise<ShareRecord> {
      if ((await repository.linkWith(code))?.accountId !== accountId) throw shareNotFound();
      return change(code, input, {
        // Older shares have no owner.
        actor: { ...actor, ownOnly: false },
        accountId,
        wanted: wantedBy(input),
        maxDownloads,
        adding: addingOf({ add, max_bytes, max_files, max_file_size }),
        isShare: true,
        isOwner: ({ serves }) => serves?.accountId === accountId,
      });
    },

    /** Changes any link that the actor may change. Null if it is and stays a link to a URL. Else like `patch` */
    async patchLink(
      accountId: number,
      key: string,
      input: PatchInput,
      actor: Actor,
    ): Promise<ShownLink | null> {
      const wanted = wantedBy(input);
      const isShare = isInternal((await linksOf(actor).get(key)).target);
      if (!isShare && wanted?.kind !== "entry") return null;
      const plan = { actor, accountId, wanted, maxDownloads: undefined, isShare, isOwner: () => true };
      return change(key, input, plan);
    },

    revertLink: createReversal({ repository, linksOf, clock, carryOut }),
  };
}

/** Brings back what a code served. */
function createReversal({
  repository,
  linksOf,
  clock,
  carryOut,
}: Pick<ChangesDeps, "repository" | "linksOf" | "clock"> & {
  carryOut(key: string, prepared: PlannedChange, plan: Plan): Promise<ShareRecord>;
}) {
  /**
   * Sets a link to a state of its history in which it served something, or from one. Null if it redirects and did.
   * @throws NotFound, Conflict (what it served is gone, or another account's), and like `patch`
   */
  return async (
    accountId: number,
    key: string,
    which: PastState,
    { actor, mayShare }: { actor: Actor; mayShare(): void },
  ): Promise<ShownLink | null> => {
    const serves = await repository.serving(key);
    const past = await linksOf(actor).past(key, which, serves && servedFields(serves));
    const use = pastUse(past.change.target, past.state);
    if (use === null && serves === null) return null;
    const planned = { change: past.change, renamed: null, now: clock.now() };
    const plan = { actor, accountId, isShare: serves !== null, isOwner: () => true };
    if (use === null) {
      return carryOut(key, planned, { ...plan, wanted: { kind: "url" }, maxDownloads: undefined });
    }
    mayShare();
    const owner = await repository.ownerOf(use.wanted.place.id);
    if (owner === null) throw servedThen("does not exist any more");
    if (actor.ownOnly && owner !== accountId) throw servedThen("belongs to another account");
    return carryOut(key, planned, { ...plan, ...use, accountId: owner }).catch((error: unknown) => {
      throw isGone(error) ? servedThen("does not exist any more") : error;
    });
  };
}

/** @throws BadRequest */
function checkForShare(input: PatchInput): void {
  const field = REDIRECT_FIELDS.find((name) => input[name] !== undefined && input[name] !== null);
  if (field !== undefined) {
    throw appError("BadRequest", `${field} is for links to URLs; leave it out.`, { field });
  }
  if (input.password && [...input.password].length < PASSWORD_MIN_CHARACTERS) {
    throw appError("BadRequest", `A share's password has at least ${PASSWORD_MIN_CHARACTERS} characters.`, {
      field: "password",
    });
  }
}

export const shareNotFound = () => appError("LinkNotFound", "There is no such share.");

/** For events. */
export const servedFields = ({ maxDownloads, drop }: Serving): Record<string, number> => ({
  ...(maxDownloads !== null && { max_downloads: maxDownloads }),
  ...(drop !== null && {
    max_bytes: drop.maxBytes,
    max_files: drop.maxFiles,
    ...(drop.maxFileSize !== null && { max_file_size: drop.maxFileSize }),
  }),
});

const viewedUrl = (link: ShownLink, downloads: number): ShareRecord => ({
  ...link,
  kind: "url",
  entry: null,
  owner: null,
  maxDownloads: null,
  downloads,
  drop: null,
  inTrash: false,
  isDamaged: false,
});

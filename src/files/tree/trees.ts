/**
 * Which owner's tree a request is about: the caller's own, or that of a team, in which viewers read, editors change and
 * managers give away. Administrators are in every team, and in the tree of no other account. For callers without a team
 * nothing is looked up.
 */
import type { Role, Teams } from "../../lib/access.ts";
import { mayChange, mayManage, mayRead } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { REMOVED_ACCOUNT_ID } from "./removal.repository.ts";
import { TEAM_MARK } from "../../lib/owner.ts";
import { queryText } from "../../lib/query-text.ts";
import type { EntriesRepository } from "./entries.repository.ts";
import type { OwnedThing, OwnersRepository } from "./owners.repository.ts";

const MOST_CHARACTERS = 100;

/** The parameters of requests that name no entry. */
export const ownerQuery = {
  owner: queryText(MOST_CHARACTERS).optional().describe("you, or team:{name}; default: you"),
  team: queryText(MOST_CHARACTERS).optional().describe("name of a team, short for owner"),
};

type Named = { owner?: string | undefined; team?: string | undefined };
type Caller = {
  id: number;
  username: string;
  role: Role;
  teams?: Teams | undefined;
  token?: { folderId: number | null };
};
/** The part of an endpoint's input that finds a tree. */
export type TreeInput = { c: { req: { method: string } }; account: Caller };

const reachOf = ({ id, role, teams }: Caller) => ({ accountId: id, ownOnly: role !== "admin", teams });

/** Requests that only read need no more than sight of the tree. @throws Forbidden for viewers */
function refuseViewers({ c, account }: TreeInput, owner: number): void {
  if (["GET", "HEAD"].includes(c.req.method) || mayChange(reachOf(account), owner)) return;
  throw appError("Forbidden", "You may only view these files; editors of their team may change them.");
}

export type Trees = ReturnType<typeof createTrees>;

type Deps = { repository: OwnersRepository; lineage: EntriesRepository["lineage"] };

export function createTrees({ repository, lineage }: Deps) {
  /** The owner of a thing in the folder of the caller's token. @throws NotFound for others, Forbidden for viewers */
  async function ownerWithin(input: TreeInput, thing: OwnedThing, folderId: number): Promise<number> {
    const owner = await repository.ownerOf(thing);
    if (owner === null || !isSeen(input.account, owner)) throw outside();
    const places = await repository.placesOf(thing);
    for (const place of places) {
      const line = await lineage(owner, place);
      if (!line?.some(({ id }) => id === folderId)) throw outside();
    }
    if (places.length === 0) throw outside();
    refuseViewers(input, owner);
    return owner;
  }

  const trees = {
    /** The only folder that the caller's API token reaches; null: all. */
    folderOf: ({ token }: Caller): number | null => token?.folderId ?? null,

    /** Call it for folders and files that a request names besides its path. @throws NotFound, Forbidden for the root */
    async checkTargets(input: TreeInput, ids: readonly (number | null | undefined)[]): Promise<void> {
      const folderId = trees.folderOf(input.account);
      if (folderId === null) return;
      for (const id of ids) {
        if (id === null) throw beyond();
        if (id !== undefined) await ownerWithin(input, { entry: id }, folderId);
      }
    },

    /** Call it before a folder itself changes. @throws Forbidden if the caller's token is bound to it */
    checkFixed({ account }: TreeInput, id: number): void {
      if (trees.folderOf(account) !== id) return;
      throw appError("Forbidden", "The API token may change what is in its folder, not the folder itself.");
    },

    /** From the root to the folder of the caller's token; null without one. @throws NotFound */
    async pathOfFolder({ account }: Pick<TreeInput, "account">) {
      const folderId = trees.folderOf(account);
      if (folderId === null) return null;
      const owner = await repository.ownerOf({ entry: folderId });
      const line = owner !== null && isSeen(account, owner) ? await lineage(owner, folderId) : null;
      if (line === null) throw outside();
      return { owner: owner!, names: line.map(({ name }) => name).toReversed() };
    },

    /**
     * The owner of a thing; the caller for a thing that it does not see, and then does not find.
     * @throws Forbidden for viewers
     */
    async ownerOf(input: TreeInput, thing: OwnedThing): Promise<number> {
      const { account } = input;
      const folderId = trees.folderOf(account);
      if (folderId !== null) return ownerWithin(input, thing, folderId);
      if (account.role !== "admin" && !account.teams?.size) return account.id;
      const owner = await repository.ownerOf(thing);
      if (owner === null || !isSeen(account, owner)) return account.id;
      refuseViewers(input, owner);
      return owner;
    },

    /** The owner of this name; the caller without a name. @throws BadRequest for an unknown one, Forbidden */
    async named(input: TreeInput, given: Named): Promise<number> {
      const { account } = input;
      if (trees.folderOf(account) !== null) throw beyond();
      const name = nameIn(given);
      if (!name || name === account.username) return account.id;
      const reaches = (one: number) => isSeen(account, one);
      const refusal = `You may not see the files of '${name}'.`;
      const id = await repository.reachedBy(reachOf(account), name, { reaches, refusal });
      refuseViewers(input, id);
      return id;
    },

    /**
     * The tree of a list; with an API token of one folder only what is in there belongs to it.
     * @throws like `named`
     */
    async listed(input: TreeInput, given: Named): Promise<{ tree: number; within: number | null }> {
      const within = trees.folderOf(input.account);
      if (within === null) return { tree: await trees.named(input, given), within };
      return { tree: await trees.ownerOf(input, { entry: within }), within };
    },

    /** The owner of something new: the named one, else that of its folder. @throws like the two above */
    forNew: (input: TreeInput, folderId: number | null, given: Named): Promise<number> =>
      folderId === null || (trees.folderOf(input.account) === null && (given.owner || given.team))
        ? trees.named(input, given)
        : trees.ownerOf(input, { entry: folderId }),

    /** The owner for commands, which reach every tree. Default: the built-in administrator. @throws BadRequest */
    async forCommand(given: Named): Promise<number> {
      const name = nameIn(given);
      return name ? repository.idOf(name) : 0;
    },

    /** The owner of a thing, for commands. Null if the thing does not exist. */
    async holderOf(thing: OwnedThing): Promise<{ id: number; name: string } | null> {
      const id = await repository.ownerOf(thing);
      return id === null || id === REMOVED_ACCOUNT_ID ? null : { id, name: await repository.nameOf(id) };
    },

    nameOfOwner: (id: number): Promise<string> => repository.nameOf(id),

    /** The owner that gets a transfer. @throws BadRequest, Forbidden */
    async recipientOf({ account }: TreeInput, from: number, name: string): Promise<number> {
      const reach = reachOf(account);
      if (trees.folderOf(account) !== null) throw beyond();
      if (!mayManage(reach, from)) {
        throw appError("Forbidden", "Only managers of the team and administrators give its files away.");
      }
      const reaches = (id: number) => mayChange(reach, id);
      const refusal = `You may not make '${name}' the owner of files.`;
      return repository.reachedBy(reach, name, { reaches, refusal });
    },

    nameOf: async ({ account }: TreeInput, id: number): Promise<string> =>
      id === account.id ? account.username : repository.nameOf(id),
  };
  return trees;
}

/** The part of a path from the root that the caller may see: an API token of one folder sees nothing above it. */
export function shownPath<Step extends { id: number }>({ token }: Caller, path: readonly Step[]): Step[] {
  return path.slice(
    Math.max(
      0,
      path.findIndex(({ id }) => id === token?.folderId),
    ),
  );
}

const beyond = () =>
  appError("Forbidden", "The API token reaches one folder only; name that folder, or one below it.");
const outside = () => appError("NotFound", "There is nothing of this id in the folder of the API token.");

/** @throws BadRequest for two different ones */
function nameIn({ owner, team }: Named): string | undefined {
  if (owner && team && owner !== TEAM_MARK + team) {
    throw appError("BadRequest", "owner and team name different owners; give one of them.");
  }
  return team ? TEAM_MARK + team : owner;
}

/** Accounts see their own tree only. */
const isSeen = (account: Caller, owner: number): boolean =>
  owner === account.id || (owner < REMOVED_ACCOUNT_ID && mayRead(reachOf(account), owner));

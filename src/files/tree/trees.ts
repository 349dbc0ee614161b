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
import type { OwnedThing, OwnersRepository } from "./owners.repository.ts";

const MOST_CHARACTERS = 100;

/** Of requests that name no entry. */
export const ownerQuery = {
  owner: queryText(MOST_CHARACTERS).optional().describe("you, or team:{name}; default: you"),
  team: queryText(MOST_CHARACTERS).optional().describe("name of a team, short for owner"),
};

type Named = { owner?: string | undefined; team?: string | undefined };
type Caller = { id: number; username: string; role: Role; teams?: Teams | undefined };
/** What every endpoint is given. */
export type Asking = { c: { req: { method: string } }; account: Caller };

const reachOf = ({ id, role, teams }: Caller) => ({ accountId: id, ownOnly: role !== "admin", teams });

export type Trees = ReturnType<typeof createTrees>;

export function createTrees({ repository }: { repository: OwnersRepository }) {
  /** Requests that only read need no more than to see it. @throws Forbidden for viewers */
  function refuseViewers({ c, account }: Asking, owner: number): void {
    if (["GET", "HEAD"].includes(c.req.method) || mayChange(reachOf(account), owner)) return;
    throw appError("Forbidden", "You may only view these files; editors of their team may change them.");
  }

  const trees = {
    /** The caller's own for what it does not see, where it finds nothing. @throws Forbidden for viewers */
    async with(asking: Asking, thing: OwnedThing): Promise<number> {
      const { account } = asking;
      if (account.role !== "admin" && !account.teams?.size) return account.id;
      const owner = await repository.ownerOf(thing);
      if (owner === null || !isSeen(account, owner)) return account.id;
      refuseViewers(asking, owner);
      return owner;
    },

    /** The caller's own without a name. @throws BadRequest for an unknown one, Forbidden */
    async named(asking: Asking, given: Named): Promise<number> {
      const { account } = asking;
      const name = nameIn(given);
      if (!name || name === account.username) return account.id;
      const reaches = (one: number) => isSeen(account, one);
      const refusal = `You may not see the files of '${name}'.`;
      const id = await repository.reachedBy(reachOf(account), name, { reaches, refusal });
      refuseViewers(asking, id);
      return id;
    },

    /** For something new: the named one, else that of its folder. @throws like the two above */
    forNew: (asking: Asking, folderId: number | null, given: Named): Promise<number> =>
      folderId === null || given.owner || given.team
        ? trees.named(asking, given)
        : trees.with(asking, { entry: folderId }),

    /** For commands, which reach every tree. Default: the built-in administrator's. @throws BadRequest */
    async ofAnyone(given: Named): Promise<number> {
      const name = nameIn(given);
      return name ? repository.idOf(name) : 0;
    },

    /** For commands. Null for what does not exist. */
    async holding(thing: OwnedThing): Promise<{ id: number; name: string } | null> {
      const id = await repository.ownerOf(thing);
      return id === null || id === REMOVED_ACCOUNT_ID ? null : { id, name: await repository.nameOf(id) };
    },

    nameOfOwner: (id: number): Promise<string> => repository.nameOf(id),

    /** For a transfer. @throws BadRequest, Forbidden */
    async receiving({ account }: Asking, from: number, name: string): Promise<number> {
      const reach = reachOf(account);
      if (!mayManage(reach, from)) {
        throw appError("Forbidden", "Only managers of the team and administrators give its files away.");
      }
      const reaches = (id: number) => mayChange(reach, id);
      const refusal = `You may not make '${name}' the owner of files.`;
      return repository.reachedBy(reach, name, { reaches, refusal });
    },

    nameOf: async ({ account }: Asking, id: number): Promise<string> =>
      id === account.id ? account.username : repository.nameOf(id),
  };
  return trees;
}

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

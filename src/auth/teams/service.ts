/** Teams: owners of links, folders and domains whose members have roles. A change reaches the next request of a member. */
import { type PageAt, rowsOfPage } from "../../lib/page-query.ts";
import { given } from "../../lib/given.ts";
import type { Core } from "../../platform/core.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { type Actor, mayManage, mayRead } from "../../lib/actor.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { EventRecord } from "../../lib/event.ts";
import { ownerOfTeam } from "../../lib/owner.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import type { TeamRepository, TransferOwned } from "./repository.ts";
import type { CreateTeam, Member, Team, UpdateTeam } from "./team.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

/** The bound of an account, because lists select the links of all its teams. */
const MOST_TEAMS = 100;

type Leaving = { id: number; username: string };

/** The files of an owner that goes, in a folder of that name of another one; `finishAll`: after the commit. */
export type FileTransfer = {
  giveAll(tx: { db: Db }, from: number, to: number, name: string): Promise<void>;
  finishAll(): Promise<void>;
};

type Deps = Core & {
  repository: TeamRepository;
  transfer: TransferOwned;
  files(): FileTransfer;
  /** Delays those who try many names. */
  accountDelay: Record<"charge" | "revert", (key: { namesTriedBy: number }) => Promise<void>>;
};

export type TeamService = ReturnType<typeof createTeams>;

export function createTeams({ repository, transfer, files, accountDelay, changes, record, clock }: Deps) {
  const setMembers = createMemberWriter({ repository });
  const withFewGuesses = createGuessDelay({ accountDelay });
  const recordChange = (db: Db, actor: Actor, before: Team | null, after: Team | null, transferTo?: string) =>
    record(db, [eventOf(clock.now(), actor, before, after, transferTo)]);

  /** @throws NotFound for a team that the actor is not in, Forbidden for one that it does not manage */
  async function managed(tx: ChangeTransaction, id: number, actor: Actor): Promise<Team> {
    const team = await repository.lock(tx.db, id);
    if (team === null || !mayRead(actor, ownerOfTeam(id))) throw teamNotFound();
    if (!mayManage(actor, ownerOfTeam(id))) throw managersOnly();
    return team;
  }

  /** Call `finishAll` after the commit. @throws BadRequest for an unknown owner, Conflict without one or over its quota */
  async function giveAll(tx: ChangeTransaction, from: { id: number; name: string }, to = ""): Promise<void> {
    if (to === "") return repository.refuseBelongings(tx.db, from);
    const owner = await transfer(tx.db, from.id, to, clock.now());
    await files().giveAll(tx, from.id, owner, from.name);
    tx.changed("tags", ["*"]);
  }

  return {
    /** Lists teams by name: all for administrators, for others those of which they are members. */
    async list(actor: Actor, at: PageAt, search?: string) {
      const filter = { accountId: actor.ownOnly ? actor.accountId : null, search };
      const total = await repository.count(filter);
      return { teams: await repository.list(filter, rowsOfPage(at)), total };
    },

    /** @throws NotFound */
    async get(id: number, actor: Actor): Promise<Team> {
      const team = mayRead(actor, ownerOfTeam(id)) ? await repository.find({ id }) : null;
      if (team === null) throw teamNotFound();
      return team;
    },

    /** @throws NotFound */
    async byName(name: string): Promise<Team> {
      const team = await repository.find({ name: asciiLower(name) });
      if (team === null) throw teamNotFound();
      return team;
    },

    /** @throws Conflict when the name is taken, BadRequest for an unknown account */
    create: ({ name, members, quota_bytes: quotaBytes = 0 }: CreateTeam, actor: Actor): Promise<Team> =>
      changes.write(async (tx) => {
        const now = clock.now();
        const team = { name, quotaBytes, members: sorted(members), createdAt: now, updatedAt: now };
        const id = await repository.insert(tx.db, team);
        await setMembers(tx, id, members);
        await recordChange(tx.db, actor, null, { id, ...team });
        return { id, ...team };
      }),

    /** @throws NotFound, Forbidden for members who are no managers, Conflict when the name is taken, BadRequest, RateLimitExceeded */
    update(id: number, { name, members, quota_bytes: quota }: UpdateTeam, actor: Actor): Promise<Team> {
      const change = async (tx: ChangeTransaction) => {
        const before = await managed(tx, id, actor);
        if (quota !== undefined && quota !== before.quotaBytes && actor.ownOnly) throw adminsOnly();
        const after = {
          ...before,
          ...given({ name, quotaBytes: quota, members: members && sorted(members) }),
          updatedAt: clock.now(),
        };
        await repository.update(tx.db, after);
        if (members !== undefined) await setMembers(tx, id, members);
        await recordChange(tx.db, actor, before, after);
        return after;
      };
      const isNaming = name !== undefined || (members ?? []).length > 0;
      return withFewGuesses(actor, isNaming, () => changes.write(change));
    },

    /** @param transferTo gets what it owns  @throws NotFound, Conflict while it owns something or over the quota, BadRequest */
    async remove(id: number, transferTo: string | undefined, actor: Actor): Promise<Team> {
      const gone = await changes.write(async (tx) => {
        const team = await managed(tx, id, actor);
        await giveAll(tx, { id: ownerOfTeam(id), name: team.name }, transferTo);
        await setMembers(tx, id, []);
        await repository.remove(tx.db, id);
        await recordChange(tx.db, actor, team, null, transferTo);
        return team;
      });
      if (transferTo) await files().finishAll();
      return gone;
    },

    finishFiles: () => files().finishAll(),

    /** Removes an account that is being deleted from its teams; then call `finishFiles`. @throws like remove */
    async leaveAll(
      tx: ChangeTransaction,
      leaving: Leaving,
      actor: Actor,
      transferTo?: string,
    ): Promise<void> {
      const { id: accountId, username } = leaving;
      await giveAll(tx, { id: accountId, name: username }, transferTo);
      for (const id of await repository.teamsOf(tx.db, accountId)) {
        const before = await repository.lock(tx.db, id);
        if (before === null) continue;
        const members = before.members.filter(({ account }) => account !== username);
        await setMembers(tx, id, members);
        await recordChange(tx.db, actor, before, { ...before, members });
      }
    },
  };
}

function createMemberWriter({ repository }: Pick<Deps, "repository">) {
  /** @throws BadRequest for an unknown account, Conflict if one is in too many teams */
  return async function setMembers(
    tx: ChangeTransaction,
    id: number,
    members: readonly Member[],
  ): Promise<void> {
    const names = members.map(({ account }) => account);
    const ids = await repository.accountIds(tx.db, names);
    const unknown = names.find((name) => !ids.has(name));
    if (unknown !== undefined) {
      throw appError("BadRequest", `members: there is no account '${unknown}'.`, { field: "members" });
    }
    const stored = members.map(({ account, role }) => ({ accountId: ids.get(account)!, role }));
    const former = await repository.replaceMembers(tx.db, id, stored);
    const many = await repository.inMoreThan(tx.db, MOST_TEAMS, [...ids.values()]);
    if (many !== null) {
      const name = names.find((one) => ids.get(one) === many);
      throw appError("Conflict", `The account '${name}' is in ${MOST_TEAMS} teams already.`);
    }
    tx.changed("users", [...new Set([...former, ...ids.values()])].map(String));
  };
}

function createGuessDelay({ accountDelay }: Pick<Deps, "accountDelay">) {
  /**
   * Managers add accounts by their names, but do not search for names: one that is unknown, or that a team has, delays the
   * next try like a wrong password. @throws RateLimitExceeded
   */
  return async function withFewGuesses<T>(
    actor: Actor,
    isNaming: boolean,
    run: () => Promise<T>,
  ): Promise<T> {
    if (!isNaming || !actor.ownOnly || actor.accountId === null) return run();
    const key = { namesTriedBy: actor.accountId };
    await accountDelay.charge(key);
    let isWrong = false;
    try {
      return await run();
    } catch (error) {
      isWrong = error instanceof AppError && ["BadRequest", "Conflict"].includes(error.name);
      throw error;
    } finally {
      if (!isWrong) await accountDelay.revert(key);
    }
  };
}

function eventOf(
  at: number,
  actor: Actor,
  before: Team | null,
  after: Team | null,
  transferTo?: string,
): EventRecord {
  return {
    at,
    actor,
    action: `team.${before === null ? "create" : after === null ? "delete" : "update"}`,
    subject: (after ?? before)!.name,
    before: before && { ...stateOf(before), ...(transferTo && { transfer_to: transferTo }) },
    after: after && stateOf(after),
  };
}

const stateOf = ({ name, members, quotaBytes }: Team) => ({
  name,
  members,
  ...(quotaBytes > 0 && { quota_bytes: quotaBytes }),
});

const sorted = (members: readonly Member[]): Member[] =>
  [...members].sort((a, b) => (a.account < b.account ? -1 : 1));

const teamNotFound = () => appError("NotFound", "There is no such team.");
const managersOnly = () => appError("Forbidden", "Only managers of the team and administrators may do this.");
const adminsOnly = () =>
  appError("Forbidden", "Only administrators change the quota of a team.", { field: "quota_bytes" });

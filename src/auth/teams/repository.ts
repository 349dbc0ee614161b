import { type Selectable, type SelectQueryBuilder, sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { explainViolations } from "../../platform/db/failures.ts";
import { countRows } from "../../platform/db/queries.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { anyLike, likePatterns, lowered } from "../../platform/db/text-search.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import { teamRoleOf } from "../../lib/access.ts";
import { type AppError, appError } from "../../lib/errors.ts";
import { isSitePath, SITE_PATH_PARTS } from "../../lib/site-path.ts";
import { BUILT_IN_ADMIN, nameOfAccount } from "../account.ts";
import type { Member, Team } from "./team.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";
import { ownerIds } from "../../platform/db/owner-ids.ts";
import { ownerOfTeam } from "../../lib/owner.ts";

/** `accountId`: teams of which it is a member; null: all. */
type TeamFilter = { accountId: number | null; search?: string | undefined };

type Row = Selectable<Schema["teams"]>;
type StoredMember = Pick<Member, "role"> & { accountId: number };

export type TeamRepository = ReturnType<typeof createTeamRepository>;

export function createTeamRepository({ read, dialect }: Database) {
  function matching({ accountId, search }: TeamFilter): SelectQueryBuilder<Schema, "teams", object> {
    let query = read.selectFrom("teams");
    if (accountId !== null) {
      const own = read.selectFrom("team_members").select("team_id").where("account_id", "=", accountId);
      query = query.where("id", "in", own);
    }
    if (search) {
      const pattern = likePatterns(asciiLower(search)).slice(0, 1);
      query = query.where(anyLike([sql.ref("name")], pattern));
    }
    return query;
  }

  return {
    async find(by: { id: number } | { name: string }): Promise<Team | null> {
      const all = read.selectFrom("teams").selectAll();
      const query = "id" in by ? all.where("id", "=", by.id) : all.where("name", "=", by.name);
      return (await withMembers(read, await query.execute()))[0] ?? null;
    },

    async list(filter: TeamFilter, { limit, offset }: { limit: number; offset: number }): Promise<Team[]> {
      const rows = await matching(filter).selectAll().orderBy("name").limit(limit).offset(offset).execute();
      return withMembers(read, rows);
    },

    count: (filter: TeamFilter): Promise<number> => countRows(matching(filter)),

    /** Locked until the transaction ends. */
    async lock(tx: Db, id: number): Promise<Team | null> {
      const query = tx.selectFrom("teams").selectAll().where("id", "=", id).$call(dialect.forUpdate);
      return (await withMembers(tx, await query.execute()))[0] ?? null;
    },

    /** Ids of accounts by name. Unknown names are absent; the others stay until the transaction ends. */
    async accountIds(tx: Db, names: readonly string[]): Promise<Map<string, number>> {
      const query = tx.selectFrom("users").select(["id", "username"]).where("username", "in", names);
      const rows = names.length === 0 ? [] : await query.orderBy("id").$call(dialect.forShare).execute();
      const ids = new Map(rows.map(({ id, username }) => [username, id]));
      return names.includes(BUILT_IN_ADMIN.username)
        ? ids.set(BUILT_IN_ADMIN.username, BUILT_IN_ADMIN.id)
        : ids;
    },

    /** Returns the id. @throws Conflict when the name is taken */
    insert: (tx: Db, team: Omit<Team, "id">): Promise<number> =>
      explainViolations(() => dialect.insertReturningId(tx, "teams", rowOf(team)), {
        unique: nameTaken(team),
      }),

    /** Not its members. @throws Conflict when the name is taken */
    async update(tx: Db, { id, ...team }: Team): Promise<void> {
      const query = tx.updateTable("teams").set(rowOf(team)).where("id", "=", id);
      await explainViolations(() => query.execute(), { unique: nameTaken(team) });
    },

    /** Returns the ids of those who were members. */
    async replaceMembers(tx: Db, id: number, members: readonly StoredMember[]): Promise<number[]> {
      const before = await tx
        .selectFrom("team_members")
        .select("account_id")
        .where("team_id", "=", id)
        .execute();
      await tx.deleteFrom("team_members").where("team_id", "=", id).execute();
      const rows = members.map(({ accountId, role }) => ({ team_id: id, account_id: accountId, role }));
      await dialect.insertMany(tx, "team_members", rows);
      return before.map((row) => row.account_id);
    },

    /** One of the accounts that is in more teams; null: none. */
    async inMoreThan(tx: Db, most: number, accountIds: readonly number[]): Promise<number | null> {
      if (accountIds.length === 0) return null;
      const query = tx
        .selectFrom("team_members")
        .select("account_id")
        .where("account_id", "in", accountIds)
        .groupBy("account_id")
        .having((eb) => eb(eb.fn.countAll(), ">", most));
      return (await query.limit(1).executeTakeFirst())?.account_id ?? null;
    },

    /** Checks a locked team or account. Files of an account, with their shares, are deleted with it. @throws Conflict if it has what needs another owner */
    async refuseBelongings(tx: Db, { id, name }: { id: number; name: string }): Promise<void> {
      const isTeam = id < 0;
      const links = tx
        .selectFrom("links")
        .where("owner_id", "=", id)
        .$if(!isTeam, (query) =>
          query.where((eb) => eb.or([eb("target", "not like", SHARES), eb("target", "=", REPORT)])),
        );
      const queries = [
        links,
        tx.selectFrom("domains").where("owner_id", "=", id),
        ...(isTeam ? [tx.selectFrom("entries").where("account_id", "=", id)] : []),
      ];
      for (const query of queries as SelectQueryBuilder<Schema, keyof Schema, object>[]) {
        if ((await query.select(sql.lit(1).as("one")).limit(1).execute()).length === 0) continue;
        throw appError(
          "Conflict",
          `'${name}' has ${isTeam ? "links, files" : "links"} or domains; say with transfer_to who gets them.`,
        );
      }
    },

    async remove(tx: Db, id: number): Promise<void> {
      await tx.deleteFrom("presets").where("owner_id", "=", ownerOfTeam(id)).execute();
      await tx.deleteFrom("teams").where("id", "=", id).execute();
    },

    async teamsOf(tx: Db, accountId: number): Promise<number[]> {
      const query = tx.selectFrom("team_members").select("team_id").where("account_id", "=", accountId);
      return (await query.orderBy("team_id").execute()).map((row) => row.team_id);
    },
  };
}

async function withMembers(db: Db, rows: readonly Row[]): Promise<Team[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const found = await db
    .selectFrom("team_members")
    .leftJoin("users", "users.id", "team_members.account_id")
    .select(["team_id", "account_id", "team_members.role", "username"])
    .where("team_id", "in", ids)
    .execute();
  const members = Map.groupBy(found, (row) => row.team_id);
  return rows.map((team) => ({
    ...camelCased(team),
    members: (members.get(team.id) ?? [])
      .map((row) => ({ account: nameOfAccount(row.account_id, row.username), role: teamRoleOf(row.role) }))
      .sort((a, b) => (a.account < b.account ? -1 : 1)),
  }));
}

/** Targets of links that serve files begin so (links/link/internal-target.ts). */
const SHARES = "waymark:%";
const REPORT = "waymark:report/0";

function rowOf(team: Omit<Team, "id">) {
  const { members: _, ...stored } = team;
  return snakeCased(stored);
}

const nameTaken =
  ({ name }: Omit<Team, "id">) =>
  (cause: unknown) =>
    appError("Conflict", `A team '${name}' already exists.`, { cause });

const CHUNK = 1_000;

const siteCodeStays = (code: string): AppError =>
  appError(
    "Conflict",
    `transfer_to: the code "${code}" speaks for the whole site, and only administrators own links with it. Name an administrator, or delete the link first.`,
    { field: "transfer_to" },
  );

export type TransferOwned = ReturnType<typeof createOwnerTransfer>;

/** Moves everything that an account or team owns to another owner: links with their tags, deleted links, domains. */
export function createOwnerTransfer({ dialect }: Database) {
  /** It stays until the transaction ends. @throws BadRequest for an unknown one */
  async function idOf(tx: Db, text: string): Promise<number> {
    const id = (await ownerIds(tx, [text], dialect.forShare)).get(text);
    if (id !== undefined) return id;
    throw appError("BadRequest", `transfer_to: there is no account or team '${text}'.`, {
      field: "transfer_to",
    });
  }

  /** Counts of tags; links come and go meanwhile only with locked tags. */
  async function moveTags(tx: Db, from: number, to: number): Promise<void> {
    const rows = await tx.selectFrom("owner_tags").selectAll().where("owner_id", "=", from).execute();
    for (let at = 0; at < rows.length; at += CHUNK) {
      const ids = rows.slice(at, at + CHUNK).map((row) => row.tag_id);
      const tags = tx.selectFrom("tags").select("id").where("id", "in", ids).orderBy("id");
      await tags.$call(dialect.forUpdate).execute();
    }
    const counted = await tx.selectFrom("owner_tags").selectAll().where("owner_id", "=", from).execute();
    const upsert = { table: "owner_tags", keys: ["owner_id", "tag_id"], add: ["links"] } as const;
    const moved = counted.map((row) => ({ ...row, owner_id: to }));
    await dialect.upsert(tx, upsert, moved);
    await tx.deleteFrom("owner_tags").where("owner_id", "=", from).execute();
  }

  async function isAdministrator(tx: Db, id: number): Promise<boolean> {
    if (id === BUILT_IN_ADMIN.id) return true;
    const found = tx.selectFrom("users").select("id").where("id", "=", id).where("role", "=", "admin");
    return (await found.executeTakeFirst()) !== undefined;
  }

  /** Codes that speak for the whole site belong to administrators, aliases too. @throws Conflict */
  async function refuseSiteCodes(tx: Db, from: number, to: number): Promise<void> {
    if (await isAdministrator(tx, to)) return;
    const ids = tx.selectFrom("links").select("id").where("owner_id", "=", from);
    for (const codes of [
      tx.selectFrom("links").where("owner_id", "=", from),
      tx.selectFrom("link_aliases as links" as "links").where("link_id" as "id", "in", ids),
    ]) {
      const some = codes
        .select("code")
        .where(anyLike([lowered("code")], SITE_PATH_PARTS.flatMap(likePatterns)))
        .orderBy("code")
        .limit(CHUNK);
      for (let after = ""; ; ) {
        const found = await some.where("code", ">", after).execute();
        // Keys of other domains begin with control characters (links/link/key.ts).
        const taken = found.map(({ code }) => code.slice(code.lastIndexOf("\x7f") + 1)).find(isSitePath);
        if (taken !== undefined) throw siteCodeStays(taken);
        if (found.length < CHUNK) break;
        after = found.at(-1)!.code;
      }
    }
  }

  /** But for files. Returns the new owner. @throws BadRequest for an unknown owner or the same one, Conflict */
  return async (tx: Db, from: number, name: string, now: number): Promise<number> => {
    const to = await idOf(tx, name);
    if (to === from) {
      throw appError("BadRequest", "transfer_to: name another owner than the one that is deleted.", {
        field: "transfer_to",
      });
    }
    await refuseSiteCodes(tx, from, to);
    const set = { owner_id: to, updated_at: now };
    await tx.updateTable("links").set(set).where("owner_id", "=", from).execute();
    await moveTags(tx, from, to);
    await tx.updateTable("deleted_links").set({ owner_id: to }).where("owner_id", "=", from).execute();
    await tx.updateTable("domains").set({ owner_id: to }).where("owner_id", "=", from).execute();
    return to;
  };
}

import { type Selectable, sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { countRows, deleteFound } from "../../platform/db/queries.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import { SIGN_IN_METHODS, type SignInMethod } from "../../lib/credential.ts";
import { findAccount } from "../account.repository.ts";
import type { Session, SessionOwner } from "./session.ts";

type Row = Selectable<Schema["sessions"]>;

export type SessionsRepository = ReturnType<typeof createSessionsRepository>;

const LAST_USED = sql`coalesce(rotated_at, created_at)`;

export function createSessionsRepository({ read, write, dialect }: Database) {
  const alive = (accountId: number, now: number) =>
    read
      .selectFrom("sessions")
      .where("user_id", "=", accountId)
      .where("revoked_at", "is", null)
      .where("expires_at", ">", now);

  return {
    async find(id: string): Promise<SessionOwner | null> {
      const row = await read.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
      if (row === undefined) return null;
      return { session: toSession(row), account: await findAccount(read, row.user_id) };
    },

    /** That have not ended, the last used first. */
    async listOf(accountId: number, now: number, at: { limit: number; offset: number }): Promise<Session[]> {
      const query = alive(accountId, now).selectAll().orderBy(LAST_USED, "desc").orderBy("id");
      return (await query.limit(at.limit).offset(at.offset).execute()).map(toSession);
    },

    countOf: (accountId: number, now: number): Promise<number> => countRows(alive(accountId, now)),

    async lock(tx: Db, id: string): Promise<SessionOwner | null> {
      const query = tx.selectFrom("sessions").selectAll().where("id", "=", id);
      const row = await query.$call(dialect.forUpdate).executeTakeFirst();
      if (row === undefined) return null;
      return { session: toSession(row), account: await findAccount(tx, row.user_id) };
    },

    async insert(tx: Db, session: Session): Promise<void> {
      await tx.insertInto("sessions").values(toRow(session)).execute();
    },

    async update(tx: Db, session: Session): Promise<void> {
      await tx.updateTable("sessions").set(toRow(session)).where("id", "=", session.id).execute();
    },

    async prove(tx: Db, id: string, by: SignInMethod): Promise<void> {
      await tx.updateTable("sessions").set({ signed_in_by: by }).where("id", "=", id).execute();
    },

    /** Does nothing to a session that has ended. */
    async revoke(tx: Db, id: string, now: number): Promise<void> {
      const query = tx.updateTable("sessions").set({ revoked_at: now }).where("id", "=", id);
      await query.where("revoked_at", "is", null).execute();
    },

    async revokeAllOf(tx: Db, accountId: number, now: number): Promise<void> {
      const query = tx.updateTable("sessions").set({ revoked_at: now }).where("user_id", "=", accountId);
      await query.where("revoked_at", "is", null).execute();
    },

    async removeAllOf(tx: Db, accountId: number): Promise<void> {
      await tx.deleteFrom("sessions").where("user_id", "=", accountId).execute();
    },

    /** Sessions that expired or were revoked before the instant; returns how many. */
    removeEnded(before: number, limit: number): Promise<number> {
      const ended = read
        .selectFrom("sessions")
        .select("id")
        .where((is) => is.or([is("expires_at", "<", before), is("revoked_at", "<", before)]));
      return deleteFound(write, "sessions", ended.limit(limit));
    },
  };
}

const toSession = ({ user_id, refresh_jti, previous_jti, signed_in_by: by, ...row }: Row): Session => ({
  ...camelCased(row),
  signedInBy: SIGN_IN_METHODS.find((known) => known === by) ?? null,
  accountId: user_id,
  refreshId: refresh_jti,
  previousId: previous_jti,
});

const toRow = ({ accountId, refreshId, previousId, ...session }: Session): Row => ({
  ...snakeCased(session),
  user_id: accountId,
  refresh_jti: refreshId,
  previous_jti: previousId,
});

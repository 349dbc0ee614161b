import type { Queries } from "../../platform/db/database.ts";
import { deleteFound } from "../../platform/db/queries.ts";
import type { TakenMail } from "./mail.ts";
import type { MailKind } from "./texts/contents.ts";

export type DeliveryRepository = ReturnType<typeof createDeliveryRepository>;

/** What became of an attempt. */
export type Outcome =
  | { state: "sent"; at: number }
  | { state: "failed"; error: string }
  | { state: "waiting"; error: string; dueAt: number; isServerTrouble: boolean };

/** Kinds that gather what happens until they are due. */
const DIGESTS: ReadonlySet<string> = new Set(["drop", "download"] satisfies MailKind[]);

const ERROR_LENGTH = 500;
const REMOVED_AT_ONCE = 1_000;

export function createDeliveryRepository({ read, write }: Pick<Queries, "read" | "write">) {
  return {
    /** Takes the next one that is due. `onlyUrgent`: of those that do not wait for the server. */
    async take(now: number, onlyUrgent: boolean): Promise<TakenMail | null> {
      const next = await read
        .selectFrom("mails")
        .select(["id", "kind", "recipient", "language", "content", "attempts", "useful_until as usefulUntil"])
        .where("state", "=", "waiting")
        .where("due_at", "<=", onlyUrgent ? 0 : now)
        .orderBy("due_at")
        .orderBy("id")
        .limit(1)
        .executeTakeFirst();
      if (next === undefined) return null;
      const taken = await write
        .updateTable("mails")
        .set({
          state: "sending",
          tried_at: now,
          attempts: next.attempts + 1,
          // A digest grows no more: what comes later begins another one.
          ...(DIGESTS.has(next.kind) && { once_key: null }),
        })
        .where("id", "=", next.id)
        .where("state", "=", "waiting")
        .where("content", "=", next.content)
        .executeTakeFirst();
      if (Number(taken.numUpdatedRows) === 0) return this.take(now, onlyUrgent);
      return { ...next, attempts: next.attempts + 1 };
    },

    async finish(id: number, outcome: Outcome): Promise<void> {
      const set =
        outcome.state === "sent"
          ? { state: "sent", sent_at: outcome.at, error: null, content: "", is_server_trouble: 0 }
          : {
              state: outcome.state,
              error: outcome.error.slice(0, ERROR_LENGTH),
              is_server_trouble: outcome.state === "waiting" && outcome.isServerTrouble ? 1 : 0,
              ...(outcome.state === "waiting" && { due_at: outcome.dueAt }),
            };
      await write.updateTable("mails").set(set).where("id", "=", id).where("state", "=", "sending").execute();
    },

    /** Those that a process was sending when it ended. Call it while no other process sends. */
    async interrupted(): Promise<{ id: number; times: number }[]> {
      return read
        .selectFrom("mails")
        .select(["id", "was_interrupted as times"])
        .where("state", "=", "sending")
        .limit(REMOVED_AT_ONCE)
        .execute();
    },

    async resume(id: number, { state, error }: { state: "waiting" | "failed"; error: string }) {
      await write
        .updateTable("mails")
        .set((eb) => ({ state, error, due_at: 1, was_interrupted: eb("was_interrupted", "+", 1) }))
        .where("id", "=", id)
        .where("state", "=", "sending")
        .execute();
    },

    /** The latest mail that waits because of the server. */
    async trouble(): Promise<{ error: string; triedAt: number; attempts: number } | null> {
      const row = await read
        .selectFrom("mails")
        .select(["error", "tried_at as triedAt", "attempts"])
        .where("state", "=", "waiting")
        .where("is_server_trouble", "=", 1)
        .orderBy("tried_at", "desc")
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : { ...row, error: row.error ?? "", triedAt: row.triedAt ?? 0 };
    },

    /** After a success. */
    async endTrouble(): Promise<void> {
      await write
        .updateTable("mails")
        .set({ is_server_trouble: 0 })
        .where("state", "=", "waiting")
        .where("is_server_trouble", "=", 1)
        .execute();
    },

    /** At most 1,000. Returns how many. */
    removeBefore(at: number): Promise<number> {
      const old = read.selectFrom("mails").select("id").where("created_at", "<", at);
      return deleteFound(write, "mails", old.orderBy("created_at").limit(REMOVED_AT_ONCE));
    },
  };
}

/** What is stored of a person, by an address or account: found, exported, deleted. */
import type { Database } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import type { Actor } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import { appError } from "../lib/errors.ts";
import type { RecordEvents } from "../lib/event.ts";
import { formatIp, parseIp } from "../lib/ip-address.ts";
import { ADMIN_NAME } from "../lib/owner.ts";
import type { Subject } from "./places.ts";
import { createPrivacyRepository } from "./privacy.repository.ts";

export type Person = { address?: string | undefined; account?: string | undefined };
export type FoundPlace = { place: string; rows: number };

type Deps = {
  database: Pick<Database, "read" | "write" | "dialect">;
  changes: { write<T>(run: (tx: { readonly db: Db }) => Promise<T>): Promise<T> };
  record: RecordEvents<Db>;
  /** Deletes an account. */
  removeAccount(id: number, actor: Actor, transferTo?: string): Promise<unknown>;
  clock: Clock;
};

export type Privacy = ReturnType<typeof createPrivacy>;

export function createPrivacy({ database, changes, record, removeAccount, clock }: Deps) {
  const repository = createPrivacyRepository(database);

  /** @throws BadRequest */
  async function subjectOf({ address, account }: Person): Promise<Subject> {
    if ((address === undefined) === (account === undefined)) {
      throw appError("BadRequest", "Give either address or account.");
    }
    if (account !== undefined) return repository.account(account.toLowerCase());
    const bytes = parseIp(address!);
    if (bytes === null) throw appError("BadRequest", "address: must be an IP address.", { field: "address" });
    return { kind: "address", value: formatIp(bytes) };
  }

  /** How many rows, by place. @throws BadRequest */
  async function find(person: Person): Promise<FoundPlace[]> {
    const counts = new Map<string, number>();
    for await (const { place, rows } of repository.find(await subjectOf(person))) {
      counts.set(place, (counts.get(place) ?? 0) + rows.length);
    }
    return [...counts].map(([place, rows]) => ({ place, rows }));
  }

  return {
    find,

    /** Lines of JSON: a row each, with its place. @throws BadRequest */
    async *export(person: Person): AsyncGenerator<string, void> {
      const subject = await subjectOf(person);
      for await (const { place, rows } of repository.find(subject)) {
        yield rows.map((row) => `${JSON.stringify({ place, ...row })}\n`).join("");
      }
    },

    /**
     * Deletes an account, and replaces what identifies the person. Returns what was found. A repeated call continues one
     * that failed. @throws BadRequest, Conflict (the account has files)
     */
    async delete(person: Person, actor: Actor, transferTo?: string): Promise<FoundPlace[]> {
      const subject = await subjectOf(person);
      if (subject.kind === "account" && subject.value === ADMIN_NAME) {
        throw appError("BadRequest", "account: the built-in administrator can't be deleted.", {
          field: "account",
        });
      }
      const found = await find(person);
      const by = subject.kind === "address" ? "erased" : `#${subject.id ?? "erased"}`;
      if (subject.kind === "account" && subject.id !== null)
        await removeAccount(subject.id, actor, transferTo);
      await repository.erase(database.write, subject, by);
      await changes.write(async ({ db }) => {
        const event = { at: clock.now(), actor, action: "privacy.delete", subject: by, after: { found } };
        await record(db, [event]);
      });
      return found;
    },
  };
}

/** What is stored of a person, by an address or account: found, exported, deleted. */
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError, badField } from "../../lib/errors.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { emailSchema } from "../../lib/email-address.ts";
import { formatIp, parseIp } from "../../lib/ip-address.ts";
import { ADMIN_NAME } from "../../lib/owner.ts";
import type { SenderFolders } from "../../files/drops/sender-folders.ts";
import { dropPersonOf, type Subject } from "./places.ts";
import { createPrivacyRepository, type FoundRows } from "./privacy.repository.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

/** One of them. */
export type Person = {
  /** IP address or mail address. */
  address?: string | undefined;
  account?: string | undefined;
  /** The name that a visitor gave in a drop box. */
  sender?: string | undefined;
};
export type DataLocation = { location: string; rows: number };
/**
 * `missing`: processes whose latest clicks may not be among it. `uncovered`: what is stored elsewhere and was not
 * looked at.
 */
export type FoundOfPerson = { found: DataLocation[]; missing: number; uncovered: string | null };

type PrivacyTransaction = { readonly db: Db; changed(topic: "links", keys: readonly string[]): void };

export type PrivacyDeps = {
  database: Pick<Database, "read" | "write" | "dialect">;
  changes: { write<T>(run: (tx: PrivacyTransaction) => Promise<T>): Promise<T> };
  record: RecordEvents<Db>;
  /** Has all processes count their clicks. Returns how many have not in time. */
  settle(): Promise<number>;
  /** Deletes an account. */
  removeAccount(id: number, actor: Actor, transferTo?: string): Promise<unknown>;
  /** Folders that drop boxes named after visitors. */
  senderFolders: Pick<SenderFolders, "named" | "rename">;
  /** `stream` to a copy of click details explains what to do there about an address. */
  stream: { coverageOf(address: string): string } | null;
  clock: Clock;
};

export type Privacy = ReturnType<typeof createPrivacy>;

export function createPrivacy(deps: PrivacyDeps) {
  const { database, changes, record, settle, removeAccount, senderFolders, stream, clock } = deps;
  const repository = createPrivacyRepository(database);

  /** @throws BadRequest */
  async function subjectOf({ address, account, sender }: Person): Promise<Subject> {
    if ([address, account, sender].filter((given) => given !== undefined).length !== 1) {
      throw appError("BadRequest", "Give one of address, account and sender.");
    }
    if (account !== undefined) return repository.account(asciiLower(account));
    if (sender !== undefined) return { kind: "sender", value: sender };
    const bytes = parseIp(address!);
    if (bytes !== null) return { kind: "address", value: formatIp(bytes) };
    const mail = emailSchema.safeParse(address);
    if (mail.success) return { kind: "mail", value: mail.data };
    throw badField("address", "address: must be an IP address or a mail address.");
  }

  const uncoveredOf = ({ kind, value }: Subject): string | null =>
    kind === "address" ? (stream?.coverageOf(value) ?? null) : null;

  async function* rowsOf(subject: Subject): AsyncGenerator<FoundRows> {
    yield* repository.find(subject);
    const sender = dropPersonOf(subject);
    if (sender === null) return;
    for await (const folders of senderFolders.named(sender))
      yield { location: "entries.name", rows: folders.map(({ id, name }) => ({ id, name })) };
  }

  /** How many rows, by location. @throws BadRequest */
  async function find(person: Person): Promise<FoundOfPerson> {
    const subject = await subjectOf(person);
    const missing = await settle();
    const counts = new Map<string, number>();
    for await (const { location, rows } of rowsOf(subject)) {
      counts.set(location, (counts.get(location) ?? 0) + rows.length);
    }
    return {
      found: [...counts].map(([location, rows]) => ({ location, rows })),
      missing,
      uncovered: uncoveredOf(subject),
    };
  }

  return {
    find,

    /** What the export lacks. @throws BadRequest */
    uncovered: async (person: Person): Promise<string | null> => uncoveredOf(await subjectOf(person)),

    /** Lines of JSON: a row each, with its location. @throws BadRequest */
    async *export(person: Person): AsyncGenerator<string, void> {
      const subject = await subjectOf(person);
      await settle();
      for await (const { location, rows } of rowsOf(subject)) {
        yield rows.map((row) => `${JSON.stringify({ location, ...row })}\n`).join("");
      }
    },

    /**
     * Deletes an account, and replaces what identifies the person. Returns what was found. A repeated call continues
     * one that failed. @throws BadRequest, Conflict (the account has files)
     */
    async delete(person: Person, actor: Actor, transferTo?: string): Promise<FoundOfPerson> {
      const subject = await subjectOf(person);
      if (subject.kind === "account" && subject.value === ADMIN_NAME) {
        throw badField("account", "account: the built-in administrator can't be deleted.");
      }
      const found = await find(person);
      const by = subject.kind === "account" && subject.id !== null ? `#${subject.id}` : "erased";
      if (subject.kind === "account" && subject.id !== null)
        await removeAccount(subject.id, actor, transferTo);
      // Before the files lose the name, which leads to the folders.
      const sender = dropPersonOf(subject);
      if (sender !== null) await senderFolders.rename(sender);
      await repository.erase(database.write, subject, by);
      await changes.write(async ({ db, changed }) => {
        // Who held a link is in the options that caches keep.
        if (found.found.some(({ location }) => location === "links.options")) changed("links", ["*"]);
        const event = {
          at: clock.now(),
          actor,
          action: "privacy.delete",
          subject: by,
          after: { found: found.found },
        };
        await record(db, [event]);
      });
      return found;
    },
  };
}

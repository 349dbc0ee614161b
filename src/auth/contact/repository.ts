import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { prepared } from "../../platform/db/prepared.ts";
import { writeAccountMail } from "../account.repository.ts";
import { knownLanguage } from "../../lib/language.ts";
import { type Choices, choicesSchema, type Contact, DEFAULT_CHOICES } from "./contact.ts";

export type ContactRepository = ReturnType<typeof createContactRepository>;

const COLUMNS = [
  "email",
  "proved_at as provedAt",
  "language",
  "choices",
  "display_name as displayName",
] as const;
const MOST_ADMINISTRATORS = 50;

const rowsOf = prepared((db, accountId: number) =>
  db.selectFrom("account_mail").select(COLUMNS).where("account_id", "=", accountId),
);

export function createContactRepository({ read }: Database) {
  return {
    async find(accountId: number, db: Db = read): Promise<Contact> {
      const [row] = await rowsOf(db, accountId);
      return toContact(row);
    },

    /** Returns null without a verified address, or if the account is disabled or gone. */
    async reachable(accountId: number, db: Db): Promise<(Contact & { email: string }) | null> {
      const contact = await this.find(accountId, db);
      if (contact.email === null || !contact.emailVerified) return null;
      const user = db.selectFrom("users").select("disabled").where("id", "=", accountId);
      const isThere = accountId === 0 || (await user.executeTakeFirst())?.disabled === 0;
      return isThere ? { ...contact, email: contact.email } : null;
    },

    /** The account with a verified address, and not disabled. */
    async ownerOf(email: string): Promise<number | null> {
      const row = await read
        .selectFrom("account_mail")
        .select("account_id as id")
        .where("email", "=", email)
        .where("proved_at", "is not", null)
        .executeTakeFirst();
      return row?.id ?? null;
    },

    /** Ids of enabled administrators; 0 is the built-in one. */
    async administrators(db: Db = read): Promise<number[]> {
      const rows = await db
        .selectFrom("users")
        .select("id")
        .where("role", "=", "admin")
        .where("disabled", "=", 0)
        .orderBy("id")
        .limit(MOST_ADMINISTRATORS)
        .execute();
      return [0, ...rows.map(({ id }) => id)];
    },

    /** @throws Conflict when another account has the address */
    async save(
      tx: Db,
      accountId: number,
      { email, emailVerified, language, choices, displayName }: Contact,
      now: number,
    ): Promise<void> {
      await writeAccountMail(tx, accountId, {
        email,
        proved_at: email !== null && emailVerified ? now : null,
        language,
        choices: JSON.stringify(choices),
        display_name: displayName,
      });
    },
  };
}

type Row = {
  email: string | null;
  provedAt: number | null;
  language: string;
  choices: string;
  displayName: string | null;
};

const toContact = (row: Row | undefined): Contact => ({
  displayName: row?.displayName ?? null,
  email: row?.email ?? null,
  emailVerified: row !== undefined && row.provedAt !== null,
  language: knownLanguage(row?.language ?? null),
  choices: choicesOf(row?.choices ?? "{}"),
});

const storedChoices = choicesSchema.partial();

/** With defaults for what an older version did not know. */
function choicesOf(stored: string): Choices {
  const known = storedChoices.safeParse(JSON.parse(stored));
  return { ...DEFAULT_CHOICES, ...(known.data as Partial<Choices> | undefined) };
}

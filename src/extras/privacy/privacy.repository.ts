import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { anyLike, likePatterns } from "../../platform/db/text-search.ts";
import { type JsonPlace, JSONS, replacedIn, type Subject, type TextPlace, textsOf } from "./places.ts";

/** Ids that one statement reads. */
const PORTION = 20_000;

type Row = Record<string, unknown>;
type Range = readonly [from: number, to: number];
/** `location`: a table, and a column where it has several. */
export type FoundRows = { location: string; rows: readonly Row[] };

/** The tables with rows of an account, without secrets. `by` is the column with its id. */
const OF_ACCOUNT = [
  {
    table: "users",
    by: "id",
    columns: ["id", "username", "role", "disabled", "quota_bytes", "created_at", "updated_at"],
  },
  {
    table: "account_mail",
    by: "account_id",
    columns: ["display_name", "email", "proved_at", "language", "choices"],
  },
  {
    table: "sessions",
    by: "user_id",
    columns: ["created_at", "expires_at", "address", "browser", "os", "signed_in_by"],
  },
  { table: "tokens", by: "user_id", columns: ["name", "scopes", "created_at", "expires_at", "last_used_at"] },
  { table: "passkeys", by: "account_id", columns: ["name", "created_at", "last_used_at"] },
  { table: "authenticators", by: "account_id", columns: ["created_at", "confirmed_at"] },
  {
    table: "account_identities",
    by: "account_id",
    columns: ["issuer", "subject", "created_at", "used_at"],
  },
  {
    table: "uploads",
    by: "account_id",
    columns: ["name", "mime_type", "metadata", "size", "received", "created_at", "expires_at"],
  },
  { table: "team_members", by: "account_id", columns: ["team_id", "role"] },
  { table: "mails", by: "account_id", columns: ["kind", "recipient", "state", "created_at", "sent_at"] },
] as const;

/** Reads tables range by range. */
function createRanges(read: Db) {
  const rowsOf = async (query: ReturnType<typeof sql<Row>>, db: Db = read): Promise<readonly Row[]> =>
    (await query.execute(db)).rows;

  /** Ranges of keys, each for one statement. */
  async function* ranges({ table, key }: Pick<TextPlace, "table" | "key">): AsyncGenerator<Range | null> {
    if (key === null) return yield null;
    const [row] = await rowsOf(sql`select max(${sql.ref(key)}) as most from ${sql.table(table)}`);
    const most = Number(row?.["most"] ?? 0);
    for (let from = 0; from < most; from += PORTION) yield [from, from + PORTION];
  }

  const inRange = ({ key }: Pick<TextPlace, "key">, range: Range | null) =>
    key === null || range === null
      ? sql`1 = 1`
      : sql`${sql.ref(key)} > ${range[0]} and ${sql.ref(key)} <= ${range[1]}`;

  const searchedValues = (subject: Subject): string[] =>
    subject.kind === "account" && subject.email !== null ? [subject.value, subject.email] : [subject.value];

  const isText = (place: TextPlace, value: string) => {
    const others = (place.not ?? []).map((start) => sql` and action not like ${`${start}%`}`);
    return sql`${sql.ref(place.column)} = ${(place.start ?? "") + value}${sql.join(others, sql``)}`;
  };

  /** The name by which mails name the account as their author. */
  const authorIn = (place: JsonPlace, subject: Subject): string | null =>
    subject.kind === "account" && place.table === "mails" ? subject.displayName : null;

  const isOwn = (place: JsonPlace, { kind, value }: Subject) =>
    kind === "account" && place.table === "events"
      ? sql`(subject = ${value} and action like 'account.%')`
      : sql`1 = 0`;

  const mayHave = (place: JsonPlace, subject: Subject) => {
    const author = authorIn(place, subject);
    const values = [
      ...searchedValues(subject),
      ...(author === null ? [] : [JSON.stringify(author).slice(1, -1)]),
    ];
    return anyLike([sql.ref(place.column)], values.flatMap(likePatterns));
  };

  /** Finds rows of JSON with the subject, and what replaces them, range by range. */
  async function* inJsons(subject: Subject) {
    for (const at of JSONS[subject.kind]) {
      const sought = { kind: subject.kind, searched: searchedValues(subject), by: authorIn(at, subject) };
      for await (const range of ranges(at)) {
        const rows = await rowsOf(
          sql`select ${sql.ref(at.key)}, ${sql.ref(at.column)}, case when ${isOwn(at, subject)} then 1 else 0 end as own
            from ${sql.table(at.table)}
            where ${inRange(at, range)} and ${sql.ref(at.column)} is not null and (${isOwn(at, subject)} or ${mayHave(at, subject)})`,
        );
        const found = rows.flatMap(({ own, ...row }) => {
          const replaced = (text: string) =>
            replacedIn(String(row[at.column]), { ...sought, isOwn: Number(own) === 1 }, text);
          return replaced("") === undefined ? [] : [{ row, replaced }];
        });
        if (found.length > 0) yield { at, found };
      }
    }
  }

  return { rowsOf, ranges, inRange, isText, inJsons };
}

function createFinding(read: Db) {
  const { rowsOf, ranges, inRange, isText } = createRanges(read);

  /** Rows with the text, whole, range by range. */
  async function* inTexts(subject: Subject): AsyncGenerator<FoundRows> {
    for (const { place, value } of textsOf(subject)) {
      for await (const range of ranges(place)) {
        const shown = place.shown?.map((name) => sql.ref(name)) ?? [sql`*`];
        const rows = await rowsOf(
          sql`select ${sql.join(shown)} from ${sql.table(place.table)} where ${inRange(place, range)} and ${isText(place, value)}`,
        );
        if (rows.length > 0) yield { location: `${place.table}.${place.column}`, rows };
      }
    }
  }

  /** What the account itself has. */
  async function* ofAccount(subject: Subject): AsyncGenerator<FoundRows> {
    if (subject.kind !== "account" || subject.id === null) return;
    for (const { table, by, columns } of OF_ACCOUNT) {
      const names = sql.join(columns.map((name) => sql.ref(name)));
      const rows = await rowsOf(
        sql`select ${names} from ${sql.table(table)} where ${sql.ref(by)} = ${subject.id}`,
      );
      if (rows.length > 0) yield { location: table, rows };
    }
    for (const [table, by] of [
      ["links", "owner_id"],
      ["entries", "account_id"],
    ] as const) {
      const [row] = await rowsOf(
        sql`select count(*) as n from ${sql.table(table)} where ${sql.ref(by)} = ${subject.id}`,
      );
      if (Number(row!["n"]) > 0) yield { location: table, rows: [{ owned: Number(row!["n"]) }] };
    }
    const { n } = await read
      .selectFrom("file_versions")
      .innerJoin("entries", "entries.id", "file_versions.entry_id")
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .where("entries.account_id", "=", subject.id)
      .where("entries.versions_bytes", ">", 0)
      .executeTakeFirstOrThrow();
    if (Number(n) > 0) yield { location: "file_versions", rows: [{ owned: Number(n) }] };
  }

  /** User agents that nobody but the address has sent. */
  async function agentsOf(address: string): Promise<number[]> {
    const log = { table: "click_log", key: "id" };
    const sent = new Set<number>();
    async function* idsWhere(condition: RawBuilder<unknown>): AsyncGenerator<number[]> {
      for await (const range of ranges(log)) {
        const rows = await rowsOf(
          sql`select distinct user_agent_id as id from click_log
            where ${inRange(log, range)} and ${condition} and user_agent_id is not null`,
        );
        yield rows.map((row) => Number(row["id"]));
      }
    }
    for await (const ids of idsWhere(sql`ip_address = ${address}`)) ids.forEach((id) => sent.add(id));
    for await (const ids of idsWhere(sql`(ip_address is null or ip_address <> ${address})`)) {
      ids.forEach((id) => sent.delete(id));
      if (sent.size === 0) break;
    }
    return [...sent];
  }

  return { inTexts, ofAccount, agentsOf };
}

export function createPrivacyRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  const { ranges, inRange, isText, inJsons } = createRanges(read);
  const { inTexts, ofAccount, agentsOf } = createFinding(read);

  return {
    async account(name: string): Promise<Subject> {
      const user = await read
        .selectFrom("users")
        .select("id")
        .where("username", "=", name)
        .executeTakeFirst();
      const mail = read
        .selectFrom("account_mail")
        .select(["email", "display_name as displayName"])
        .where("account_id", "=", user?.id ?? -1);
      const { email = null, displayName = null } = (await mail.executeTakeFirst()) ?? {};
      return { kind: "account", value: name, id: user?.id ?? null, email, displayName };
    },

    /** Portion by portion. */
    async *find(subject: Subject): AsyncGenerator<FoundRows> {
      yield* ofAccount(subject);
      yield* inTexts(subject);
      for await (const { at, found } of inJsons(subject))
        yield { location: `${at.table}.${at.column}`, rows: found.map(({ row }) => row) };
    },

    /**
     * Replaces what identifies the person. Clicks keep link, time and what they count by, so that all sums stay what they
     * are; a user agent that only this address sent loses its text.
     */
    async erase(write: Db, subject: Subject, by: string): Promise<void> {
      if (subject.kind === "address") {
        for (const id of await agentsOf(subject.value)) {
          const gone = { text: "", hash: `erased ${id}` };
          await write.updateTable("user_agents").set(gone).where("id", "=", id).execute();
        }
      } else if (subject.kind === "account" && subject.id !== null) {
        await write.deleteFrom("mails").where("account_id", "=", subject.id).execute();
      }
      // Before the texts, which say whom an event is about.
      for await (const { at, found } of inJsons(subject)) {
        for (const { row, replaced } of found) {
          await sql`update ${sql.table(at.table)} set ${sql.ref(at.column)} = ${replaced(by)} where ${sql.ref(at.key)} = ${row[at.key]}`.execute(
            write,
          );
        }
      }
      for (const { place, value } of textsOf(subject)) {
        const table = sql.table(place.table);
        const set = Object.entries(place.set ?? { [place.column]: by });
        const change =
          place.set === null
            ? sql`delete from ${table}`
            : sql`update ${table} set ${sql.join(set.map(([column, text]) => sql`${sql.ref(column)} = ${text}`))}`;
        for await (const range of ranges(place)) {
          await sql`${change} where ${inRange(place, range)} and ${isText(place, value)}`.execute(write);
        }
      }
      // What was replaced may still be in free parts of the database's files.
      await dialect.shred?.(write);
    },
  };
}

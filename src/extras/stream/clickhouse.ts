/** A ClickHouse server that keeps details of clicks. Its client is loaded when it is used. */
import { Readable } from "node:stream";
import { appError, messageOf } from "../../lib/errors.ts";

export const TABLE = "waymark_clicks";

const TIMEOUT_MS = 60_000;

const COLUMNS = `
  id UInt64, link_id UInt64, code String, domain String, clicked_at DateTime('UTC'), millisecond UInt16,
  automated UInt8, source String, channel String, rule String, referrer String, referrer_host String,
  utm_source String, utm_medium String, utm_campaign String, utm_term String, utm_content String,
  language String, country String, city String, ip_address String, user_agent String`;

/**
 * Merges leave one row of each key, so a row that was sent twice counts once. Years, because a server takes few partitions
 * at once, and imports have old visits. Works from version 18 on.
 */
const CREATE = `create table ${TABLE} (${COLUMNS}) engine = ReplacingMergeTree partition by toYear(clicked_at) order by (link_id, clicked_at, id)`;
const NAMES = COLUMNS.split(",").map((column) => column.trim().split(" ")[0]);
const INSERT = `insert into ${TABLE} (${NAMES.join(", ")}) format JSONEachRow`;

export async function openClickHouse(url: string, abort_signal: AbortSignal) {
  const { ClickHouseLogLevel, createClient } = await import("@clickhouse/client");
  const client = createClient({
    url,
    application: "waymark",
    request_timeout: TIMEOUT_MS,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const hasTable = (): Promise<boolean> =>
    translated(async () => {
      const query = `exists table ${TABLE}`;
      const resultSet = await client.query({ query, format: "JSONEachRow", abort_signal });
      return (await resultSet.json<{ result: number }>())[0]?.result === 1;
    });
  return {
    hasTable,

    /** Makes the table unless the server has it. */
    async prepare(): Promise<void> {
      if (!(await hasTable())) await translated(() => client.command({ query: CREATE, abort_signal }));
    },

    /** Rows as lines of JSON. Resolves when the server has stored them; after a rejection it may have stored some. */
    insert: (pages: readonly string[]): Promise<void> =>
      translated(async () => {
        const { stream } = await client.exec({ query: INSERT, values: Readable.from(pages), abort_signal });
        for await (const _ of stream);
      }),

    /** Rejects if the account may not insert, or the table lacks a column. */
    tryInsert: (): Promise<unknown> => translated(() => client.command({ query: INSERT, abort_signal })),

    close: (): Promise<void> => client.close(),
  };
}

const translated = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((cause: unknown) => {
    throw appError(
      "ServiceUnavailable",
      `ClickHouse takes no clicks: ${messageOf(cause).split("\n")[0]}. They are sent when it does; check clickhouse.url and the server.`,
      { cause },
    );
  });

import { currentTime } from "../../platform/db/queries.ts";
import type { Database } from "../../platform/db/database.ts";
import type { MigrationState } from "../../platform/db/migrate.ts";
import { programName } from "../../lib/program-name.ts";
import { ENTERED_ANEW } from "./key.commands.ts";
import { type Check, failure, ok, warning } from "./doctor.ts";
import { messageOf } from "../../lib/errors.ts";
import { pluralize } from "../../lib/pluralize.ts";

const CLOCK_TOLERANCE_MS = 5_000;
/** The age at which clicks for ClickHouse are late; they usually wait for two to four minutes. */
const LATE_MS = 3_600_000;

/** Earlier than any release. */
const EARLIEST_NOW = Date.UTC(2026, 0, 1);

export const checkDatabase = (
  open: () => Promise<Database>,
  status: (database: Database) => Promise<MigrationState[]>,
): Check => ({
  part: "database",
  async look() {
    const database = await open();
    const begun = performance.now();
    await database.ping();
    const findings = [ok(`${database.dialect.name} responds in ${Math.ceil(performance.now() - begun)} ms`)];
    const found = await database.dialect.findDamage?.(database.read);
    if (found) return [failure(`the database file is damaged: ${found.damage}`, found.advice)];
    const pending = (await status(database)).filter(({ executedAt }) => executedAt === null);
    findings.push(
      pending.length === 0
        ? ok("the schema is up to date")
        : warning(
            `${pending.length} steps of the schema are pending`,
            `Start the server, or run '${programName()} migrate up'.`,
          ),
    );
    return findings;
  },
});

/** The limit of the report; a database of another program would have hundreds. */
const MOST_DIFFERENCES = 20;

export const checkSchema = (
  open: () => Promise<Database>,
  status: (database: Database) => Promise<MigrationState[]>,
  differences: (database: Database) => Promise<string[]>,
): Check => ({
  part: "schema",
  async look() {
    const database = await open();
    if ((await status(database)).some(({ executedAt }) => executedAt === null)) return [];
    const found = await differences(database);
    if (found.length === 0) return [ok("tables, columns and indexes are those of this version")];
    const advice = `Make it as in db/schema/${database.dialect.name}.sql in the source of this version, or restore a backup.`;
    const shown = found.slice(0, MOST_DIFFERENCES).map((sentence) => {
      const isHarmful = /^the (table|column|constraint) .*(is missing|without it)/.test(sentence);
      return (isHarmful ? failure : warning)(sentence, advice);
    });
    const more = found.length - shown.length;
    return more === 0 ? shown : [...shown, warning(`there are ${more} more differences`, advice)];
  },
});

export const checkClock = (open: () => Promise<Database>, now: () => number): Check => ({
  part: "clock",
  async look() {
    if (now() < EARLIEST_NOW) {
      return [
        failure(
          `the clock of this machine shows ${new Date(now()).toISOString()}`,
          "Set the clock: sessions and expiries depend on it.",
        ),
      ];
    }
    const { dialect, read } = await open();
    const differenceMs = (await currentTime(read, dialect)) - now();
    if (Math.abs(differenceMs) <= CLOCK_TOLERANCE_MS)
      return [ok("this machine and the database agree on the time")];
    return [
      failure(
        `the clocks of the database and this machine differ by ${Math.round(differenceMs / 1000)} s`,
        "Run NTP on both: sessions and expiries depend on these clocks.",
      ),
    ];
  },
});

/** `look` reports what is wrong with the key, `unreadable` what another one has sealed. */
export const checkSecretKey = (
  look: () => Promise<string | null>,
  unreadable: () => Promise<string[]>,
): Check => ({
  part: "secret key",
  async look() {
    const trouble = await look();
    if (trouble !== null) return [failure(trouble, "Nothing is lost while a copy of the right key exists.")];
    const lost = await unreadable();
    if (lost.length === 0) return [ok("it opens the secrets in the database")];
    return [warning(`another key has sealed the secrets of ${lost.join(", ")}`, ENTERED_ANEW)];
  },
});

/**
 * `ping` is null without a shared cache. It resolves to null when Redis responds, else to the reason of its refusal, if
 * known.
 */
export const checkCache = (ping: (() => Promise<string | null>) | null): Check => ({
  part: "cache",
  async look() {
    if (ping === null) return [ok("each process has its own; no cache is shared")];
    const trouble = await ping();
    if (trouble === null) return [ok("Redis responds")];
    return [
      failure(
        trouble || "Redis does not respond",
        "Check cache.redis_url and the Redis server. Waymark works without it; other nodes apply changes a second or two later.",
      ),
    ];
  },
});

export type ClickCopy = {
  waiting(): Promise<number>;
  check(): Promise<{ hasTable: boolean; hasSent: boolean; waitingSince: number | null }>;
};

/** `copy` is null without one. */
export const checkClickHouse = (copy: () => Promise<ClickCopy | null>): Check => ({
  part: "clickhouse",
  async look() {
    const stream = await copy();
    if (stream === null) return [ok("no server is set, so click details are not copied")];
    const waiting = pluralize(await stream.waiting(), "click waits", "clicks wait");
    const kept = "Retention keeps clicks that wait for seven days more.";
    const state = await stream.check().catch(messageOf);
    if (typeof state === "string") return [failure(state, `${waiting}. ${kept}`)];
    const { hasTable, hasSent, waitingSince } = state;
    const findings = [];
    if (!hasTable && hasSent) {
      findings.push(
        warning(
          "the table to which clicks were sent is gone",
          "Restore it there, or the next run makes an empty one. Clicks that were sent are not sent again.",
        ),
      );
    } else findings.push(ok(hasTable ? "the server takes clicks" : "the next run makes the table"));
    if (waitingSince === null) return [...findings, ok("all clicks are sent")];
    if (waitingSince > Date.now() - LATE_MS)
      return [...findings, ok(`${waiting}, at most four minutes each`)];
    return [
      ...findings,
      warning(
        `${waiting}, the first of them since ${new Date(waitingSince).toISOString()}`,
        `A running server sends them. If the number does not fall in some minutes, its log says why the job 'clickhouse' fails. ${kept}`,
      ),
    ];
  },
});

/** `server` is null without one; `check` connects. */
export const checkMail = (server: string | null, check: () => Promise<string | null>): Check => ({
  part: "mail",
  async look() {
    if (server === null) return [ok("no server is set, so no mails are sent")];
    const trouble = await check();
    if (trouble === null) return [ok(`${server} takes mails`)];
    return [failure(trouble, "Mails wait in the outbox until this is fixed; see 'waymark mail list'.")];
  },
});

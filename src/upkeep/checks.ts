/** The checks of the doctor. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import type { Database } from "../db/database.ts";
import type { MigrationState } from "../db/migrate.ts";
import { dataPath } from "../lib/data-folder.ts";
import { pluralize } from "../lib/pluralize.ts";
import { writeRefusal } from "../lib/file-trouble.ts";
import { programName } from "../lib/program-name.ts";
import { type Check, failure, ok, warning } from "./doctor.ts";
import { restoreAdvice } from "./restore-state.ts";

const MB = 1024 * 1024;
const LEAST_FREE_BYTES = 512 * MB;
const CLOCK_TOLERANCE_MS = 5_000;
/** Earlier than any release. */
const EARLIEST_NOW = Date.UTC(2026, 0, 1);

export function checkDataFolder(dir: string): Check {
  return {
    part: "data folder",
    async look() {
      if (!existsSync(dir)) return [ok(`${dir} does not exist yet; the first start creates it`)];
      try {
        accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
      } catch {
        return [failure(`${dir} can't be written by this account`, writeRefusal([dir]) ?? "")];
      }
      const interrupted = restoreAdvice(dir);
      const findings = [
        interrupted === null
          ? ok(`${dir} can be written`)
          : failure("a restore was interrupted", interrupted),
      ];
      if ((statSync(dir).mode & 0o007) !== 0) {
        findings.push(warning(`${dir} is accessible to every account of the machine`, `chmod 750 ${dir}`));
      }
      const { bavail, bsize } = await statfs(dir);
      const free = bavail * bsize;
      const room = `${Math.round(free / MB).toLocaleString("en")} MB are free`;
      findings.push(
        free < LEAST_FREE_BYTES
          ? warning(`only ${room}`, "Free some space: a full disk stops uploads and the click journal.")
          : ok(room),
      );
      return findings;
    },
  };
}

export function checkDatabase(
  open: () => Promise<Database>,
  status: (database: Database) => Promise<MigrationState[]>,
): Check {
  return {
    part: "database",
    async look() {
      const database = await open();
      const begun = performance.now();
      await database.ping();
      const findings = [
        ok(`${database.dialect.name} responds in ${Math.ceil(performance.now() - begun)} ms`),
      ];
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
  };
}

export function checkClock(open: () => Promise<Database>, now: () => number): Check {
  return {
    part: "clock",
    async look() {
      if (now() < EARLIEST_NOW) {
        return [
          failure(
            `the clock of this machine says ${new Date(now()).toISOString()}`,
            "Set the clock: sessions and expiries depend on it.",
          ),
        ];
      }
      const { dialect, read } = await open();
      const differenceMs = (await dialect.currentTime(read)) - now();
      if (Math.abs(differenceMs) <= CLOCK_TOLERANCE_MS)
        return [ok("this machine and the database agree on the time")];
      return [
        failure(
          `the clocks of the database and this machine differ by ${Math.round(differenceMs / 1000)} s`,
          "Run NTP on both: leases, sessions and expiries depend on these clocks.",
        ),
      ];
    },
  };
}

/** `running` counts live server processes; `bytes` is the size of all journals. */
export function checkJournal(dataDir: string, running: () => number, bytes: () => number): Check {
  return {
    part: "click journal",
    async look() {
      const dir = dataPath(dataDir, "journal");
      if (!existsSync(dir)) return [ok("no server has run on this data folder yet")];
      const [servers, size] = [running(), bytes()];
      const findings = [
        ok(`${pluralize(servers, "server process runs", "server processes run")} on this data folder`),
      ];
      if (servers === 0 && size > 0) {
        findings.push(
          warning(
            `${Math.ceil(size / MB)} MB of clicks wait to be counted`,
            "Start the server, which counts them.",
          ),
        );
      } else if (size > LEAST_FREE_BYTES) {
        findings.push(
          warning(
            `the journals take ${Math.ceil(size / MB)} MB`,
            "Check the log for failing flushes: clicks wait for the database.",
          ),
        );
      } else findings.push(ok(`the journals take ${Math.ceil(size / MB)} MB`));
      return findings;
    },
  };
}

/** Above this, click records cost more disk than they are worth to most. */
export const MANY_CLICK_RECORDS = 10_000_000;

/** `most` is the configured bound, 0 for none. */
export function checkClickRecords(view: () => Promise<{ most: number; areMany: boolean }>): Check {
  return {
    part: "click records",
    async look() {
      const { most, areMany } = await view();
      if (most > 0) return [ok(`at most ${most.toLocaleString("en")} are kept`)];
      if (!areMany) return [ok("only their age is bounded")];
      return [
        warning(
          `more than ${MANY_CLICK_RECORDS.toLocaleString("en")} are kept, and only their age is bounded`,
          `Bound their number: ${programName()} config set analytics.max_log_rows ${MANY_CLICK_RECORDS}`,
        ),
      ];
    },
  };
}

/** `misplaced` returns policies whose location is refused for new ones. */
export function checkPolicies(misplaced: () => Promise<{ name: string; refusal: string }[]>): Check {
  return {
    part: "storage policies",
    async look() {
      const found = (await misplaced()).map(({ name, refusal }) =>
        warning(
          `the policy '${name}' works, but its location is refused for new policies. ${refusal}`,
          "Allow its folder, or move its files to another policy and delete this one.",
        ),
      );
      return found.length > 0 ? found : [ok("every policy is in an allowed location")];
    },
  };
}

export type SettingsView = {
  isAdminEnabled: boolean;
  hasHealthToken: boolean;
  isCookieSecure: boolean;
  sameSite: string;
  isTls: boolean;
};

export function checkSettings(view: () => Promise<SettingsView>): Check {
  return {
    part: "settings",
    async look() {
      const settings = await view();
      const findings = [];
      if (!settings.isAdminEnabled)
        findings.push(warning("the admin API is off", `Set a password: ${programName()} reset-password`));
      if (!settings.hasHealthToken) {
        findings.push(
          warning(
            "no health token is set for monitors",
            `${programName()} config set api.health_token TOKEN, to read /health and metrics without a session.`,
          ),
        );
      }
      if (!settings.isCookieSecure && settings.isTls) {
        findings.push(
          warning(
            "cookies are also sent over plain HTTP",
            `${programName()} config set api.cookie_secure true`,
          ),
        );
      }
      if (!settings.isCookieSecure && settings.sameSite === "None") {
        findings.push(
          failure(
            "browsers reject cookies with SameSite=None that are not Secure",
            `${programName()} config set api.cookie_secure true`,
          ),
        );
      }
      return findings.length === 0 ? [ok("no problems found")] : findings;
    },
  };
}

/** `ping` is null without a shared cache. */
export function checkCache(ping: (() => Promise<boolean>) | null): Check {
  return {
    part: "cache",
    async look() {
      if (ping === null) return [ok("each process has its own; no cache is shared")];
      if (await ping()) return [ok("Redis responds")];
      return [
        failure(
          "Redis does not respond",
          "Check cache.redis_url and the Redis server. Waymark works without it; other nodes apply changes a second or two later.",
        ),
      ];
    },
  };
}

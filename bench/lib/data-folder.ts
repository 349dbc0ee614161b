/** A temporary data folder full of links, written by the project's own modules. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "../../src/platform/db/database.ts";
import { migrateUp } from "../../src/platform/db/migrate.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { keyOf } from "../../src/links/link/key.ts";
import { PLAIN, UNOWNED } from "../../src/links/link/link.ts";
import { NO_OPTIONS, writeOptions } from "../../src/links/link/field-values.ts";
import type { Rule } from "../../src/links/rules/rule.ts";
import { createLinkRepository } from "../../src/links/write/repository.ts";

export type DataFolder = {
  readonly path: string;
  /** Clicks counted in the database; the server must be stopped. */
  countedClicks(): Promise<number>;
  /** Clicks in the click log; the server must be stopped. */
  loggedClicks(): Promise<number>;
  remove(): void;
};

export const codeAt = (index: number): string => `c${index.toString(16).padStart(6, "0")}`;
export const targetAt = (index: number): string =>
  `https://www.example.com/some/longer/path/${index}?from=short`;

const CHUNK = 20_000;

export const hostAt = (index: number): string => `go-${index}.example.com`;

type Contents = {
  /** Besides the default one. */
  domains?: number;
  /** The domain of the links; 0: the default one. */
  linksOn?: number;
  /** Each link has a title and two tags, one of them `all`, and is in the index of the search. */
  titled?: boolean;
  /** Each link has ten rules, which all have to be judged. */
  ruled?: boolean;
};

const RULES: readonly Rule[] = [
  { if: { device: "tablet" }, target: "https://rule.example/0" },
  { if: { language: ["fr", "it"] }, target: "https://rule.example/1" },
  { if: { os: "iOS", country: "FR" }, target: "https://rule.example/2" },
  { if: { referrer: "news.example" }, target: "https://rule.example/3" },
  { if: { query: { ref: "mail" } }, target: "https://rule.example/4" },
  { if: { before: "2001-01-01T00:00:00.000Z" }, target: "https://rule.example/5" },
  { if: { hours: { from: "10:00", to: "10:01", zone: "Europe/Berlin" } }, target: "https://rule.example/6" },
  { if: { address: "203.0.113.0/24" }, target: "https://rule.example/7" },
  { if: { percent: 0 }, target: "https://rule.example/8" },
  { if: { browser: "Safari", percent: 50 }, target: "https://rule.example/9" },
];

/** The folder has the links `c000000`, `c000001` … */
export async function createDataFolder(
  count: number,
  { domains = 0, linksOn = 0, titled = false, ruled = false }: Contents = {},
): Promise<DataFolder> {
  const path = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  const settings = { url: `sqlite:${join(path, "waymark.db")}`, poolSize: 1 };
  const open = () => openDatabase(settings, { threads: false, logger: silentLogger });
  const database = await open();
  await migrateUp(database, { logger: silentLogger });
  const repository = createLinkRepository(database);
  for (let index = 1; index <= domains; index++) {
    const row = { id: index, host: hostAt(index), created_at: 0, updated_at: 0 };
    await database.write.insertInto("domains").values(row).execute();
  }
  for (let first = 0; first < count; first += CHUNK) {
    const links = Array.from({ length: Math.min(CHUNK, count - first) }, (_, at) => ({
      code: keyOf(linksOn, codeAt(first + at)),
      target: targetAt(first + at),
      createdAt: first + at,
      updatedAt: first + at,
      ...PLAIN,
      ...UNOWNED,
      clickCount: 0,
      automatedClicks: 0,
      ...(ruled && { options: writeOptions({ ...NO_OPTIONS, rules: RULES }) }),
      ...(titled && {
        title: `Campaign ${(first + at) % 977} of the year`,
        tags: ["all", `topic ${(first + at) % 500}`],
      }),
    }));
    await database.transaction((tx) => repository.insertMany(tx, links), { long: true });
  }
  if (titled) await indexTexts(database);
  await database.close();
  return {
    path,
    async countedClicks() {
      const again = await open();
      const stats = await createLinkRepository(again).stats(0);
      await again.close();
      return stats.totalClicks;
    },
    async loggedClicks() {
      const again = await open();
      const query = again.read.selectFrom("click_log").select((eb) => eb.fn.countAll<number>().as("rows"));
      const { rows } = await query.executeTakeFirstOrThrow();
      await again.close();
      return rows;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** A server does it after its start, for minutes, while searches read what is not indexed yet. */
async function indexTexts({ transaction, dialect }: Database): Promise<void> {
  for (let indexed = CHUNK; indexed === CHUNK; )
    indexed = await transaction((tx) => dialect.indexLinkTexts!(tx, CHUNK), { long: true });
}

/** Sets a run-time setting for the next start, with the program of a checkout. */
export function setConfig(
  data: Pick<DataFolder, "path">,
  key: string,
  value: string,
  checkout = join(import.meta.dir, "..", ".."),
): void {
  const waymark = join(checkout, "bin", "waymark");
  const { exitCode, stderr } = Bun.spawnSync([waymark, "config", "set", key, value], {
    env: { ...process.env, WAYMARK__DATA__DIR: data.path },
  });
  if (exitCode !== 0) throw new Error(`config set ${key} failed: ${stderr.toString()}`);
}

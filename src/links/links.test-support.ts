/** Test support: the room on a real database, with a stopped clock. */
import { COMMAND } from "../lib/actor.ts";
import { createPasswords } from "../auth/login/password.ts";
import { codeBelow } from "./fallback/loops.ts";
import { createChanges } from "../platform/cluster/changes.ts";
import type { Database } from "../platform/db/database.ts";
import { createEvents } from "../platform/events/events.service.ts";
import { AppError } from "../lib/errors.ts";
import { silentLogger } from "../lib/logger.ts";
import type { Deletion } from "./write/rows.repository.ts";
import { FIELDS, type viewOfFields } from "./link/field-values.ts";
import { addToTotal } from "./link/query.repository.ts";
import { createLinkOperations } from "./link/metrics.ts";
import { createRegistry } from "../lib/metrics.ts";
import { createLinkRepository } from "./write/repository.ts";
import type { TargetLists } from "./write/allowed-targets.ts";
import { createLinkService, type LinkServiceDeps } from "./links.service.ts";

export const NOW = Date.parse("2026-11-20T13:00:00Z");
export const DAY = 86_400_000;
export const NO_LISTS: TargetLists = { allow: [], deny: [], bound: [], waiting: [] };
/** The fields of a link that sets none, as responses show them. */
export const EMPTY_FIELDS = Object.fromEntries(
  FIELDS.map(({ name, show, empty }) => [name, show(empty)]),
) as ReturnType<typeof viewOfFields>;

export const TARGET = "https://example.com/";

export type LinksRoom = Awaited<ReturnType<typeof openLinks>>;

const { hashPassword } = createPasswords(undefined, { memoryCost: 64, timeCost: 1 });

/** The endpoints of the room, on a server without a public URL. */
export const QUIET_SETTINGS = {
  routePrefixes: () => ["/admin"],
  randomCodeLength: () => 6,
  shareCodeLength: () => 14,
  restoreDays: () => 30,
  retentionDays: () => 365,
  findAccount: async () => null,
  publicUrl: () => "",
  holdPublicUrl: async () => "",
  ownCode: (url: string, origin = "") => codeBelow(origin, url),
  targetLists: () => NO_LISTS,
  operations: createLinkOperations(createRegistry()),
};

export async function openLinks(database: Database, overrides: Partial<LinkServiceDeps> = {}) {
  const clock = { time: NOW, now: () => clock.time };
  const changes = createChanges({ database, clock, logger: silentLogger });
  const changed: string[][] = [];
  changes.subscribe("links", (codes) => void changed.push([...codes].sort()));
  const events = createEvents({ database, clock });
  const service = createLinkService({
    database,
    changes,
    record: events.add,
    events,
    ...QUIET_SETTINGS,
    routePrefixes: () => ["/admin", "/health", "/panel"],
    hashPassword,
    clock,
    ...(overrides.publicUrl && { holdPublicUrl: async () => overrides.publicUrl!() }),
    ...overrides,
  });
  events.nameDomains(service.domains.hostOf);
  const links = { ...service, ...service.by(COMMAND) };
  return {
    database,
    clock,
    changes,
    events,
    links,
    repository: createLinkRepository(database),
    /** The codes of each reported change. */
    changed,
    /** Counts clicks like the flush. */
    async click(code: string, clicks: number, automated = 0) {
      const { id } = await links.get(code);
      const counter = { table: "link_clicks", key: "link_id" } as const;
      await database.dialect.addToCounters(database.write, { ...counter, column: "clicks" }, [id], [clicks]);
      await addToTotal(database.write, { links: 0, clicks, automated });
      if (automated === 0) return;
      const other = { ...counter, column: "automated" } as const;
      await database.dialect.addToCounters(database.write, other, [id], [automated]);
    },
    async rows(table: "links" | "link_clicks" | "deleted_links") {
      const query = database.read.selectFrom(table).select((eb) => eb.fn.countAll<number>().as("n"));
      return Number((await query.executeTakeFirstOrThrow()).n);
    },
    async clear() {
      await database.write.deleteFrom("links").execute();
      await database.write.deleteFrom("tags").execute();
      await database.write.deleteFrom("owner_tags").execute();
      await database.write.deleteFrom("link_totals").execute();
      await database.write.deleteFrom("deleted_links").execute();
      await database.write.deleteFrom("events").execute();
      await database.write.deleteFrom("bulk_changes").execute();
      clock.time = NOW;
      changed.length = 0;
    },
  };
}

/** Options of deleteLinks. */
export const deletionIn = (database: Database, now: number): Deletion => ({
  dialect: database.dialect,
  record: createEvents({ database, clock: { now: () => now } }).add,
  actor: COMMAND,
  now,
});

/** Name of the AppError of the rejection. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof AppError) return error.name;
    throw error;
  }
  return "no error";
}

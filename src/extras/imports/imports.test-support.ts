/** Test support: the room on a real database, with details of clicks. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDetailsParser } from "../../clicks/details/details.ts";
import { createLeases } from "../../platform/cluster/leases.ts";
import type { Database } from "../../platform/db/database.ts";
import type { TableName } from "../../platform/db/schema.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createOutbound } from "../../lib/outbound.ts";
import { startDrive } from "../../files/drive.test-support.ts";
import { createSecretBox } from "../../lib/secret-box.ts";
import { openLinks, QUIET_SETTINGS } from "../../links/links.test-support.ts";
import { createImports, type NewImport } from "./imports.ts";

export const OPTIONS = {
  map: {},
  visits: true,
  on_conflict: "skip",
  disabled: false,
  add_domains: false,
} as const;

/** Older visits have no row in the click log. */
export const LOG_FROM = Date.parse("2026-11-01T10:45:00Z");

/** What an import writes into. */
const TABLES: readonly TableName[] = [
  "links",
  "link_clicks",
  "deleted_links",
  "tags",
  "link_tags",
  "click_hours",
  "click_days",
  "click_months",
  "click_dim_days",
  "click_dim_hours",
  "click_dim_months",
  "click_log",
  "detail_drops",
  "import_links",
  "import_clicks",
  "import_entries",
  "entries",
  "shares",
  "share_recipients",
  "blobs",
];

export async function openImports(database: Database) {
  const room = await openLinks(database, { publicUrl: () => "https://go.example" });
  const folder = mkdtempSync(join(tmpdir(), "waymark-imports-"));
  const { links, changes, events, clock } = room;
  const drive = await startDrive(database, { changes });
  const imports = createImports({
    database,
    changes,
    leases: createLeases({ database, clock }),
    keepEvent: events.keep,
    settings: () => ({
      details: true,
      privacy: {
        addresses: "full",
        located: false,
        referrers: true,
        agents: true,
        places: true,
        campaigns: true,
        signals: false,
      },
      logFrom: LOG_FROM,
      mostLogRows: 0,
    }),
    parser: createDetailsParser(),
    validateTargets: links.validateTargets,
    files: drive.moved,
    ...QUIET_SETTINGS,
    hashPassword: async (plain) => `$argon2id$${plain}`,
    domains: links.domains,
    domainService: links.domainService,
    ownHost: () => "go.example",
    settle: async () => undefined,
    box: createSecretBox(() => new Uint8Array(32)),
    folder,
    outbound: createOutbound(),
    clock,
    logger: silentLogger,
  });
  return {
    ...room,
    imports,
    drive,
    async file(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
      const path = join(folder, crypto.randomUUID());
      await Bun.write(path, content);
      return path;
    },
    /** Imports a file, to the end. Returns its number. */
    async runImport(made: Omit<NewImport, "file" | "key">, signal?: AbortSignal): Promise<number> {
      const { id } = await imports.create({ file: null, key: null, ...made }, { name: "cli" }, "running");
      await imports.work(id, { ...(signal && { signal }) });
      return id;
    },
    async undo(id: number) {
      await imports.actions.undo(id);
      await imports.work(id);
      return (await imports.find(id)).report.counts;
    },
    /** Of all tables that an import writes, and the totals. */
    async counts() {
      const found: Record<string, number> = {};
      for (const table of TABLES) {
        const query = database.read.selectFrom(table).select((eb) => eb.fn.countAll<number>().as("n"));
        found[table] = Number((await query.executeTakeFirstOrThrow()).n);
      }
      const sums = await database.read
        .selectFrom("link_totals")
        .select((eb) =>
          ["links", "clicks", "automated", "imported"].map((name) =>
            eb.fn.sum<number>(name as "links").as(name),
          ),
        )
        .executeTakeFirstOrThrow();
      for (const [name, sum] of Object.entries(sums)) found[`total ${name}`] = Number(sum);
      return found;
    },
    async close() {
      await imports.close();
      await drive.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

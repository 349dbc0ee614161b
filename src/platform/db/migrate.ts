/**
 * Migrates under a lock of the database, so many processes may start at once. Without transactional DDL each step is
 * small and repeatable.
 */
import { type Migration, Migrator } from "kysely";
import { appError } from "../../lib/errors.ts";
import { pluralize } from "../../lib/pluralize.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Database } from "./database.ts";
import type { SchemaSyntax } from "./schema-syntax.ts";
import { steps as accounts } from "./migrations/version-1-0-accounts.ts";
import { steps as bulk } from "./migrations/version-1-0-bulk.ts";
import { steps as sets } from "./migrations/version-1-0-sets.ts";
import { steps as visits } from "./migrations/version-1-0-visits.ts";
import { steps as clicks } from "./migrations/version-1-0-clicks.ts";
import { steps as cluster } from "./migrations/version-1-0-cluster.ts";
import { steps as documents } from "./migrations/version-1-0-documents.ts";
import { steps as files } from "./migrations/version-1-0-files.ts";
import { steps as imports } from "./migrations/version-1-0-imports.ts";
import { steps as links } from "./migrations/version-1-0-links.ts";
import { steps as moreFiles } from "./migrations/version-1-0-more-files.ts";
import { steps as moreLinks } from "./migrations/version-1-0-more-links.ts";
import { steps as reports } from "./migrations/version-1-0-reports.ts";
import { steps as visitors } from "./migrations/version-1-0-visitors.ts";
import { steps as webhooks } from "./migrations/version-1-0-webhooks.ts";
import { steps as zones } from "./migrations/version-1-0-zones.ts";
import type { Step } from "./migrations/step.ts";

/** Oldest first. Static, because the compiled program has no folder to list. */
export const MIGRATIONS: readonly Step[] = [
  ...links,
  ...clicks,
  ...accounts,
  ...files,
  ...imports,
  ...webhooks,
  ...cluster,
  ...moreFiles,
  ...visitors,
  ...moreLinks,
  ...reports,
  ...documents,
  ...zones,
  ...bulk,
  ...sets,
  ...visits,
];

export type MigrationState = {
  name: string;
  /** Epoch milliseconds; null while pending. */
  executedAt: number | null;
};

/** `done`: the steps just run. */
export const isNewDatabase = (done: readonly string[]): boolean => done[0] === MIGRATIONS[0]!.name;

/** No migration has begun. */
export async function isWithoutTables({ slow }: Database): Promise<boolean> {
  const tables = await slow.introspection.getTables({ withInternalKyselyTables: true });
  return !tables.some(({ name }) => name === "kysely_migration");
}

/**
 * Returns the names of the steps it ran. Rejects with ServiceUnavailable, changing nothing, if the database is away or
 * a newer version or one before 1.0 made it.
 */
export async function migrateUp(
  database: Database,
  { logger, steps = MIGRATIONS }: { logger: Logger; steps?: readonly Step[] },
): Promise<string[]> {
  await refuseOthers(database, steps);
  const { error, results = [] } = await migratorOf(database, steps).migrateToLatest();
  const done = results.filter(({ status }) => status === "Success").map(({ migrationName }) => migrationName);
  if (error !== undefined) {
    // A newer process may have migrated meanwhile.
    await refuseOthers(database, steps);
    throw error;
  }
  if (done.length > 0) {
    logger.debug({ steps: done }, "schema steps");
    logger.info(
      isNewDatabase(done)
        ? `Created the tables of a new database: ${database.name}.`
        : `Updated the database schema (${pluralize(done.length, "step")}).`,
    );
  }
  return done;
}

/** Oldest first. Rejects like migrateUp. */
export async function migrationStatus(
  database: Database,
  { steps = MIGRATIONS }: { steps?: readonly Step[] } = {},
): Promise<MigrationState[]> {
  await refuseOthers(database, steps);
  const known = await migratorOf(database, steps).getMigrations();
  return known.map(({ name, executedAt }) => ({ name, executedAt: executedAt?.getTime() ?? null }));
}

const migratorOf = (database: Database, steps: readonly Step[]) =>
  new Migrator({
    db: database.slow,
    provider: {
      getMigrations: async () => Object.fromEntries(steps.map((step) => [step.name, bind(step, database)])),
    },
  });

const bind = (step: Step, database: Database): Migration => {
  const words: SchemaSyntax = database.dialect.schema;
  return { up: (kysely) => step.up(kysely, words) };
};

async function refuseOthers(database: Database, steps: readonly Step[]): Promise<void> {
  if (await isWithoutTables(database)) return;
  const executed = await database.slow
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom("kysely_migration")
    .select("name")
    .orderBy("name")
    .execute();
  const known = new Set(steps.map(({ name }) => name));
  const unknown = executed.find(({ name }) => !known.has(name));
  if (unknown === undefined) return;
  if (unknown.name < MIGRATIONS[0]!.name)
    throw appError(
      "ServiceUnavailable",
      "A development version from before 1.0 made this database, and its tables can't be upgraded. Give WAYMARK__DATABASE__URL an empty database, and take the links over with 'links export' of that version and 'links import'; nothing was changed.",
    );
  throw appError(
    "ServiceUnavailable",
    `The database belongs to a newer version of Waymark (step ${unknown.name}). Upgrade this program; nothing was changed.`,
  );
}

/**
 * Migrates under a lock of the database, so many processes may start at once. Without transactional DDL each step is
 * small and repeatable.
 */
import { type Migration, Migrator } from "kysely";
import { appError } from "../lib/errors.ts";
import { pluralize } from "../lib/pluralize.ts";
import type { Logger } from "../lib/logger.ts";
import type { Database } from "./database.ts";
import type { SchemaSyntax } from "./schema-syntax.ts";
import { steps as version01 } from "./migrations/version-0-1.ts";
import { steps as version02 } from "./migrations/version-0-2.ts";
import { steps as version03 } from "./migrations/version-0-3.ts";
import { steps as version04 } from "./migrations/version-0-4.ts";
import { steps as version05 } from "./migrations/version-0-5.ts";
import { steps as version06 } from "./migrations/version-0-6.ts";
import { steps as version07 } from "./migrations/version-0-7.ts";
import { steps as version08 } from "./migrations/version-0-8.ts";
import { steps as version09 } from "./migrations/version-0-9.ts";
import { steps as version09SignIn } from "./migrations/version-0-9-sign-in.ts";
import { steps as version09Mail } from "./migrations/version-0-9-mail.ts";
import { steps as version09SharedItems } from "./migrations/version-0-9-shared-items.ts";
import { steps as version09Safety } from "./migrations/version-0-9-safety.ts";
import { steps as version09Recipients } from "./migrations/version-0-9-recipients.ts";
import { steps as version09TeamFiles } from "./migrations/version-0-9-team-files.ts";
import { steps as version09Repeats } from "./migrations/version-0-9-repeats.ts";
import { steps as version09Webhooks } from "./migrations/version-0-9-webhooks.ts";
import { steps as version09Imports } from "./migrations/version-0-9-imports.ts";
import { steps as version09Mcp } from "./migrations/version-0-9-mcp.ts";
import type { Step } from "./migrations/step.ts";
import { steps as version09Oidc } from "./migrations/version-0-9-oidc.ts";
import { steps as version09Dav } from "./migrations/version-0-9-dav.ts";

/** Oldest first. Static, because the compiled program has no folder to list. */
export const MIGRATIONS: readonly Step[] = [
  ...version01,
  ...version02,
  ...version03,
  ...version04,
  ...version05,
  ...version06,
  ...version07,
  ...version08,
  ...version09,
  ...version09SignIn,
  ...version09Mail,
  ...version09Safety,
  ...version09Oidc,
  ...version09Recipients,
  ...version09SharedItems,
  ...version09TeamFiles,
  ...version09Repeats,
  ...version09Webhooks,
  ...version09Dav,
  ...version09Imports,
  ...version09Mcp,
];

export type MigrationState = {
  name: string;
  /** Epoch milliseconds; null while pending. */
  executedAt: number | null;
};

/** `done`: the steps just run. */
export const isNewDatabase = (done: readonly string[]): boolean => done[0] === MIGRATIONS[0]!.name;

/**
 * Returns the names of the steps it ran. Rejects with ServiceUnavailable, changing nothing, if the database is away or
 * a newer version made it.
 */
export async function migrateUp(
  database: Database,
  { logger, steps = MIGRATIONS }: { logger: Logger; steps?: readonly Step[] },
): Promise<string[]> {
  await refuseNewer(database, steps);
  const { error, results = [] } = await migratorOf(database, steps).migrateToLatest();
  const done = results.filter(({ status }) => status === "Success").map(({ migrationName }) => migrationName);
  if (error !== undefined) {
    // A newer process may have migrated meanwhile.
    await refuseNewer(database, steps);
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
  await refuseNewer(database, steps);
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

async function refuseNewer(database: Database, steps: readonly Step[]): Promise<void> {
  const tables = await database.slow.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === "kysely_migration")) return;
  const executed = await database.slow
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom("kysely_migration")
    .select("name")
    .orderBy("name")
    .execute();
  const known = new Set(steps.map(({ name }) => name));
  const unknown = executed.find(({ name }) => !known.has(name));
  if (unknown === undefined) return;
  throw appError(
    "ServiceUnavailable",
    `The database belongs to a newer version of Waymark (step ${unknown.name}). Upgrade this program; nothing was changed.`,
  );
}

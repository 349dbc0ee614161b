import { resolve } from "node:path";
import type { Command } from "commander";
import type { CommandContext, ProgressLine } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { type Database, openSnapshot } from "../../platform/db/database.ts";
import { createStoredFiles } from "../../files/check/stored-files.ts";
import { BACKUP_LEASE } from "../../files/blobs/reaper.ts";
import type { Leases } from "../../platform/cluster/leases.ts";
import type { KeyCheck } from "../../platform/cluster/key-check.ts";
import { readInstance } from "../../platform/cluster/instance.repository.ts";
import { readKeyFingerprint } from "../../platform/cluster/secret-key.repository.ts";
import { type Env, fileDatabasePath } from "../../platform/settings/env.ts";
import { systemClock } from "../../lib/clock.ts";
import { dataPath } from "../../lib/data-folder.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { appError, messageOf } from "../../lib/errors.ts";
import { armFault } from "../../lib/fault.ts";
import { fileTrouble } from "../../lib/file-trouble.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createSecretBox } from "../../lib/secret-box.ts";
import { findSecretKey, parseSecretKey } from "../../lib/secret-key.ts";
import { VERSION } from "../../lib/version.ts";
import { countRunning } from "./status.commands.ts";
import { makeBackup } from "./backup.ts";
import { restoreBackup } from "./restore.ts";

type Context = CommandContext<{
  env: Env;
  database: Database;
  notices: { backupFailed(reason: string): Promise<void> };
  keys: Pick<KeyCheck, "look">;
  leases: Pick<Leases, "hold">;
}>;

const LEASE_MS = 120_000;

export function addBackupCommands(program: Command, context: Context): void {
  const { output } = context;
  const define = createDefine(program, context);

  define("backup")
    .argument("<dir>", "folder to create")
    .json("print the manifest as JSON")
    .result(async (_, dir) => {
      const { env, database, keys, notices, leases } = await context.services();
      const bars = { copied: output.progress("files copied"), read: output.progress("files read back") };
      const make = async () =>
        makeBackup(resolve(dir), {
          dataDir: env.data.dir,
          databasePath: databasePathOf(env),
          database,
          openSnapshot: (path) => openSnapshot(path, silentLogger),
          contentOf: (one) => createStoredFiles(one, { dataDir: env.data.dir }),
          instance: await readInstance(database),
          keyFingerprint: await readKeyFingerprint(database),
          version: VERSION,
          now: systemClock.now,
          onProgress: (step, done, total) => bars[step].update(done, total),
        });
      const making = leases.hold(BACKUP_LEASE, LEASE_MS, make);
      const manifest = await plainly(making.then((made) => made?.value ?? make()))
        .finally(() => finishAll(bars))
        .catch(async (error: unknown) => {
          // The failure is what the command reports, whatever becomes of the mail.
          await notices.backupFailed(messageOf(error)).catch(() => {});
          throw error;
        });
      const trouble = await keys.look().catch(messageOf);
      if (trouble !== null) {
        output.note(
          `waymark: ${trouble} The backup is whole, but has no key that opens the secrets in its database.`,
        );
        process.exitCode = 1;
      }
      return {
        json: manifest,
        show: ({ line }) => {
          line(`${pluralize(manifest.files.length, "file is", "files are")} in ${resolve(dir)}.`);
          if (manifest.database.file === null) {
            line(
              "The database server's data is not included. Dump it with its own tools before each backup:",
            );
            line(`  ${manifest.database.advice}`);
          }
          if (env.storage.secretKey !== null)
            line(
              "Not included: storage.secret_key, without which the secrets in the database can't be read. Keep the setting too.",
            );
          for (const { policy, objects } of manifest.elsewhere)
            line(`Not included: ${pluralize(objects, "object")} of the policy '${policy}' in S3.`);
        },
      };
    });

  define("restore")
    .argument("<dir>", "folder of the backup")
    .option("--replace", "replace the existing database and files, which are lost")
    .json("print the manifest as JSON")
    .result(async ({ replace = false }, dir) => {
      const env = context.env();
      armFault(env.fault);
      const bars = {
        check: output.progress("Checking the backup, bytes"),
        compare: output.progress("Comparing with existing files, bytes"),
        copy: output.progress("Copying, bytes"),
        place: output.progress("files put in place"),
      };
      const restoring = restoreBackup(resolve(dir), {
        dataDir: env.data.dir,
        databasePath: databasePathOf(env),
        roots: env.storage.localRoots,
        replace,
        isServed: () => countRunning(dataPath(env.data.dir, "journal")) > 0,
        onProgress: (step, done, total) => bars[step].update(done, total),
      });
      const manifest = await plainly(restoring).finally(() => finishAll(bars));
      const { key_fingerprint: sealing } = manifest;
      if (sealing !== null && sealing !== fingerprintHere(env)) {
        output.note(
          `waymark: The secret key of this installation is not the one of the backup, which sealed the secrets in its database. Put storage.secret_key, or the file secret.key, back as it was there.`,
        );
      }
      return {
        json: manifest,
        show: ({ line }) => {
          line(
            `Restored ${pluralize(manifest.files.length, "file")} of ${manifest.created_at} into ${env.data.dir}.`,
          );
          if (manifest.database.file === null)
            line(`Restore the database with its own tools: ${manifest.database.advice}`);
        },
      };
    });
}

/** Returns the fingerprint of the key, or null without a readable key. */
function fingerprintHere({ storage, data }: Env): string | null {
  const find = () =>
    parseSecretKey(storage.secretKey ?? "") ?? findSecretKey(dataPath(data.dir, "secretKey"));
  try {
    return createSecretBox(find).fingerprint();
  } catch {
    return null;
  }
}

const finishAll = (bars: Record<string, ProgressLine>): void =>
  Object.values(bars).forEach((bar) => bar.finish());

function databasePathOf({ database }: Env): string | null {
  const path = fileDatabasePath(database);
  return path === null ? null : resolve(path);
}

async function plainly<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isOfFiles = error instanceof Error && "syscall" in error;
    if (!isOfFiles) throw error;
    throw appError("BadRequest", fileTrouble(error) ?? error.message, { cause: error });
  }
}

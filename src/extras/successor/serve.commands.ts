/** `waymark serve --from BUNDLE` */
import type { Command } from "commander";
import { dataPath } from "../../lib/data-folder.ts";
import { appError } from "../../lib/errors.ts";
import { type Env, fileDatabaseUrl } from "../../platform/settings/env.ts";
import { prepareFolder, successorFolder } from "./data.ts";

type Options = { from?: string; key?: string };

export function addServeSource(serve: Command) {
  serve
    .option(
      "--from <bundle>",
      "answer from a successor bundle, without API and panel; its folder BUNDLE.data keeps the clicks",
    )
    .option("--key <key>", "with --from: the key that must have signed the bundle");
  return {
    envOf: (env: Env, { from }: Options): Env => (from === undefined ? env : successorEnv(env, from)),
    /** Returns a sentence for the log. @throws AppError */
    async prepare({ from, key }: Options): Promise<string | null> {
      if (from === undefined) {
        if (key !== undefined) throw appError("BadRequest", "--key belongs to --from.");
        return null;
      }
      const { made_at, publicKey } = await prepareFolder(from, key);
      return `Answers from the bundle of ${made_at}, signed by the key ${publicKey}.`;
    },
  };
}

/** Uses the folder of the bundle, and nothing else that the installation uses. */
function successorEnv(env: Env, bundle: string): Env {
  const dir = successorFolder(bundle);
  return {
    ...env,
    data: { dir },
    database: { ...env.database, url: fileDatabaseUrl(dataPath(dir, "database")), replicaUrl: null },
    cache: { ...env.cache, type: "memory" },
    isSuccessor: true,
  };
}

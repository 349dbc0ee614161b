/** `waymark successor`: the bundle that serves links when the installation is gone, and the way back of its clicks. */
import { resolve } from "node:path";
import type { Command } from "commander";
import type { CommandContext, Output } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { writeResult } from "../../platform/cli/result-file.ts";
import { readPending } from "../../clicks/pending.ts";
import { createClicksRepository } from "../../clicks/flush/repository.ts";
import { openSnapshot, type Database } from "../../platform/db/database.ts";
import { dataPath } from "../../lib/data-folder.ts";
import { appError } from "../../lib/errors.ts";
import { silentLogger } from "../../lib/logger.ts";
import { systemClock } from "../../lib/clock.ts";
import { pluralize } from "../../lib/pluralize.ts";
import type { Config } from "../../platform/config/config.service.ts";
import type { SecretBox } from "../../lib/secret-box.ts";
import type { VisitorDoor } from "../../visitors/door.ts";
import { readMark, successorFolder } from "./data.ts";
import { type BundleManifest, createSigner, makeBundle, readDatabase, withBundle } from "./bundle.ts";
import { waitingPage } from "./pages.ts";
import { csvLine } from "../../lib/csv.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { countAllClicks, countedHours } from "./successor.repository.ts";

type Context = CommandContext<{
  box: SecretBox;
  database: Database;
  config: Config;
  door: VisitorDoor;
}>;

const KEY_PURPOSE = "successor";

export function addSuccessorCommands(program: Command, context: Context): void {
  const { services, output } = context;
  const define = createDefine(program.command("successor"), context);

  define("make", "write the bundle; it replaces an older one when it is complete")
    .argument("<file>", "the file to write, such as successor.tar.gz")
    .json("print its manifest as JSON")
    .result(async (_, file) => {
      const { box, database, config, door } = await services();
      const bars = { links: output.progress("Links"), pages: output.progress("Pages") };
      const manifest = await makeBundle(resolve(file), {
        database,
        signer: createSigner(await box.derive(KEY_PURPOSE)),
        publicUrl: config.get("features.public_url"),
        waitingPage: waitingPage({ ...door.pages.look({ headers: new Headers() }), logo: null }),
        now: systemClock.now(),
        onProgress: (step, done, total) => bars[step].update(done, total),
      }).finally(() => Object.values(bars).forEach((bar) => bar.finish()));
      return { json: manifest, show: (to) => showManifest(to, manifest) };
    });

  define("clicks", "write what serve --from counted, for 'import successor'; stop that server first")
    .argument("<bundle>", "the bundle that it served")
    .argument("[file]", "the file to write; default: standard output")
    .action(async (_, bundle, file) => {
      const folder = successorFolder(bundle);
      const mark = readMark(folder);
      if (mark === null)
        throw appError("NotFound", `${folder} is not there: nothing was served from ${bundle}.`);
      const database = await openSnapshot(dataPath(folder, "database"), silentLogger);
      try {
        const journals = await readPending(dataPath(folder, "journal"), createClicksRepository(database));
        if (journals.some(({ isOwned }) => isOwned)) {
          throw appError("Conflict", `A server counts in ${folder}. Stop it first.`);
        }
        if (journals.length > 0) {
          throw appError(
            "Conflict",
            "A killed server left clicks. Start serve --from once more and stop it, which counts them.",
          );
        }
        await writeResult(file, clickLines(database, mark.id));
      } finally {
        await database.close();
      }
    });
  define("check <file>", "check that a bundle is whole, and who signed it")
    .option("--key <key>", "the key that must have signed it")
    .action(({ key }, file) =>
      withBundle(file, key, async (bundle) => {
        const madeAt = await readDatabase(bundle);
        output.line(`Whole, made ${madeAt.toISOString()}, signed by the key ${bundle.publicKey}.`);
      }),
    );
}

function showManifest(output: Output, manifest: BundleManifest): void {
  const { links, pages, left_out, without, hosts, signed_by } = manifest;
  output.line(
    `${pluralize(links, "link")}, ${pluralize(pages, "page")} for ${hosts.join(", ") || "no host"}.`,
  );
  const missing = Object.entries({ ...without, "shares and drop boxes": left_out }).filter(([, n]) => n > 0);
  if (missing.length > 0) {
    output.line(
      `Without a page that leads on: ${missing.map(([why, n]) => `${n} ${why.replace("_", " ")}`).join(", ")}.`,
    );
  }
  if (manifest.differ_in_case_only > 0) {
    output.line(
      `${pluralize(manifest.differ_in_case_only, "code differs", "codes differ")} from another in case only: unpack site/ on a file system that distinguishes case.`,
    );
  }
  output.line(`Signed by the key ${signed_by}. Keep it apart from the file, for --key.`);
}

const HOUR_MS = 3_600_000;

/** Two headers, then the sums of hours. @throws Conflict if they are not all clicks */
async function* clickLines(database: Pick<Database, "read">, id: string): AsyncGenerator<string, void> {
  const total = await countAllClicks(database);
  yield csvLine(["waymark successor clicks 1", id, String(total)]);
  yield csvLine(["code", "domain", "hour", "clicks", "automated"]);
  let written = 0;
  for await (const rows of countedHours(database)) {
    let lines = "";
    for (const { code, host, hour, clicks, automated } of rows) {
      written += clicks;
      lines += csvLine([code, host ?? "", formatRfc3339(hour * HOUR_MS), String(clicks), String(automated)]);
    }
    yield lines;
  }
  if (written !== total)
    throw appError("Conflict", `The hours have ${written} of ${total} clicks; is a server counting?`);
}

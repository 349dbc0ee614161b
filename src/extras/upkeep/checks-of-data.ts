import { accessSync, constants, existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dataPath } from "../../lib/data-folder.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { writeRefusal } from "../../lib/file-trouble.ts";
import { type Check, failure, ok, warning } from "./doctor.ts";
import { restoreAdvice } from "./restore-state.ts";

const MB = 1024 * 1024;

const LEAST_FREE_BYTES = 512 * MB;

export const checkDataFolder = (dir: string): Check => ({
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
      interrupted === null ? ok(`${dir} can be written`) : failure("a restore was interrupted", interrupted),
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
});

type Journals = {
  /** Live server processes. */
  running(): number;
  /** Size of all journals. */
  bytes(): number;
  quarantine(): { dir: string; files: number; clicks: number; unreadable: number };
};

export const checkJournal = (dataDir: string, { running, bytes, quarantine }: Journals): Check => ({
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
        warning(`${Math.ceil(size / MB)} MB of clicks wait to be counted`, "Start the server to count them."),
      );
    } else if (size > LEAST_FREE_BYTES) {
      findings.push(
        warning(
          `the journals take ${Math.ceil(size / MB)} MB`,
          "Check the log for failing flushes: clicks wait for the database.",
        ),
      );
    } else findings.push(ok(`the journals take ${Math.ceil(size / MB)} MB`));
    const { dir: aside, files, clicks, unreadable } = quarantine();
    if (files > 0) {
      const some = unreadable > 0 ? `, and ${unreadable} of them can't be read` : "";
      findings.push(
        warning(
          `${pluralize(files, "journal was", "journals were")} set aside in ${aside} with ${pluralize(clicks, "click that is", "clicks that are")} not counted${some}`,
          "The log says why each was set aside. Move one of another database into the journal of its data folder; delete the others.",
        ),
      );
    }
    return findings;
  },
});

import type { Command } from "commander";
import { type CommandContext, subcommand } from "../../../platform/cli/command.ts";
import type { Database } from "../../../platform/db/database.ts";
import { appError } from "../../../lib/errors.ts";
import { checkHttpUrl } from "../../../lib/http-url.ts";
import type { Outbound } from "../../../lib/outbound.ts";
import { pluralize } from "../../../lib/pluralize.ts";
import { createCompare, type Difference, type Heard, silenceOf } from "./compare.ts";
import { createCompareRepository } from "./repository.ts";

type Context = CommandContext<{
  database: Pick<Database, "read">;
  imports: { outbound: Outbound };
  config: { get(key: "features.public_url"): string };
}>;

type Options = {
  against: string;
  ownUrl?: string;
  import?: string;
  rate: string;
  after?: string;
  exactStatus?: true;
  json?: true;
};

const PORTION = 200;
const MOST_RATE = 1_000;

export function addCompareCommand(group: Command, context: Context): void {
  subcommand(
    group,
    "compare",
    "ask every code here and at another service, and report each that leads elsewhere; exits with 1 if there is one. Both services count the requests, Waymark as automated visits",
  )
    .requiredOption("--against <url>", "address of the other service, such as https://old.example.com")
    .option("--own-url <url>", "address of this one; default: features.public_url")
    .option("--import <id>", "only the links of this import")
    .option("--rate <number>", "codes a second", "20")
    .option("--after <code>", "go on after this code")
    .option("--exact-status", "another status of a redirect is a difference, too")
    .option("--json", "print JSON")
    .action((options: Options) => run(context, options));
}

async function run({ services, output }: Context, options: Options): Promise<void> {
  const { database, imports, config } = await services();
  const against = addressIn("--against", options.against);
  const here = addressIn("--own-url", options.ownUrl ?? (config.get("features.public_url") || undefined));
  const rate = numberIn("--rate", options.rate, MOST_RATE);
  const importId =
    options.import === undefined ? null : numberIn("--import", options.import, Number.MAX_SAFE_INTEGER);
  const repository = createCompareRepository(database);
  const total = await repository.count(importId);
  const bar = output.progress("Comparing");
  const { outbound } = imports;
  const compare = createCompare({ here, against, rate, exactStatus: options.exactStatus === true, outbound });
  const differences: Difference[] = [];
  let compared = 0;
  let after = options.after ?? "";
  try {
    for (;;) {
      const { codes, last } = await repository.codes(after, PORTION, importId);
      if (last === null) break;
      const found = await compare(codes, () => bar.update(++compared, total));
      for (const one of found) {
        if (options.json) differences.push(one);
        else output.line(`${one.code}: here ${told(one.here)}, there ${told(one.there)}`);
      }
      if (found.length > 0) process.exitCode = 1;
      const problem = found.length === codes.length ? silenceOf(found) : null;
      if (problem !== null) throw appError("ServiceUnavailable", problem);
      after = last;
    }
  } catch (error) {
    bar.finish();
    output.note(`Stopped. --after ${JSON.stringify(after)} goes on.`);
    throw error;
  }
  bar.finish();
  if (options.json) return output.json({ compared, differences });
  const end = process.exitCode === 1 ? "those above differ" : "all lead to the same";
  output.note(`${pluralize(compared, "code")} compared; ${end}.`);
}

const told = ({ status, location, problem }: Heard): string =>
  problem ?? (location === null ? String(status) : `${status} ${JSON.stringify(location)}`);

function addressIn(name: string, text: string | undefined): string {
  if (text !== undefined && typeof checkHttpUrl(text) === "string") return text;
  throw appError("BadRequest", `${name} must be an address such as https://go.example.com.`);
}

function numberIn(name: string, text: string, most: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw appError(
    "BadRequest",
    `${name} must be a whole number from 1${most === MOST_RATE ? ` to ${most}` : ""}.`,
  );
}

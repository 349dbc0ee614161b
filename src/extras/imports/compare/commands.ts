import type { Command } from "commander";
import { type CommandContext, subcommand } from "../../../platform/cli/command.ts";
import type { Database } from "../../../platform/db/database.ts";
import { appError } from "../../../lib/errors.ts";
import { checkHttpUrl } from "../../../lib/http-url.ts";
import { type Outbound, OutboundFailure } from "../../../lib/outbound.ts";
import { pluralize } from "../../../lib/pluralize.ts";
import type { Domains } from "../../../links/domains/registry.ts";
import { createCompareRepository } from "./repository.ts";
import { inParallel } from "../../../lib/in-parallel.ts";

type Context = CommandContext<{
  database: Pick<Database, "read">;
  links: { domains: Pick<Domains, "idOf" | "ignoresCaseOf"> };
  imports: { outbound: Outbound };
  config: { get(key: "features.public_url"): string };
}>;

type Options = {
  against: string;
  ownUrl?: string;
  domain?: string;
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
    "ask every code of a domain here and at another service, and report each that leads elsewhere; exits with 1 if there is one. Both services count the requests, Waymark as automated visits",
  )
    .requiredOption("--against <url>", "address of the other service, such as https://old.example.com")
    .option("--own-url <url>", "address of this one; default: features.public_url")
    .option(
      "--domain <host>",
      "the codes on this domain, asked at both under its name; default: the default domain",
    )
    .option("--import <id>", "only the links of this import")
    .option("--rate <number>", "codes a second", "20")
    .option("--after <code>", "go on after this code")
    .option("--exact-status", "another status of a redirect is a difference, too")
    .option("--json", "print JSON")
    .action((options: Options) => run(context, options));
}

async function run({ services, output }: Context, options: Options): Promise<void> {
  const { database, links, imports, config } = await services();
  const against = addressIn("--against", options.against);
  const here = addressIn("--own-url", options.ownUrl ?? (config.get("features.public_url") || undefined));
  const rate = numberIn("--rate", options.rate, MOST_RATE);
  const importId =
    options.import === undefined ? null : numberIn("--import", options.import, Number.MAX_SAFE_INTEGER);
  const choice = { domain: links.domains.idOf(options.domain), importId };
  const host = options.domain ?? null;
  const repository = createCompareRepository(database);
  let after = options.after ?? "";
  const total = await repository.count(after, choice);
  const bar = output.progress("Comparing");
  const { outbound } = imports;
  const exactStatus = options.exactStatus === true;
  const compare = createCompare({ here, against, host, rate, exactStatus, outbound });
  const differences: Difference[] = [];
  let compared = 0;
  try {
    for (;;) {
      const codes = await repository.codes(after, PORTION, choice);
      if (codes.length === 0) break;
      const found = await compare(codes, () => bar.update(++compared, total.here));
      for (const one of found) {
        if (options.json) differences.push(one);
        else output.line(`${one.code}: here ${responseText(one.here)}, there ${responseText(one.there)}`);
      }
      if (found.length > 0) process.exitCode = 1;
      const problem = found.length === codes.length ? silenceOf(found) : null;
      if (problem !== null) throw appError("ServiceUnavailable", problem);
      after = codes.at(-1)!;
    }
  } catch (error) {
    bar.finish();
    if (options.json) output.json({ compared, differences, after });
    output.note(`Stopped. --after ${JSON.stringify(after)} goes on.`);
    throw error;
  }
  bar.finish();
  const elsewhere = host === null ? total.elsewhere : 0;
  if (elsewhere > 0)
    output.note(
      `Not asked: ${pluralize(elsewhere, "code")} on other domains. --domain HOST asks those of one.`,
    );
  if (compared > 0 && links.domains.ignoresCaseOf(choice.domain))
    output.note("Codes are in lower case here, and were asked so; the other service may distinguish case.");
  if (options.json) return output.json({ compared, differences, left_out: elsewhere });
  const end = process.exitCode === 1 ? "those above differ" : "all lead to the same";
  output.note(`${pluralize(compared, "code")} compared; ${end}.`);
}

const responseText = ({ status, location, problem }: CodeResponse): string =>
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

type CodeResponse = { status: number | null; location: string | null; problem: string | null };
type Difference = { code: string; here: CodeResponse; there: CodeResponse };

type CompareOptions = {
  here: string;
  against: string;
  /** The host by which both are asked; null: those of their addresses. */
  host: string | null;
  /** Codes a second. */
  rate: number;
  /** Redirects with another status are a difference, too. */
  exactStatus: boolean;
  outbound: Outbound;
};

const AT_ONCE = 8;
const TIMEOUT_MS = 10_000;
const MOST_LOCATION = 8_192;
/** The number of requests to a service that is overloaded or restarts. */
const TRIES = 3;
const RETRY_MS = 1_000;

const addressOf = (base: string, code: string): string =>
  `${base.endsWith("/") ? base.slice(0, -1) : base}/${code.split("/").map(encodeURIComponent).join("/")}`;

/** Asks two services where codes lead: HEAD, no redirect followed, some at once, at a bounded rate. */
export function createCompare({ here, against, host, rate, exactStatus, outbound }: CompareOptions) {
  const headers = host === null ? {} : { Host: host };
  const pauseMs = 1_000 / rate;
  let nextAt = 0;

  /** One code after another, at the rate. */
  async function turn(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + pauseMs;
    if (at > now) await Bun.sleep(at - now);
  }

  async function ask(base: string, code: string): Promise<CodeResponse> {
    const url = addressOf(base, code);
    for (let tries = 1; ; tries++) {
      try {
        const bounds = { timeoutMs: TIMEOUT_MS, mostBytes: 0, redirects: 0 };
        const { status, headers: received } = await outbound({ url, method: "HEAD", headers, ...bounds });
        const isBusy = status === 429 || status === 503;
        if (!isBusy || tries === TRIES) {
          const location = received.get("location");
          return { status, location: location === null ? null : absolute(location, url), problem: null };
        }
      } catch (error) {
        if (!(error instanceof OutboundFailure)) throw error;
        if (error.reason === "refused" || tries === TRIES)
          return { status: null, location: null, problem: error.message };
      }
      await Bun.sleep(RETRY_MS * tries);
    }
  }

  const differ = (one: CodeResponse, other: CodeResponse): boolean => {
    if (one.problem !== null || other.problem !== null) return true;
    if (exactStatus && one.status !== other.status) return true;
    return kindOf(one) !== kindOf(other) || (kindOf(one) === "redirect" && one.location !== other.location);
  };

  /** Returns the differences of some codes, in their order. */
  return async function compare(codes: readonly string[], onDone: () => void): Promise<Difference[]> {
    const found: (Difference | undefined)[] = [];
    await inParallel(codes.entries(), AT_ONCE, async ([at, code]) => {
      await turn();
      const [mine, theirs] = await Promise.all([ask(here, code), ask(against, code)]);
      if (differ(mine, theirs)) found[at] = { code, here: mine, there: theirs };
      onDone();
    });
    return found.filter((one) => one !== undefined);
  };
}

/** Why to stop, if one of the services serves no code. */
export function silenceOf(found: readonly Difference[]): string | null {
  for (const [side, name] of [
    ["here", "This service"],
    ["there", "The other service"],
  ] as const)
    if (found.every((one) => one[side].problem !== null))
      return `${name} answers no code: ${found.at(-1)![side].problem}`;
  return null;
}

const kindOf = ({ status }: CodeResponse): string =>
  status !== null && status >= 300 && status < 400 ? "redirect" : `status ${status}`;

/** As URLs are compared; HTTP headers are bytes. */
function absolute(location: string, base: string): string {
  const text = Buffer.from(location, "latin1").toString("utf8");
  return (URL.parse(text.includes("\uFFFD") ? location : text, base)?.href ?? location).slice(
    0,
    MOST_LOCATION,
  );
}

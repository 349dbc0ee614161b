import { existsSync } from "node:fs";
import type { Command } from "commander";
import type { CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import { lineResult, type Result, rowsResult } from "../../platform/cli/results.ts";
import type { Auth } from "../../auth/auth.ts";
import type { Database } from "../../platform/db/database.ts";
import type { ReplicaState } from "../../platform/db/dialect.ts";
import type { LinkService } from "../../links/links.service.ts";
import { createClicksRepository } from "../../clicks/flush/repository.ts";
import { createDetailDropsRepository } from "../../clicks/details/repository.ts";
import { readPending } from "../../clicks/pending.ts";
import { listSlots, tryTakeSlot } from "../../clicks/journal/slot.ts";
import { dataPath } from "../../lib/data-folder.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { appError } from "../../lib/errors.ts";
import { VERSION } from "../../lib/version.ts";

type Context = CommandContext<{
  database: Database;
  links: Pick<LinkService, "stats">;
  auth: Pick<Auth, "isAdminEnabled">;
  stream: { waiting(): Promise<number> } | null;
}>;

export function addStatusCommand(program: Command, context: Context): void {
  const define = createDefine(program, context);
  define("status")
    .json("print JSON")
    .option("--probe", "only check that the server of these settings responds; exit code 5 when it does not")
    .result(async ({ probe }) => {
      if (probe) return probeServer(context);
      const status = await readStatus(context);
      const { links: numbers, journals, dropped_details, ...rest } = status;
      const { total_clicks: all_clicks, imported_clicks, ...links } = numbers;
      const dropped = Object.entries(dropped_details).map(([reason, clicks]) => `${clicks} ${reason}`);
      const facts = {
        ...rest,
        ...links,
        all_clicks,
        imported_clicks,
        ...(dropped.length > 0 ? { clicks_without_details: dropped.join(", ") } : {}),
        ...Object.fromEntries(journals.flatMap(describeJournal)),
      };
      const rows = Object.entries(facts).map(([name, value]) => ({ name: name.replaceAll("_", " "), value }));
      return { ...rowsResult(rows, [["name", "WHAT"], "value"]), json: status };
    });
}

type Journal = Awaited<ReturnType<typeof readStatus>>["journals"][number];

function describeJournal({ slot, running, pending_clicks, pending_details, books }: Journal) {
  const name = `journal ${slot}`;
  const waiting = `${pluralize(pending_clicks, "click waits", "clicks wait")}, ${pending_details} with details`;
  if (!running) return [[`${name} (left behind)`, waiting]];
  if (books === null) return [[name, waiting]];
  const { accepted, stored, pending, details } = books;
  const clicks = `${accepted} accepted = ${stored} stored + ${pending} pending + ${describeDrops(books.dropped)}`;
  const withDetails = `${details.recorded} recorded = ${details.logged} logged + ${details.pending} pending + ${describeDrops(details.dropped)}`;
  return [
    [name, waiting],
    [`${name}, process ${books.pid}: clicks`, clicks],
    [`${name}, process ${books.pid}: details`, withDetails],
  ];
}

function describeDrops(dropped: Record<string, number>): string {
  const some = Object.entries(dropped).filter(([, count]) => count > 0);
  const total = some.reduce((sum, [, count]) => sum + count, 0);
  const reasons = some.map(([reason, count]) => `${count} ${reason}`).join(", ");
  return `${total} dropped${total > 0 ? ` (${reasons})` : ""}`;
}

const PROBE_MS = 3_000;

/** Checks the server for containers: any response below 500 on `/` passes. @throws ServiceUnavailable */
async function probeServer({ env }: Context): Promise<Result> {
  const { host, unixSocket, tlsCert, acme, ...ports } = env().server;
  // Until the first certificate is there, nobody gets a response by HTTPS.
  const port = acme ? ports.httpPort : ports.port;
  const everywhere = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const name = everywhere.includes(":") ? `[${everywhere}]` : everywhere;
  const request: BunFetchRequestInit = { redirect: "manual", signal: AbortSignal.timeout(PROBE_MS) };
  if (unixSocket !== null) request.unix = unixSocket;
  // The certificate names the public host, not this address.
  if (tlsCert !== null) request.tls = { rejectUnauthorized: false };
  const response = await fetch(`${tlsCert === null ? "http" : "https"}://${name}:${port}/`, request).catch(
    (cause: unknown) => {
      throw appError("ServiceUnavailable", `No server answers on ${unixSocket ?? `${name}:${port}`}.`, {
        cause,
      });
    },
  );
  if (response.status >= 500) throw appError("ServiceUnavailable", `The server answers ${response.status}.`);
  return lineResult({ answers: true }, "The server answers.");
}

async function readStatus(context: Context) {
  const env = context.env();
  const { database, links, auth, stream } = await context.services();
  const { totalLinks, totalClicks, automatedClicks, importedClicks, activeLinks } = await links.stats();
  const journals = await readPending(dataPath(env.data.dir, "journal"), createClicksRepository(database));
  return {
    version: VERSION,
    data_dir: env.data.dir,
    database: database.dialect.name,
    ...(database.replica && { replica: lagOf(await database.replica.look()) }),
    running_servers: journals.filter(({ isOwned }) => isOwned).length,
    admin_api: auth.isAdminEnabled() ? "on" : "off until a password is set with reset-password",
    links: {
      total_links: totalLinks,
      active_links: activeLinks,
      human_clicks: totalClicks - automatedClicks,
      total_clicks: totalClicks,
      imported_clicks: importedClicks,
    },
    pending_clicks: journals.reduce((sum, { clicks }) => sum + clicks, 0),
    ...(stream && { waiting_for_clickhouse: await stream.waiting() }),
    dropped_details: await createDetailDropsRepository(database).totals(),
    journals: journals.map(({ slot, isOwned, clicks, details, books }) => ({
      slot,
      running: isOwned,
      pending_clicks: clicks,
      pending_details: details,
      books,
    })),
  };
}

const lagOf = ({ isUsed, lagMs }: ReplicaState): string =>
  `${lagMs === null ? "does not answer" : `${lagMs} ms behind`}${isUsed ? "" : ", not used"}`;

/** Each server process on this data folder holds the lock of its journal slot. */
export function countRunning(journalDir: string): number {
  if (!existsSync(journalDir)) return 0;
  let running = 0;
  for (const dir of listSlots(journalDir)) {
    const slot = tryTakeSlot(dir);
    if (slot === null) running++;
    slot?.lock.release();
  }
  return running;
}

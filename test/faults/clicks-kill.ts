/**
 * Kills the real program with SIGKILL at random moments under HTTP load, again and again (with a SIGTERM now and
 * then), and compares what was answered with what is counted. Per link: answered ≤ counted ≤ sent (a request whose
 * answer never arrived may count), and with one request at a time per connection the two ends are at most
 * rounds × connections apart.
 *
 *     bin/bun test/faults/clicks-kill.ts [rounds, 200] [database URL]
 *
 * Without a URL a fresh file database is used. A server's database must be empty.
 */
import { connect } from "node:net";
import { install, type Installation } from "../support/waymark.ts";

const LINKS = 50;
const CONNECTIONS = 16;
/** The program is killed within this time after the load began. */
const LONGEST_LIFE_MS = 600;
/** Flushes often, so that kills hit them as well. */
const CLICKS_BEFORE_FLUSH = "200";
const CHECK_EVERY = 20;
/** Each so many rounds the program is asked to stop (SIGTERM) instead. */
const ROUNDS_TO_STOP = 4;

type Tally = { sent: Map<string, number>; answered: Map<string, number>; unexpected: string[] };

export type KillResult = { rounds: number; sent: number; answered: number; counted: number; wrong: string[] };

export type KillOptions = {
  rounds: number;
  databaseUrl?: string | undefined;
  /** Told after each comparison. */
  report?: (result: KillResult) => void;
};

/** Stops at the first comparison that finds something wrong. */
export async function killUnderLoad({ rounds, databaseUrl, report }: KillOptions): Promise<KillResult> {
  const waymark = install(databaseUrl === undefined ? {} : { WAYMARK__DATABASE__URL: databaseUrl });
  const codes = Array.from({ length: LINKS }, (_, at) => `kill-${at}`);
  const tally: Tally = { sent: new Map(), answered: new Map(), unexpected: [] };
  try {
    await prepare(waymark, codes);
    let result: KillResult = { rounds: 0, sent: 0, answered: 0, counted: 0, wrong: [] };
    for (let round = 1; round <= rounds && result.wrong.length === 0; round++) {
      const server = await waymark.serve();
      const load = startLoad(server.url, codes, tally);
      await Bun.sleep(Math.random() * LONGEST_LIFE_MS);
      await (round % ROUNDS_TO_STOP === 0 ? server.stop() : server.kill());
      await load.end();
      if (round % CHECK_EVERY !== 0 && round !== rounds) continue;
      result = compare(round, codes, tally, await countAll(waymark));
      report?.(result);
    }
    return result;
  } finally {
    await waymark.remove();
  }
}

async function prepare(waymark: Installation, codes: readonly string[]): Promise<void> {
  const csv = `code,target\n${codes.map((code) => `${code},http://localhost/${code}\n`).join("")}`;
  await succeed(waymark, ["links", "import", "-"], csv);
  await succeed(waymark, ["config", "set", "click.max_clicks_before_flush", CLICKS_BEFORE_FLUSH]);
}

async function succeed(waymark: Installation, args: string[], stdin?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await waymark.cli(args, stdin);
  if (exitCode !== 0) throw new Error(`waymark ${args.join(" ")} ended with ${exitCode}: ${stderr}`);
  return stdout;
}

/** One start and an orderly stop replay what the kills left; then the export holds all counts. */
async function countAll(waymark: Installation): Promise<Map<string, number>> {
  const server = await waymark.serve();
  const exitCode = await server.stop();
  if (exitCode !== 0) throw new Error(`waymark serve ended with ${exitCode}:\n${server.log()}`);
  const [header, ...rows] = (await succeed(waymark, ["links", "export"])).trim().split("\n");
  const column = header!.split(",").indexOf("click_count");
  return new Map(rows.map((row) => row.split(",")).map((cells) => [cells[0]!, Number(cells[column])]));
}

function compare(
  rounds: number,
  codes: readonly string[],
  tally: Tally,
  counts: Map<string, number>,
): KillResult {
  const { sent, answered } = tally;
  const wrong = codes
    .map((code) => ({
      code,
      low: answered.get(code) ?? 0,
      high: sent.get(code) ?? 0,
      is: counts.get(code) ?? 0,
    }))
    .filter(({ low, high, is }) => !(low <= is && is <= high))
    .map(({ code, low, high, is }) => `${code}: answered ${low}, counted ${is}, sent ${high}`);
  return {
    rounds,
    sent: sum(sent),
    answered: sum(answered),
    counted: sum(counts),
    wrong: [...wrong, ...tally.unexpected],
  };
}

const sum = (counts: Map<string, number>): number =>
  [...counts.values()].reduce((total, count) => total + count, 0);

/** Connections that ask for codes at random, each for one at a time, until they break. */
function startLoad(url: string, codes: readonly string[], tally: Tally) {
  const { hostname, port } = new URL(url);
  const clients = Array.from({ length: CONNECTIONS }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect({ host: hostname, port: Number(port) });
    let code = "";
    let text = "";
    const ask = () => {
      code = codes[Math.floor(Math.random() * codes.length)]!;
      text = "";
      add(tally.sent, code);
      socket.write(`GET /${code} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    };
    socket.setEncoding("latin1");
    socket.on("connect", ask);
    socket.on("data", (chunk) => {
      text += String(chunk);
      if (!text.endsWith("\r\n\r\n")) return;
      if (!text.startsWith("HTTP/1.1 307 ")) {
        tally.unexpected.push(text);
        return void socket.destroy();
      }
      add(tally.answered, code);
      ask();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    return { socket, closed: promise };
  });
  return {
    async end() {
      // What the server had sent before it died is still read.
      await Promise.all(clients.map(({ closed }) => closed));
    },
  };
}

const add = (counts: Map<string, number>, code: string): void =>
  void counts.set(code, (counts.get(code) ?? 0) + 1);

if (import.meta.main) {
  const result = await killUnderLoad({
    rounds: Number(process.argv[2] ?? 200),
    databaseUrl: process.argv[3],
    report: ({ wrong, ...numbers }) => console.log(JSON.stringify(numbers), ...wrong),
  });
  process.exitCode = result.wrong.length === 0 && result.answered > 0 ? 0 : 1;
}

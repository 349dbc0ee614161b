/** The load generator: wrk, on the core that the server doesn't have, for codes at random. */
import { join } from "node:path";

export type Load = {
  port: number;
  prefix: string;
  count: number;
  seconds: number;
  connections?: number;
  browser?: boolean;
};

export type LoadResult = {
  requests: number;
  perSecond: number;
  /** Answers of 400 and above. */
  errorStatus: number;
  socketErrors: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  max: number;
  /** Processor time that the generator took itself. */
  cpuSeconds: number;
};

const SCRIPT = join(import.meta.dir, "codes.lua");

/** Stops the program with a sentence when one of the tools is missing. */
export function requireTools(): void {
  for (const [tool, from] of [
    ["wrk", "wrk"],
    ["taskset", "util-linux"],
  ] as const) {
    if (Bun.which(tool) !== null) continue;
    console.error(`This benchmark needs ${tool}: apt-get install ${from}`);
    process.exit(1);
  }
}

export async function runLoad(load: Load): Promise<LoadResult> {
  const { port, prefix, count, seconds, connections = 64, browser = false } = load;
  const command = ["taskset", "-c", "1", "wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "-s", SCRIPT];
  const wrk = Bun.spawn([...command, `http://127.0.0.1:${port}/`], {
    env: { ...process.env, PREFIX: prefix, COUNT: String(count), ...(browser && { BROWSER: "1" }) },
    stderr: "inherit",
  });
  const text = await new Response(wrk.stdout).text();
  const found = /^RESULT (.*)$/m.exec(text);
  if (found === null) throw new Error(`wrk gave no result:\n${text}`);
  const result = JSON.parse(found[1]!);
  return {
    requests: result.requests,
    perSecond: result.requests / (result.microseconds / 1e6),
    errorStatus: result.errorStatus,
    socketErrors: result.socketErrors,
    p50: result.p50 / 1000,
    p99: result.p99 / 1000,
    max: result.max / 1000,
    cpuSeconds: await cpuSecondsOf(wrk),
  };
}

async function cpuSecondsOf(process: Bun.Subprocess): Promise<number> {
  await process.exited;
  return Number(process.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
}

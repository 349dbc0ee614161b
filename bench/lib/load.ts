/** The load generator: wrk, on the core without the server, with random codes. */
import { join } from "node:path";

export type Load = {
  port: number;
  prefix: string;
  count: number;
  seconds: number;
  connections?: number;
  browser?: boolean;
  /** Sec-Fetch-Dest of a browser. */
  dest?: string | undefined;
  host?: string | undefined;
};

export type LoadResult = {
  requests: number;
  perSecond: number;
  /** Answers with a status of 400 or above. */
  errorStatus: number;
  socketErrors: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  max: number;
  /** Processor time of the generator itself. */
  cpuSeconds: number;
};

/** Ends the program with an error message when a tool is missing. */
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

export const runLoad = (load: Load): Promise<LoadResult> => {
  const { port, prefix, count, seconds, connections = 64, browser = false, dest, host } = load;
  return runWrk(
    "codes.lua",
    { port, seconds, connections },
    {
      PREFIX: prefix,
      COUNT: String(count),
      ...(browser && { BROWSER: "1" }),
      ...(dest && { DEST: dest }),
      ...(host && { HOST: host }),
    },
  );
};

/** Runs a script of this folder. `environment` is what the script reads. */
export async function runWrk(
  script: string,
  { port, seconds, connections }: { port: number; seconds: number; connections: number },
  environment: Record<string, string>,
): Promise<LoadResult> {
  const path = join(import.meta.dir, script);
  const command = ["taskset", "-c", "1", "wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "-s", path];
  const wrk = Bun.spawn([...command, `http://127.0.0.1:${port}/`], {
    // Scripts share result.lua.
    env: { ...process.env, LUA_PATH: join(import.meta.dir, "?.lua"), ...environment },
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

/** Starts the real program on a free port with its own data folder. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";

/** The executable that the runner built, else the sources: those take twice the processor time to start. */
export const BUILT = process.env["WAYMARK_TEST_PROGRAM"];
export const PROGRAM = BUILT ?? join(import.meta.dir, "..", "..", "bin", "waymark");
/** What bin/waymark and the files in deploy/ set. */
const MEMORY = {
  MIMALLOC_PURGE_DELAY: "3",
  MIMALLOC_ARENA_PURGE_MULT: "1",
  BUN_JSC_forceRAMSize: "268435456",
};
const READY_MS = 90_000;

export type Settings = Record<string, string>;
type ServeOptions = { openFiles?: number; args?: readonly string[] };

export type Installation = {
  readonly dataDir: string;
  /** Runs a command to its end; `stdin` is piped in. The signal is null unless one ended it. */
  cli(
    args: readonly string[],
    stdin?: string,
    more?: Settings,
  ): Promise<{
    exitCode: number;
    signalCode: NodeJS.Signals | number | null;
    stdout: string;
    stderr: string;
  }>;
  /** Runs a script in the data folder. */
  shell(script: string): Promise<{ exitCode: number; stdout: string; stderr: string }>;
  /** Runs a command that must succeed. Returns its output. */
  run(args: readonly string[], stdin?: string): Promise<string>;
  /** Starts `waymark serve` with `args`, which may open so many files, and waits until it listens. */
  serve(settings?: Settings, options?: ServeOptions): Promise<RunningWaymark>;
  /** Kills running processes and removes the data folder. */
  remove(): Promise<void>;
};

export type RunningWaymark = {
  readonly url: string;
  readonly process: Subprocess;
  /** Everything logged so far. */
  log(): string;
  /** Sends SIGTERM and waits for the end. Returns the exit code. */
  stop(): Promise<number>;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
};

/** A fresh installation; `settings` are WAYMARK__… variables for all its commands. `program` may be another version. */
export function install(settings: Settings = {}, program = PROGRAM): Installation {
  const dataDir = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const environment = {
    ...withoutWaymark(process.env),
    ...(BUILT !== undefined && MEMORY),
    WAYMARK__DATA__DIR: dataDir,
    WAYMARK__SERVER__PORT: "0",
    WAYMARK__LOGGING__FORMAT: "json",
    ...settings,
  };
  const running = new Set<RunningWaymark>();
  async function spawn(command: string[], stdin?: string, more: Settings = {}) {
    const child = Bun.spawn(command, {
      env: { ...environment, ...more },
      cwd: dataDir,
      stdin: stdin === undefined ? "ignore" : Buffer.from(stdin),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { exitCode, signalCode: child.signalCode, stdout, stderr };
  }
  const installation: Installation = {
    dataDir,
    cli: (args, stdin, more = {}) => spawn([program, ...args], stdin, more),
    shell: (script) => spawn(["/bin/sh", "-c", script]),
    async run(args, stdin) {
      const { exitCode, stdout, stderr } = await installation.cli(args, stdin);
      if (exitCode !== 0) throw new Error(`waymark ${args.join(" ")} ended with ${exitCode}: ${stderr}`);
      return stdout;
    },
    async serve(more = {}, options = {}) {
      const server = await serve(program, { ...environment, ...more }, dataDir, options);
      running.add(server);
      return server;
    },
    async remove() {
      await Promise.all([...running].map((server) => server.kill()));
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return installation;
}

const withoutWaymark = (source: Settings | NodeJS.ProcessEnv): Settings =>
  Object.fromEntries(
    Object.entries(source).filter(
      (entry): entry is [string, string] => !entry[0].startsWith("WAYMARK__") && entry[1] !== undefined,
    ),
  );

async function serve(
  program: string,
  environment: Settings,
  cwd: string,
  { openFiles, args = [] }: ServeOptions,
): Promise<RunningWaymark> {
  const limited = ["/bin/sh", "-c", `ulimit -n ${openFiles} && exec "$0" "$@"`];
  const child = Bun.spawn([...(openFiles === undefined ? [] : limited), program, "serve", ...args], {
    env: environment,
    cwd,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let log = "";
  const { promise: address, resolve, reject } = Promise.withResolvers<string>();
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      log += decoder.decode(chunk, { stream: true });
      const found = /"address":"([^"]+)"/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    }
    reject(new Error(`waymark serve ended before it listened:\n${log}`));
  })();
  const timer = setTimeout(
    () => reject(new Error(`waymark serve did not listen in time:\n${log}`)),
    READY_MS,
  );
  const url = await address.finally(() => clearTimeout(timer));
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    child.kill(signal);
    const code = await child.exited;
    await reading;
    return code;
  };
  return {
    url,
    process: child,
    log: () => log,
    stop: () => end("SIGTERM"),
    kill: async () => void (await end("SIGKILL")),
  };
}

/**
 * One server for all files of a process that test the API: the runner gives those that import this one a process
 * together. Each file has codes, names and accounts of its own, counts what it made, and leaves settings as they were.
 */
import { type Client, installWithPassword, signIn } from "./session.ts";
import type { Installation, RunningWaymark } from "./waymark.ts";

let starting: Promise<{ installation: Installation; server: RunningWaymark }> | undefined;

async function start() {
  const installation = await installWithPassword();
  const server = await installation.serve();
  endWithThisProcess(server.process.pid, installation.dataDir);
  return { installation, server };
}

/** A test process fires no event when it ends, but its end of the pipe closes. */
function endWithThisProcess(pid: number, folder: string): void {
  const script = 'read -r _; kill -9 "$1"; rm -rf "$2"';
  Bun.spawn(["sh", "-c", script, "sh", `${pid}`, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  }).unref();
}

/** As startSignedIn. The server and its folder end with the process. */
export async function startShared(): Promise<{
  installation: Installation;
  server: RunningWaymark;
  client: Client;
}> {
  const { installation, server } = await (starting ??= start());
  return {
    installation: { ...installation, remove: async () => {} },
    server,
    client: await signIn(server.url),
  };
}

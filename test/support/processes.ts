/** The processes of a running server, by way of /proc. */
import { readFileSync } from "node:fs";
import type { RunningWaymark } from "./waymark.ts";

export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

/** SIGKILL for the server and its workers at once, then waits for the end. */
export async function killAll(server: RunningWaymark): Promise<void> {
  for (const pid of [server.process.pid, ...childrenOf(server.process.pid)]) killIfThere(pid);
  await server.kill();
}

/** SIGKILL for one worker at random. False without workers. */
export function killOneWorker(server: RunningWaymark): boolean {
  const workers = childrenOf(server.process.pid);
  const victim = workers[Math.floor(Math.random() * workers.length)];
  if (victim !== undefined) killIfThere(victim);
  return victim !== undefined;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

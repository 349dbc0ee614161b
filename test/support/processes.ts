/** The processes of a running server, by way of /proc. */
import { existsSync, readFileSync } from "node:fs";
import type { RunningWaymark } from "./waymark.ts";

export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

/** SIGKILL for all that this process started, and what that started. */
export function killBelow(pid: number): void {
  if (!existsSync(`/proc/${pid}`)) return;
  for (const child of childrenOf(pid)) {
    killBelow(child);
    killIfThere(child);
  }
}

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

/**
 * Ends the server in the way whose turn it is: SIGKILL for everything, for the supervisor alone, for one worker and
 * SIGTERM after up to `mostMs`, or SIGTERM at once.
 */
export async function endInTurn(server: RunningWaymark, round: number, mostMs: number): Promise<void> {
  const turn = round % 4;
  if (turn === 1) return killAll(server);
  if (turn === 2) return server.kill();
  if (turn === 3 && !killOneWorker(server)) return server.kill();
  if (turn === 3) await Bun.sleep(Math.random() * mostMs);
  await server.stop();
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

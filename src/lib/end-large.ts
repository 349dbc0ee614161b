/** Ends a child process that holds too much memory. */
import { readFile } from "node:fs/promises";

const PAGE_BYTES = 4096;

/** @param most resident bytes; watched on Linux only */
export async function endLarge(
  child: { pid: number; kill(signal: "SIGKILL"): void },
  most: number,
): Promise<void> {
  const pages = await readFile(`/proc/${child.pid}/statm`, "latin1").catch(() => "");
  if (Number(pages.split(" ")[1] ?? 0) * PAGE_BYTES > most) child.kill("SIGKILL");
}

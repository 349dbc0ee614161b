import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** Runs a program to its end. Returns what it printed. @throws with its messages */
export async function run(command: readonly string[], cwd: string): Promise<string> {
  const child = Bun.spawn([...command], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const [printed, told, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (status !== 0) throw new Error(`'${command.join(" ")}' failed.\n${printed}${told}`);
  return printed;
}

export const sha256 = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

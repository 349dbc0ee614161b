/** The files that passed on this state of the sources, in `.cache/tests-passed.json`: a whole run goes on from there. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** By file: how many tests passed. */
type Passed = Record<string, number>;

/** The name of the commit and of what is changed since, or undefined where there is no repository. */
async function stateOf(root: string): Promise<string | undefined> {
  const git = async (...args: string[]) => {
    const child = Bun.spawn(["git", "-C", root, ...args], { stdio: ["ignore", "pipe", "ignore"] });
    const text = await new Response(child.stdout).text();
    return (await child.exited) === 0 ? text : undefined;
  };
  const parts = [
    await git("rev-parse", "HEAD"),
    await git("diff", "HEAD"),
    await git("status", "--porcelain"),
  ];
  if (parts.includes(undefined)) return undefined;
  return new Bun.CryptoHasher("sha256").update(parts.join("\n")).digest("hex");
}

export async function openPassed(root: string) {
  const path = join(root, ".cache/tests-passed.json");
  const state = await stateOf(root);
  const file = Bun.file(path);
  const kept = (await file.exists()) ? ((await file.json()) as { state: string; passed: Passed }) : undefined;
  const passed: Passed = state !== undefined && kept?.state === state ? kept.passed : {};
  return {
    passed: passed as Readonly<Passed>,
    /** Keeps that all tests of the file passed. */
    add(name: string, count: number): void {
      passed[name] = count;
      if (state === undefined) return;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.part`, JSON.stringify({ state, passed }));
      renameSync(`${path}.part`, path);
    },
  };
}

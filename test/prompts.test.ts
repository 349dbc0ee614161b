/** Passwords typed at a real terminal: asked for twice, never shown, cancellable. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { install } from "./support/waymark.ts";

const BINARY = join(import.meta.dir, "..", "bin", "waymark");
const installation = install();
afterAll(() => installation.remove());

/** Types each answer as soon as its question appears, faster than a person can. */
async function type(args: readonly string[], answers: readonly string[]) {
  const left = [...answers];
  let screen = "";
  let seen = 0;
  const child = Bun.spawn([BINARY, ...args], {
    env: { ...process.env, WAYMARK__DATA__DIR: installation.dataDir, WAYMARK__DATABASE__URL: "" },
    cwd: installation.dataDir,
    terminal: {
      data(terminal, bytes) {
        screen += new TextDecoder().decode(bytes);
        if (!screen.endsWith(": ") || screen.length === seen) return;
        seen = screen.length;
        const answer = left.shift();
        if (answer !== undefined) terminal.write(answer);
      },
    },
  });
  const exitCode = await child.exited;
  child.terminal?.close();
  return { exitCode, screen };
}

test("a password typed twice is set and not shown", async () => {
  const { exitCode, screen } = await type(["reset-password"], ["a good password\r", "a good password\r"]);
  expect(screen).toContain("The administrator's password is set.");
  expect(screen).not.toContain("a good");
  expect(exitCode).toBe(0);
});

test("a typing mistake can be corrected", async () => {
  const { exitCode, screen } = await type(
    ["users", "add", "anna"],
    ["a good passwordX\x7f\r", "a good password\r"],
  );
  expect([exitCode, screen.includes("Account 'anna' created.")]).toEqual([0, true]);
});

test.each([
  ["two that differ", ["a good password\r", "another password\r"], "differ"],
  ["a short one", ["short\r", "short\r"], "at least 8 characters"],
  ["Ctrl-C", ["\x03"], "Cancelled"],
])("%s changes nothing and reports it", async (_name, answers, message) => {
  const { exitCode, screen } = await type(["users", "add", "bert"], answers);
  expect(screen).toContain(message);
  expect(exitCode).toBe(2);
  const { stdout } = await installation.cli(["users", "list", "--json"]);
  expect(stdout).not.toContain("bert");
});

/** Every command is run in a folder without a database; what it lacks is made up. */
import { bulkText } from "../links/bulk-id.ts";
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFresh, onServer, serverUrl } from "../platform/db/fresh.test-support.ts";
import { isWithoutTables } from "../platform/db/migrate.ts";
import { ROOMS } from "./rooms.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-nowhere-"));
afterAll(() => rmSync(folder, { recursive: true }));

const WALK = `
  import { Command } from "commander";
  import { readdirSync } from "node:fs";
  import { addCommands, runCli } from "${import.meta.dir}/cli.ts";
  const program = new Command();
  await addCommands(program, { extend: async () => [] });
  const leaves = (command, names) => command.commands.length === 0
    ? [{ command, names }]
    : command.commands.flatMap((one) => leaves(one, [...names, one.name()]));
  const sample = { url: "https://a.example", event: "link.created", scope: "links:read" };
  const out = [];
  const write = process.stderr.write;
  for (const { command, names } of program.commands.flatMap((one) => leaves(one, [one.name()]))) {
    if (WITHOUT.includes(names.join(" "))) continue;
    const args = command.registeredArguments.filter((one) => one.required)
      .map((one) => (one.name().startsWith("id") ? "1" : ({ address: "a@a.example", by: "os", change: "${bulkText({ at: 1, bulk: 1 })}" })[one.name()] ?? FILE));
    const options = command.options.filter((one) => one.mandatory)
      .flatMap((one) => [one.long, sample[one.attributeName()] ?? (one.long === "--from" ? "1" : "https://a.example")]);
    if (command.options.some((one) => one.long === "--yes")) options.push("--yes");
    let said = "";
    process.stderr.write = (text) => ((said += text), true);
    process.exitCode = 0;
    const exitCode = await runCli([...names, ...args, ...options, ...(EXTRA[names.join(" ")] ?? [])]);
    process.stderr.write = write;
    out.push({ name: names.join(" "), exitCode, said, made: readdirSync(".") });
  }
  console.error(JSON.stringify(out));
  process.exit(0);
`;

/** They need none, or run until they are stopped. */
const WITHOUT = ["serve", "restore", "config generate", "successor check", "successor clicks"];
const MAKE = ROOMS.flatMap(({ setUpCommands = [] }) => setUpCommands);
const EXTRA = {
  "links update": ["https://a.example"],
  "links remove": ["a"],
  "privacy find": ["--address", "a@a.example"],
  "privacy export": ["--address", "a@a.example"],
  "privacy delete": ["--address", "a@a.example"],
  move: ["--to", "sqlite:elsewhere.db"],
};

type Walked = { name: string; exitCode: number; said: string; made: string[] };

async function walk(cwd: string, variables: Record<string, string>) {
  const script = WALK.replaceAll("WITHOUT", JSON.stringify([...WITHOUT, ...MAKE]))
    .replaceAll("EXTRA", JSON.stringify(EXTRA))
    .replaceAll("FILE", JSON.stringify(join(folder, "input.txt")));
  writeFileSync(join(folder, "input.txt"), "");
  const file = join(import.meta.dir, `walk-${process.pid}.tmp.mjs`);
  writeFileSync(file, script);
  const run = Bun.spawn([process.execPath, file], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...variables },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const said = await new Response(run.stderr).text();
  rmSync(file);
  const last = said.trimEnd().split("\n").at(-1)!;
  return JSON.parse(last) as Walked[];
}

const HERE = "There is no database of Waymark here";

test("a command that does not set up makes no database in a wrong folder, and reports where it looked", async () => {
  const cwd = join(folder, "empty");
  mkdirSync(cwd);
  const walked = await walk(cwd, {});
  expect(walked.length).toBeGreaterThan(60);
  const where = `${HERE}: ${join(cwd, "data", "waymark.db")} does not exist`;
  // The report of doctor is on standard output.
  const isRight = ({ name, exitCode, said, made }: Walked) =>
    made.length === 0 && (name === "doctor" ? exitCode === 1 : exitCode === 5 && said.includes(where));
  expect(walked.filter((one) => !isRight(one))).toEqual([]);
});

test.skipIf(serverUrl("postgres") === undefined)("nor tables in a wrong database of a server", async () => {
  const fresh = await createFresh("postgres");
  const cwd = mkdtempSync(join(folder, "server-"));
  try {
    for (const command of [
      ["users", "list"],
      ["links", "list"],
      ["tags", "list"],
    ]) {
      const run = Bun.spawn([process.execPath, join(import.meta.dir, "../main.ts"), ...command], {
        cwd,
        env: { PATH: process.env["PATH"] ?? "", WAYMARK__DATABASE__URL: fresh.url },
        stderr: "pipe",
      });
      expect(await new Response(run.stderr).text()).toContain(HERE);
      expect(await run.exited).toBe(5);
    }
    expect(await onServer(fresh.url, isWithoutTables)).toBe(true);
    expect(readdirSync(cwd)).toEqual([]);
  } finally {
    await fresh.drop();
  }
});

test("a command that sets up makes one, with its data folder", async () => {
  for (const command of [
    ["links", "add", "https://a.example"],
    ["config", "set", "api.cookie_secure", "true"],
  ]) {
    const cwd = mkdtempSync(join(folder, "new-"));
    const run = Bun.spawn([process.execPath, join(import.meta.dir, "../main.ts"), ...command], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "" },
      stderr: "pipe",
    });
    expect(await new Response(run.stderr).text()).toContain("created a new database");
    expect(await run.exited).toBe(0);
    expect(existsSync(join(cwd, "data", "waymark.db"))).toBe(true);
  }
});

/** `waymark links …` with the real service and captured output. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { createOutput } from "../platform/cli/output.ts";
import { openDatabase } from "../platform/db/database.ts";
import { migrateUp } from "../platform/db/migrate.ts";
import { silentLogger } from "../lib/logger.ts";
import { addLinkCommands } from "./links.commands.ts";
import { DAY, type LinksRoom, openLinks, refusal, TARGET } from "./links.test-support.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
let room: LinksRoom;
let printed = "";
let noted = "";

beforeAll(async () => {
  const database = await openDatabase(
    { url: `sqlite:${join(folder, "test.db")}`, poolSize: 1 },
    { threads: false, logger: silentLogger },
  );
  await migrateUp(database, { logger: silentLogger });
  room = await openLinks(database);
});
afterAll(async () => {
  await room.database.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => room.clear());

let questions: string[] = [];
let answer = false;

async function run(line: string, stdin = ""): Promise<string> {
  printed = "";
  noted = "";
  questions = [];
  const context = {
    services: async () => ({
      links: room.links,
      origins: { ofServer: () => "https://go.example" },
      leases: {
        hold: async (_name: string, _ms: number, work: (lost: AbortSignal) => Promise<unknown>) => ({
          value: await work(new AbortController().signal),
        }),
      },
    }),
    output: createOutput({ write: (text) => (printed += text) }, { write: (text) => (noted += text) }),
    input: { text: async () => stdin, secret: async () => stdin, confirm },
  } as unknown as Parameters<typeof addLinkCommands>[1];
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addLinkCommands(program, context);
  const group = line.startsWith("tags ") ? [] : ["links"];
  await program.parseAsync([...group, ...line.split(" ").filter(Boolean)], { from: "user" });
  return printed;
}
async function confirm(question: string): Promise<boolean> {
  questions.push(question);
  return answer;
}
const json = async (line: string, stdin?: string) => JSON.parse(await run(`${line} --json`, stdin));

test("add, get, update, remove", async () => {
  const added = await json(
    `add ${TARGET} --code a/b --expires 2027-01-01T00:00:00Z --password-stdin`,
    "secret",
  );
  expect(added).toMatchObject({
    code: "a/b",
    target: TARGET,
    password: "[REDACTED]",
    click_count: 0,
    human_clicks: 0,
    short_url: "https://go.example/a/b",
  });
  expect(await json("get a/b")).toEqual(added);
  expect(await json("update a/b http://b.example")).toEqual({ ...added, target: "http://b.example" });
  expect(await json(`update a/b ${TARGET} --clear-expiry --clear-password`)).toEqual({
    ...added,
    expires_at: null,
    password: null,
  });
  expect(await json("remove a/b")).toEqual({ code: "a/b", removed: true });
  expect(await refusal(run("get a/b"))).toBe("LinkNotFound");
  expect(await refusal(run("remove a/b"))).toBe("LinkNotFound");
});

test("what a filter finds is counted, changed and deleted, and undone", async () => {
  for (const code of ["a", "b", "c"]) {
    await run(`add https://old.example/${code} --code ${code} --tag ${code === "c" ? "kept" : "x"}`);
  }
  const change = "update --filter not_tag=kept --replace old.example --by new.example --utm source=mail";
  expect(await run(`${change} --dry-run`)).toBe("2 links would be changed. Nothing was changed.\n");
  expect(await refusal(run(change))).toBe("BadRequest");
  expect(questions).toEqual(["Change 2 links?"]);
  expect(await run(`${change} --yes`)).toBe("2 links changed.\n");
  const undo = /links undo (\S+)/.exec(noted)![1]!;
  expect((await room.links.get("b")).target).toBe("https://new.example/b?utm_source=mail");
  expect((await json("changes")).changes).toMatchObject([
    { change: undo, links: 2, actor: "cli", state: "done" },
  ]);
  expect(await run(`undo ${undo}`)).toBe("2 links as before.\n");
  expect((await room.links.get("b")).target).toBe("https://old.example/b");
  const removed = await json("remove --filter all --yes");
  expect(removed).toMatchObject({ matched: 3, changed: 3 });
  expect(await json(`undo ${removed.change}`)).toMatchObject({ state: "undone", restored: 3, failed: 0 });
  for (const line of [
    "update --title x",
    "update a --filter all b",
    "remove --filter x",
    "remove a --filter all",
  ])
    expect([line, await refusal(run(line))]).toEqual([line, "BadRequest"]);
});

test("flags of a filter are read as in lists, and no other word counts", async () => {
  for (const code of ["a", "b"]) await run(`add ${TARGET} --code ${code} --tag x`);
  await run(`add ${TARGET} --code c --tag x --expires 2020-01-01T00:00:00Z`);
  const found = async (value: string) =>
    (await json(`remove --filter tag=x --filter only_expired=${value} --dry-run`)).matched;
  for (const value of ["true", "1", "True"]) expect([value, await found(value)]).toEqual([value, 1]);
  for (const value of ["false", "0", ""]) expect([value, await found(value)]).toEqual([value, 3]);
  for (const value of ["yes", "on", "ja"])
    expect([value, await refusal(found(value))]).toEqual([value, "BadRequest"]);
});

test("remove of several links asks first and names those that do not exist", async () => {
  for (const code of ["a", "b", "c"]) await run(`add ${TARGET} --code ${code}`);
  answer = false;
  expect(await refusal(run("remove a b"))).toBe("BadRequest");
  expect([questions, await room.rows("links")]).toEqual([["Delete 2 links?"], 3]);
  answer = true;
  expect(await run("remove a b")).toBe("Removed 2 links.\n");
  process.exitCode = 0;
  expect(await json("remove c gone --yes")).toEqual([
    { code: "c", removed: true },
    { code: "gone", removed: false, error: 'There is no link "gone".' },
  ]);
  expect([questions, process.exitCode]).toEqual([[], 3]);
  process.exitCode = 0;
});

test("a password is stored as a hash and never printed", async () => {
  await run(`add ${TARGET} --code a --password`, "secret");
  expect(printed + noted).not.toContain("secret");
  expect(await Bun.password.verify("secret", (await room.links.get("a")).passwordHash!)).toBe(true);
  expect(await run("get a")).not.toContain("$argon2");
});

test("add makes a random code, refuses an existing one and overwrites it with --force", async () => {
  expect((await json(`add ${TARGET}`)).code).toMatch(/^[A-Za-z0-9]{6}$/);
  await run(`add ${TARGET} --code a`);
  expect(await refusal(run(`add ${TARGET} --code a`))).toBe("LinkAlreadyExists");
  expect((await json("add http://b.example --code a --force")).target).toBe("http://b.example");
});

test.each([
  ["LinkInvalidUrl", "add ftp://a.example"],
  ["LinkReservedCode", `add ${TARGET} --code admin`],
  ["LinkInvalidExpireTime", `add ${TARGET} --expires soon`],
  ["LinkNotFound", `update nope ${TARGET}`],
  ["BadRequest", `update nope ${TARGET} --expires 1d --clear-expiry`],
  ["BadRequest", `update nope ${TARGET} --password-stdin --clear-password`],
  ["BadRequest", "list --page one"],
  ["BadRequest", "list --only-active --only-expired"],
  ["InvalidDateFormat", "list --created-after yesterday"],
])("%s for: links %s", async (name, line) => {
  expect(await refusal(run(line))).toBe(name);
  expect(await room.rows("links")).toBe(0);
});

test("list pages, filters and sorts", async () => {
  for (const code of ["a", "b", "c"]) {
    await room.links.create({
      code,
      target: TARGET,
      expires_at: code === "b" ? "2001-01-01T00:00:00Z" : null,
    });
    room.clock.time += DAY;
  }
  const listed = await json("list --page 2 --page-size 2");
  expect(listed.links.map((link: { code: string }) => link.code)).toEqual(["a"]);
  expect(listed.pagination).toEqual({ page: 2, page_size: 2, total: 3, total_pages: 2 });
  const codes = async (options: string) =>
    (await json(`list ${options}`)).links.map((link: { code: string }) => link.code);
  expect(await codes("--sort code --order desc")).toEqual(["c", "b", "a"]);
  expect(await codes("--only-expired")).toEqual(["b"]);
  expect(await codes("--only-active --search EXAMPLE")).toEqual(["c", "a"]);
  const table = await run("list --page-size 1");
  expect(table).toMatch(/^CODE +SHORT URL +TARGET/);
  expect(table.trim().split("\n")).toHaveLength(2);
  expect(noted).toBe("3 links, page 1 of 3\n");
  await run("list --only-expired");
  expect(noted).toBe("1 link, page 1 of 1\n");
  await run("list --search nothing");
  expect(noted).toBe("0 links\n");
});

test("list --cursor goes through all links, page by page", async () => {
  for (let at = 0; at < 5; at++) await run(`add ${TARGET} --code c${at}`);
  const seen: string[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null; pages++) {
    expect(pages).toBeLessThan(3);
    const page = await json(`list --sort code --page-size 2 --cursor ${cursor}`);
    seen.push(...page.links.map(({ code }: { code: string }) => code));
    cursor = page.next_cursor;
  }
  expect(seen).toEqual(["c0", "c1", "c2", "c3", "c4"]);
  expect(await run("list --sort code --page-size 2 --cursor")).toContain("c1");
  const place = /^Next page: --cursor (\S+)\n$/.exec(noted)![1]!;
  expect(await run(`list --sort code --page-size 3 --cursor ${place}`)).toContain("c4");
  expect(noted).toBe("This is the last page.\n");
  expect(await refusal(run(`list --cursor ${place} --page 2`))).toBe("BadRequest");
  expect(await refusal(run(`list --cursor ${place}`))).toBe("BadRequest");
});

test("tags of links, and all tags", async () => {
  await run(`add ${TARGET} --code a --tag Two --tag one`);
  await run(`add ${TARGET} --code b --tag two`);
  expect(printed).toContain("TAGS          two\n");
  const misaligned = printed
    .trimEnd()
    .split("\n")
    .filter((line) => !/^.{12} {2}\S/.test(line));
  expect(misaligned).toEqual([]);
  expect((await json("get a")).tags).toEqual(["one", "two"]);
  expect((await json("list --tag TWO --tag one")).links.map(({ code }: { code: string }) => code)).toEqual([
    "a",
  ]);
  expect(await json("tags list")).toEqual([
    { tag: "two", links: 2 },
    { tag: "one", links: 1 },
  ]);
  expect(await run("tags rename two one")).toBe("2 links with the tag one.\n");
  await run(`update a ${TARGET} --tag x --tag y`);
  expect((await json("get a")).tags).toEqual(["x", "y"]);
  await run(`update a ${TARGET} --clear-tags`);
  expect((await json("get a")).tags).toEqual([]);
  expect(await refusal(run(`update a ${TARGET} --tag x --clear-tags`))).toBe("BadRequest");
  answer = false;
  expect(await refusal(run("tags remove one"))).toBe("BadRequest");
  expect(await run("tags remove one --yes")).toBe("Removed one from 1 link.\n");
  expect(await run("tags list")).toBe("");
});

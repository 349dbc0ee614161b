/** The runner of `npm test`: counts and failures, on small test files. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CONTRACTS } from "../scripts/test.d/suites.ts";

const FILES = {
  "src/a/one.test.ts": `import { test } from "bun:test"; test("one", () => console.error("in", process.pid));`,
  "src/a/two.test.ts": `import { expect, test } from "bun:test"; test("two", () => console.error("in", process.pid));
    test("fails", () => expect(process.env.FAILS).toBe(undefined));`,
  "src/a/sudden.test.ts": `import { test } from "bun:test"; test("sudden", () => { if (process.env.SUDDEN) process.exit(3); });`,
  "src/only.ci.test.ts": `// WAYMARK_TEST_S3_URL
    import { expect, test } from "bun:test";
    test("ci", () => expect(process.env.WAYMARK_TEST_DATABASES).toBe(undefined));`,
  "src/own.test.ts": `import { test } from "bun:test"; test(process.env.WAYMARK_TEST_DATABASES ?? "all", () => {});
    test(process.env.WAYMARK_TEST_S3_URL ?? "no server", () => {});`,
  "src/mixed.test.ts": `import { describe, expect, test } from "bun:test";
    describe("a", () => { test.each([1, 2, 3])("each %d", () => {}); test("wrong", () => expect(1).toBe(2)); });
    test.skip("left out", () => {}); test.todo("to do"); test("<b> & \\"c\\"", () => {});`,
  "src/good.test.ts": `import { test } from "bun:test"; test("good", () => {});`,
  "test/broken.test.ts": `import "./not-there.ts"; import { test } from "bun:test"; test("never", () => {});`,
  "test/ends.test.ts": `import { test } from "bun:test"; test("ends it all", () => process.exit(0));`,
  "test/hook.test.ts": `import { afterAll, test } from "bun:test"; afterAll(() => { throw new Error("late"); }); test("t", () => {});`,
  "test/server.test.ts": `import { test } from "bun:test";
    test.skipIf(!process.env.WAYMARK_TEST_REDIS_URL)("talks to redis", () => {});`,
  "test/hangs.test.ts": `import { test } from "bun:test"; test("hangs", () => new Promise(() => {}));`,
  "test/support/chromium.ts": "export const CHROMIUM = null;",
  "test/browser-late.test.ts": `import { existsSync, writeFileSync } from "node:fs"; import { expect, test } from "bun:test";
    import "./support/chromium.ts"; const ran = import.meta.path + ".ran"; const again = existsSync(ran);
    writeFileSync(ran, ""); test("late", () => expect(again).toBe(true)); test("early", () => expect(again).toBe(false));`,
  "test/browser-wrong.test.ts": `import { expect, test } from "bun:test"; import "./support/chromium.ts";
    test("wrong", () => expect(1).toBe(2));`,
  "src/rare.long.test.ts": `import { test } from "bun:test"; test("rare", () => {});`,
  "src/not-a-test.ts": `throw new Error("not a test");`,
};
const SERVERS = ["POSTGRES", "MYSQL", "MARIADB", "REDIS", "S3"].map((name) => `WAYMARK_TEST_${name}_URL`);
const ALL_SERVERS = Object.fromEntries([...SERVERS, "WAYMARK_TEST_PEBBLE"].map((name) => [name, "there"]));

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "waymark-runner-"));
  for (const [path, text] of Object.entries(FILES)) await Bun.write(join(root, path), text);
  await mkdir(join(root, "scripts"));
  await Bun.write(
    join(root, "run.ts"),
    `import { runTests } from ${JSON.stringify(join(import.meta.dir, "../scripts/test.ts"))};
     process.exitCode = await runTests(${JSON.stringify(root)}, process.argv.slice(2), process.env, (line) => console.log(line));`,
  );
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Runs the runner as a program. Returns its exit code, its lines and the sum of the files' summaries. */
async function run(args: readonly string[], env: Record<string, string> = {}) {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = Bun.spawn([process.execPath, join(root, "run.ts"), ...args], {
    env: { PATH, HOME, TMPDIR, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const sum = (word: string) =>
    [...err.matchAll(new RegExp(`^ *(\\d+) (?:${word})$`, "gm"))].reduce(
      (all, match) => all + Number(match[1]),
      0,
    );
  const lines = out.trimEnd().split("\n");
  return {
    code,
    lines,
    errors: err,
    last: lines.at(-1),
    console: [sum("pass"), sum("fail"), sum("skip|todo")],
  };
}

test("each contract that CI runs on all databases is there", () => {
  const files = [...new Bun.Glob("src/**/*.test.ts").scanSync({ cwd: join(import.meta.dir, "..") })];
  const gone = CONTRACTS.filter((path) => !files.some((file) => file.startsWith(path)));
  expect(gone).toEqual([]);
});

describe("the test runner", () => {
  test("counts the same tests as the console, by file and name", async () => {
    const result = await run(["mixed", "good", "hook"], ALL_SERVERS);
    expect(result.last).toBe("6 passed, 2 failed, 2 skipped");
    expect(result.console).toEqual([6, 2, 2]);
    expect(result.lines).toContain("failed: src/mixed.test.ts: wrong");
    expect(result.lines.filter((line) => line.startsWith("slow: ")).length).toBe(3);
    expect(result.lines.join("\n")).toMatch(
      /^3 files in 3 processes, \d+ at once: \d+ s of processor time$/m,
    );
    expect(result.code).toBe(1);
  });

  test("starts the longest file first, says how far it is, and records how long files take", async () => {
    const costs = join(root, "scripts/test.d/costs.json");
    await Bun.write(costs, JSON.stringify({ "src/good.test.ts": 300, "src/gone.test.ts": 9 }));
    const jobs = { ...ALL_SERVERS, WAYMARK_TEST_JOBS: "1" };
    const { lines, errors } = await run(["good", "server", "--record"], jobs);
    expect(lines).toContain("2 files, 1 at once. This usually takes 6 min.");
    expect(lines).toContain("2 of 2 files");
    expect(errors.indexOf("src/good.test.ts")).toBeLessThan(errors.indexOf("test/server.test.ts"));
    const kept = (await Bun.file(costs).json()) as Record<string, number>;
    expect(Object.keys(kept)).toEqual(["src/good.test.ts", "test/server.test.ts"]);
    expect(kept["src/good.test.ts"]).toBeLessThan(300);
    await rm(costs);
  });

  test("files of a room share a process, and one that ends it is found out", async () => {
    const result = await run(["src/a/"], { FAILS: "1" });
    expect(result).toMatchObject({ code: 1, last: "3 passed, 1 failed" });
    expect(result.lines).toContain("failed: src/a/two.test.ts: fails");
    expect(new Set(result.errors.match(/^in \d+$/gm)).size).toBe(1);
    const sudden = await run(["src/a/"], { SUDDEN: "1" });
    expect(sudden).toMatchObject({ code: 1, last: "3 passed, 1 failed" });
    expect(sudden.lines).toContain("failed: src/a/sudden.test.ts: failed outside its tests (exit code 3)");
    expect((await run(["--all", "src/a/"])).lines.join("\n")).toContain("3 files in 3 processes");
  });

  test("names say which suite has a file, and a file that is named whole needs none", async () => {
    expect((await run(["rare", "only", "good"], ALL_SERVERS)).last).toBe("1 passed, 0 failed");
    expect((await run(["--ci", "rare", "only", "good"], ALL_SERVERS)).last).toBe("2 passed, 0 failed");
    expect((await run(["--all", "rare", "only", "good"], ALL_SERVERS)).last).toBe("3 passed, 0 failed");
    expect((await run(["src/rare.long.test.ts"], ALL_SERVERS)).last).toBe("1 passed, 0 failed");
    const long = await run(["--long"], ALL_SERVERS);
    expect(long).toMatchObject({ code: 0, last: "1 passed, 0 failed" });
    expect(long.lines.join()).not.toContain("good");
  });

  test("CI runs what is no contract on SQLite, and the whole suite everything on all databases", async () => {
    const names = async (...args: string[]) =>
      (await run([...args, "own", "good"], ALL_SERVERS)).errors.match(/(?<=^\(pass\) )(sqlite|all|there)/gm);
    expect(await names("--ci")).toEqual(["sqlite", "there"]);
    expect(await names("--all")).toEqual(["all", "there"]);
    expect(await names()).toEqual(["all", "there"]);
  });

  test("a whole run goes on with the files that have not passed on the same sources", async () => {
    const folder = await mkdtemp(join(tmpdir(), "waymark-runner-"));
    const git = (...args: string[]) => expect(Bun.spawnSync(["git", "-C", folder, ...args]).exitCode).toBe(0);
    const all = async (...more: string[]) => {
      const program = [process.execPath, join(folder, "run.ts"), "--all", ...more];
      const child = Bun.spawnSync(program, { env: { ...process.env, ...ALL_SERVERS }, cwd: folder });
      return child.stdout.toString().trimEnd().split("\n");
    };
    try {
      const runner = await Bun.file(join(root, "run.ts")).text();
      await Bun.write(join(folder, "run.ts"), runner.replaceAll(root, folder));
      await Bun.write(join(folder, ".gitignore"), ".cache\n");
      await Bun.write(join(folder, "src/good.test.ts"), FILES["src/good.test.ts"]);
      const fixed = FILES["test/hook.test.ts"].replace('throw new Error("late")', "");
      await Bun.write(join(folder, "src/late.test.ts"), FILES["test/hook.test.ts"]);
      git("init", "-q");
      git("add", ".");
      git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "Begin");
      expect((await all()).at(-1)).toBe("2 passed, 1 failed");
      const second = await all();
      expect(second).toContain("1 files passed before on these sources; --fresh runs them again.");
      expect(second.at(-1)).toBe("2 passed, 1 failed");
      expect((await all("--fresh")).join("\n")).not.toContain("passed before");
      await Bun.write(join(folder, "src/late.test.ts"), fixed);
      const changed = await all();
      expect(changed.join("\n")).not.toContain("passed before");
      expect(changed.at(-1)).toBe("2 passed, 0 failed");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("runs failed files of the browser once more, and a test of them fails that passed in neither run", async () => {
    const result = await run(["browser", "good"], ALL_SERVERS);
    expect(result.last).toBe("3 passed, 1 failed");
    expect(result.lines).toContain("failed once, not when run again: test/browser-late.test.ts: late");
    expect(result.lines).toContain("failed when run again, not before: test/browser-late.test.ts: early");
    expect(result.lines).toContain("failed: test/browser-wrong.test.ts: wrong");
    expect(result.lines.join("\n")).toContain("Expected: 2");
    expect(result.code).toBe(1);
  });

  test("succeeds when every test passes, and accepts paths and options", async () => {
    expect(await run(["src/good"], ALL_SERVERS)).toMatchObject({ code: 0, last: "1 passed, 0 failed" });
    expect(await run(["-t", "each", "src"], ALL_SERVERS)).toMatchObject({
      code: 0,
      last: "3 passed, 0 failed",
    });
  });

  test("counts a file that cannot be loaded, ends the process or hangs as a failure", async () => {
    expect(await run(["broken", "good"], ALL_SERVERS)).toMatchObject({ code: 1, last: "1 passed, 1 failed" });
    expect(await run(["ends", "good"], ALL_SERVERS)).toMatchObject({ code: 1, last: "1 passed, 1 failed" });
    expect(await run(["hangs", "--timeout=200"], ALL_SERVERS)).toMatchObject({
      code: 1,
      last: "0 passed, 1 failed",
    });
  });

  test("fails when no test ran", async () => {
    expect(await run(["no-such-file"])).toMatchObject({ code: 1, last: "0 passed, 0 failed" });
    expect(await run(["-t", "no such name", "good"])).toMatchObject({ code: 1, last: "0 passed, 0 failed" });
  });

  test("names missing servers and skips their tests", async () => {
    const result = await run(["good", "server"], { WAYMARK_TEST_S3_URL: "there" });
    expect(result).toMatchObject({ code: 0, last: "1 passed, 0 failed, 1 skipped" });
    for (const name of SERVERS.slice(0, -1)) expect(result.lines.join("\n")).toContain(`${name} is not set`);
    const none = await run(["good", "server"]);
    expect(none.lines.join("\n")).toContain("skipped: tests of servers; `scripts/services up` starts them");
    expect(await run(["server"], ALL_SERVERS)).toMatchObject({ code: 0, last: "1 passed, 0 failed" });
  });

  test("names a missing browser where tests were skipped", async () => {
    const nothing = await mkdtemp(join(root, "no-programs-"));
    const line = "skipped: tests in a browser; Chromium is not installed";
    expect((await run(["good", "server"], { PATH: nothing })).lines).toContain(line);
    expect((await run(["good"], { PATH: nothing })).lines).not.toContain(line);
  });

  test("with required servers, a missing server and a skipped test are failures", async () => {
    const required = { WAYMARK_TEST_REQUIRE_SERVICES: "1" };
    const result = await run(["good"], { ...required, ...ALL_SERVERS, WAYMARK_TEST_S3_URL: "" });
    expect(result).toMatchObject({ code: 1, last: "1 passed, 1 failed" });
    expect(await run(["good", "server"], { ...required, ...ALL_SERVERS })).toMatchObject({ code: 0 });
    const skipping = await run(["mixed", "-t", "left out|each"], { ...required, ...ALL_SERVERS });
    expect(skipping.last).toBe("3 passed, 0 failed");
    const whole = await run(["mixed"], { ...required, ...ALL_SERVERS });
    expect(whole).toMatchObject({ code: 1, last: "4 passed, 3 failed" });
  });

  test("uses running servers of scripts/services", async () => {
    const script = join(root, "scripts/services");
    await Bun.write(script, "#!/bin/sh\necho export WAYMARK_TEST_REDIS_URL=redis://127.0.0.1:1\n");
    const result = await run(["server"]);
    expect(result).toMatchObject({ code: 0, last: "1 passed, 0 failed" });
    expect(result.lines.join("\n")).not.toContain("WAYMARK_TEST_REDIS_URL");
    await rm(script);
  });
});

/**
 * `npm run test:core`: deletes the extras in a copy, and tests what is left. In `.cache/core` it copies the files of this
 * folder, deletes `src/extras`, `test/extras` and the lines of extras in `src/server/rooms.ts`, checks types, writes
 * the documents of API and settings, builds the program, starts it, follows a redirect, and runs a part of the tests.
 * `-- --all` runs all of them but `test/tidy*`, whose tables name the extras. Other arguments are paths of tests.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const CORE = join(ROOT, ".cache", "core");
const EXTRAS = ["src/extras", "test/extras"];
/** What `npm run check:types` keeps for its next run. */
const TYPES = ".cache/tsc/server.json";
const START_MS = 60_000;
/** Every room of the core is in one of them, in a minute. */
const TESTS = [
  "src/server",
  "src/redirect",
  "src/visitors",
  "src/platform/config",
  "src/platform/events",
  "src/auth/users",
  "src/files/shares",
  "src/links/links",
];

const [bun, ...given] = [process.execPath, ...process.argv.slice(2)];

function run(command: readonly string[], { cwd = CORE, env = {} as Record<string, string> } = {}): string {
  const done = Bun.spawnSync([...command], { cwd, env: { ...process.env, ...env }, stderr: "inherit" });
  if (done.exitCode !== 0)
    throw new Error(`${command.join(" ")}: exit code ${done.exitCode}\n${done.stdout}`);
  return done.stdout.toString();
}

/** Files of an earlier copy that are gone here go there too; what it has built stays. */
function copyWithoutExtras(): void {
  for (const folder of ["src", "test", "panel/src"])
    rmSync(join(CORE, folder), { recursive: true, force: true });
  const listed = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  for (const path of listed.split("\0")) {
    if (
      !existsSync(join(ROOT, path)) ||
      path === "" ||
      EXTRAS.some((folder) => path.startsWith(`${folder}/`))
    )
      continue;
    mkdirSync(join(CORE, dirname(path)), { recursive: true });
    cpSync(join(ROOT, path), join(CORE, path), { verbatimSymlinks: true });
  }
  copyPackages();
  const panel = join(ROOT, "panel", "dist");
  if (existsSync(panel))
    cpSync(panel, join(CORE, "panel", "dist"), { recursive: true, preserveTimestamps: true });
  for (const tidy of readdirSync(join(CORE, "test")).filter((name) => name.startsWith("tidy"))) {
    rmSync(join(CORE, "test", tidy));
  }
  const rooms = join(CORE, "src/server/rooms.ts");
  writeFileSync(rooms, withoutExtras(readFileSync(rooms, "utf8")));
}

/**
 * As hard links, so that the compiler finds the same paths in the copy. Then it checks only what differs from the last
 * `npm run check:types` here.
 */
function copyPackages(): void {
  const [from, to] = [join(ROOT, "node_modules"), join(CORE, "node_modules")];
  rmSync(to, { recursive: true, force: true });
  if (Bun.spawnSync(["cp", "-al", realpathSync(from), to]).exitCode !== 0) {
    rmSync(to, { recursive: true, force: true });
    symlinkSync(from, to);
  }
  const checked = join(ROOT, TYPES);
  if (existsSync(checked)) cpSync(checked, join(CORE, TYPES));
}

/** Deletes the imports of extras and the entries that they bring. */
function withoutExtras(list: string): string {
  const imports = [...list.matchAll(/^import \{([^}]+)\} from "\.\.\/extras\/[^"]+";\n/gm)];
  const names = imports.flatMap(([, all]) => all!.split(",").map((name) => name.trim()));
  const kept = imports.reduce((text, [statement]) => text.replace(statement, ""), list);
  return names.reduce((text, name) => text.replace(`  ${name},\n`, ""), kept);
}

/** @throws if the program does not answer a code with its target */
async function followRedirect(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-core-"));
  const program = join(CORE, "dist", "waymark");
  const env = { WAYMARK__DATA__DIR: folder, WAYMARK__SERVER__PORT: "0", WAYMARK__LOGGING__FORMAT: "json" };
  run([program, "links", "add", "https://example.com/", "--code", "core"], { cwd: folder, env });
  const server = Bun.spawn([program, "serve"], {
    cwd: folder,
    env: { ...process.env, ...env },
    stderr: "pipe",
  });
  const late = setTimeout(() => server.kill(), START_MS);
  try {
    const response = await fetch(`${await addressOf(server.stderr)}/core`, { redirect: "manual" });
    const seen = [response.status, response.headers.get("location")].join(" ");
    if (seen !== "307 https://example.com/") throw new Error(`The redirect of the core answered ${seen}.`);
  } finally {
    clearTimeout(late);
    server.kill();
    await server.exited;
    rmSync(folder, { recursive: true });
  }
}

async function addressOf(log: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const part of log) {
    text += new TextDecoder().decode(part);
    const address = /"address":"([^"]+)"/.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`The core did not start:\n${text}`);
}

async function step(name: string, work: () => unknown): Promise<void> {
  const begun = performance.now();
  await work();
  console.log(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

await step("copy without extras", copyWithoutExtras);
await step("types", () =>
  run([bun, "node_modules/typescript/bin/tsc", "--noEmit", "--incremental", "--tsBuildInfoFile", TYPES]),
);
await step("what is made of the rooms", () => {
  run([bun, "scripts/configuration-page.ts"]);
  run([bun, "scripts/cli-page.ts"]);
  writeFileSync(join(CORE, "docs/openapi/1.0.json"), run([bun, "scripts/openapi.ts", "--release"]));
});
await step("build", () => run(["scripts/build-binary.sh"]));
await step("start and redirect", followRedirect);
await step("tests", () => {
  const isAll = given.includes("--all");
  const paths = given.filter((argument) => argument !== "--all");
  // The contracts of the whole prove the other databases.
  const env = { WAYMARK_TEST_DATABASES: "sqlite" };
  run([bun, "scripts/test.ts", ...(isAll ? [] : paths.length > 0 ? paths : TESTS)], { env });
});

/** Checks the rules on names, sizes and imports. Each failure states the rule and the remedy. */
import { test } from "bun:test";
import { basename, dirname } from "node:path";
import { MIGRATIONS } from "../src/platform/db/migrate.ts";
import { expectNone } from "./support/expect-none.ts";
import { doubledNames, files, panel, product, productImports, role } from "./support/source-files.ts";

const isOfDatabase = (path: string): boolean => /^src\/(?:platform\/db|extras\/move)\//.test(path);

const SETTINGS_FILES = ["src/platform/settings/env.ts", "src/platform/settings/env-settings.ts"];

test("files are short", () => {
  const tooLong = files
    .filter(({ lines, isTest }) => lines > (isTest ? 500 : 400))
    .map(({ path, lines }) => `${path}: ${lines} lines`);
  expectNone(tooLong, "A file has at most 400 lines (a test 500): split it along what it is about.");
});

test("most files are small", () => {
  const lines = product.map((file) => file.lines).sort((a, b) => a - b);
  const median = lines[Math.floor(lines.length / 2)]!;
  expectNone(
    median > 120 ? [`${median} lines`] : [],
    "The median of product files is above 120 lines: split one that holds two things.",
  );
});

test("folders are small", () => {
  const counts = Map.groupBy([...product, ...panel], ({ path }) => dirname(path));
  const large = [...counts]
    .filter(([folder]) => !["src/lib", "src/platform/db"].includes(folder))
    .filter(([, inside]) => inside.length > 25)
    .map(([folder, inside]) => `${folder}: ${inside.length} files`);
  expectNone(large, "A folder has at most 25 source files: give what belongs together an inner room.");
});

test("files have kebab-case names that say what is inside", () => {
  const wrong = files
    .map((file) => file.path)
    .filter((path) => {
      const name = basename(path).replace(/\.tsx?$/, "");
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/.test(name) ||
        /\b(utils?|helpers?|common|manager|misc|index)\b/.test(name)
      );
    })
    // A registry's table of contents keeps the name that a newcomer looks for.
    .filter((path) => path !== "src/files/storage/index.ts");
  expectNone(
    wrong,
    "Name the file in kebab-case, noun.role.ts; no utils, helpers, common, manager, no barrels.",
  );
});

/** What follows the noun in `noun.role.ts`. */
const ROLES = [
  "ci",
  "commands",
  "long",
  "repository",
  "room",
  "routes",
  "service",
  "test",
  "test-support",
  "thread",
  "worker",
];

test("the roles in names are few", () => {
  const wrong = files
    .map(({ path }) => path)
    .filter((path) => {
      const [noun = "", ...roles] = basename(path)
        .replace(/\.tsx?$/, "")
        .split(".");
      const isInRoom = /^src\/(?:(?:platform|extras)\/)?[^/]+\/[^/]+$/.test(path);
      return roles.some((one) => !ROLES.includes(one)) || (ROLES.includes(noun) && isInRoom);
    });
  expectNone(
    wrong,
    `Name the file noun.role.ts with one of these roles, or in kebab-case without a second dot: ${ROLES.join(", ")}. The noun goes only in an inner room, which is one.`,
  );
});

/** Names that several files export because the files are interchangeable. */
const INTERCHANGEABLE: Record<string, RegExp> = {
  openBackend: /^src\/platform\/db\/dialects\//,
  steps: /^src\/platform\/db\/migrations\//,
};

test("an exported name stands for one thing", () => {
  const isInterchangeable = (name: string, paths: readonly string[]) =>
    paths.every((path) => INTERCHANGEABLE[name]?.test(path));
  expectNone(
    doubledNames(product, isInterchangeable),
    "Two files export this name: where it is the same thing, import it; else call each what it is.",
  );
});

test("there are named exports only", () => {
  const wrong = files.filter((file) => /^export default\b/m.test(file.text)).map((file) => file.path);
  expectNone(wrong, "Export by name.");
});

/** Reads the databases of other products. */
const isReader = (path: string): boolean => path.startsWith("src/extras/imports/readers/");

/** Calls of the query builder, and raw SQL. */
const QUERY = /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(?:<[^`]*>)?`|\bsql\.\w+\(/;

test("only repositories and db/ hold queries", () => {
  const mayQuery = (path: string) => isOfDatabase(path) || role(path) === "repository";
  const wrong = [
    ...product.filter(({ path, text }) => !mayQuery(path) && QUERY.test(text)).map(({ path }) => path),
    ...productImports
      .filter(({ to }) => /^(kysely|pg|mysql2)(\/|$)/.test(to) || to === "bun:sqlite")
      .filter(({ from }) => !mayQuery(from) && !isReader(from))
      // A lock file in SQLite's format, for every database.
      .filter(({ from }) => from !== "src/lib/file-lock.ts")
      .map(({ from, to, line }) => `${from}:${line} imports ${to}`),
  ];
  expectNone(wrong, "Move the query into a repository of the room, which may be a new *.repository.ts.");
});

test("the databases are named in db/ and the settings only", () => {
  const wrong = product
    .filter((file) => !isOfDatabase(file.path) && !isReader(file.path) && !SETTINGS_FILES.includes(file.path))
    // The lock is a file in SQLite's format, for every database.
    .filter((file) => file.path !== "src/lib/file-lock.ts")
    .filter((file) => /sqlite|mysql|mariadb|postgres/i.test(file.text))
    .map((file) => file.path);
  expectNone(wrong, "Ask db/dialect.ts for a capability instead of naming a database.");
});

test("each migration has the number after the last one", () => {
  const names = MIGRATIONS.map(({ name }) => name);
  const wrong = names.filter(
    (name, at) => at > 0 && Number(name.slice(0, 4)) <= Number(names[at - 1]!.slice(0, 4)),
  );
  expectNone(wrong, "Databases run migrations by name: give the new step the next free number.");
});

test("env.ts alone reads the environment", () => {
  const wrong = product
    .filter(
      (file) => file.path !== "src/platform/settings/env.ts" && /process\.env\b|Bun\.env\b/.test(file.text),
    )
    .map((file) => file.path);
  expectNone(wrong, "Take the setting from Env.");
});

/** Where names of accounts and teams, addresses, hosts and words of settings are compared. */
const COMPARED =
  /^src\/(?:auth|platform\/config|extras\/(?:mail|privacy)|links\/(?:domains|link)|files\/(?:recipients|moved))\/|^src\/(?:platform\/db\/owner-ids|lib\/email-address|extras\/imports\/readers\/pingvin)\.ts$/;
const FOLDS = /\.to(?:Locale)?(?:Lower|Upper)Case\(|\blower\(|\bupper\(|localeCompare|\bilike\b/;

test("names and addresses are compared as asciiLower makes them", () => {
  const wrong = product
    .filter(({ path, text }) => COMPARED.test(path) && FOLDS.test(text))
    // The names of fields in code.
    .filter(({ path }) => path !== "src/links/link/field-kinds.ts")
    .map(({ path }) => path);
  expectNone(
    wrong,
    "Other letters than A to Z fold to them or look like them: use asciiLower (lib/ascii-lower.ts).",
  );
});

test("no comment leaves work for later", () => {
  const mark = new RegExp(`\\b(${["TO", "DO"].join("")}|${["FIX", "ME"].join("")}|X{3})\\b`);
  expectNone(
    files.filter((file) => mark.test(file.text)).map((file) => file.path),
    "Do it, or open an issue.",
  );
});

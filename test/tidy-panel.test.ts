/** The panel's rooms, which mirror the server's. Each failure states the rule and the remedy. */
import { test } from "bun:test";
import { expectNone } from "./support/expect-none.ts";
import { circles, doubledNames, importsOf, panel } from "./support/source-files.ts";

/** Rooms that a room of panel/src may import besides its own files. `app` composes them; nothing imports it. */
const ROOMS: Record<string, readonly string[]> = {
  base: [],
  ui: ["base"],
  auth: ["base", "ui"],
  config: ["auth", "base", "mail", "ui"],
  domains: ["auth", "base", "ui"],
  health: ["base", "ui"],
  mail: ["base", "ui"],
  webhooks: ["base", "ui"],
  commands: ["auth", "base", "config", "ui"],
  files: ["auth", "base", "ui"],
  shares: ["auth", "base", "files", "ui"],
  events: ["base", "links", "ui"],
  presets: ["auth", "base", "ui"],
  clicks: ["base", "config", "presets", "ui"],
  reports: ["base", "clicks", "ui"],
  links: ["auth", "base", "clicks", "config", "domains", "presets", "shares", "ui"],
};
const ASSEMBLY = "app";

/** Types of the API, how everything looks that people see, and what both do with addresses and chosen files. */
const SHARED = [
  "src/lib/chosen-files.ts",
  "clients/typescript/api.ts",
  "src/lib/tokens.ts",
  "src/lib/accent.ts",
  "src/lib/panel-path.ts",
  "src/lib/utm.ts",
];

const imports = panel.flatMap(importsOf);
const own = imports.filter(({ to }) => to.startsWith("panel/"));
const roomOf = (path: string): string => path.split("/")[2]!;
/** With the inner room. */
const folderOf = (path: string): string => path.split("/").slice(2, -1).join("/");

/** Files of a room, not of its inner rooms, that import one of these or a file that does. */
const composing = new Set<string>();
for (let before = -1; before < composing.size; ) {
  before = composing.size;
  for (const { from, to } of own) {
    const isInner = folderOf(to).startsWith(`${folderOf(from)}/`);
    const isBeside = folderOf(to) === folderOf(from) && composing.has(to);
    if (folderOf(from) === roomOf(from) && (isInner || isBeside)) composing.add(from);
  }
}

test("rooms of the panel import only what their table allows", () => {
  const wrong = own
    .filter(({ from, to }) => roomOf(from) !== ASSEMBLY && roomOf(from) !== roomOf(to))
    .filter(({ from, to }) => !ROOMS[roomOf(from)]?.includes(roomOf(to)))
    .map(({ from, line, to }) => `${from}:${line} imports ${to}`);
  expectNone(
    wrong,
    "This room may not import that one: move what both need to the lower one, or take it as an argument.",
  );
});

test("the table names existing rooms only and allows only imports in use", () => {
  const there = new Set(panel.map(({ path }) => roomOf(path)).filter((room) => room !== ASSEMBLY));
  const used = new Set(own.map(({ from, to }) => `${roomOf(from)} imports ${roomOf(to)}`));
  const allowed = Object.entries(ROOMS).flatMap(([room, others]) =>
    others.map((other) => `${room} imports ${other}`),
  );
  expectNone(
    [...Object.keys(ROOMS).filter((room) => !there.has(room)), ...allowed.filter((one) => !used.has(one))],
    "Nothing is there, or nothing imports that: take the entry out of the table.",
  );
});

test("of the repository the panel imports the types of the API and the tokens alone", () => {
  const wrong = imports
    .filter(({ to }) => /^(?:src|test|scripts|bench|clients)\//.test(to) && !SHARED.includes(to))
    .map(({ from, line, to }) => `${from}:${line} imports ${to}`);
  expectNone(wrong, "Ask the server for it: the panel is a client of the API like others.");
});

test.each([
  ["rooms", roomOf],
  ["inner rooms", (path: string) => (composing.has(path) ? `${roomOf(path)} (on top)` : folderOf(path))],
  ["files", (path: string) => path],
] as const)("no circle of %s in the panel", (_, nodeOf) => {
  const found = circles(own.map(({ from, to }) => [nodeOf(from), nodeOf(to)]));
  expectNone(
    found.map((circle) => circle.join(" → ")),
    "These import each other: move what both need to the lower one. A file of a room that composes its inner rooms is on top: no inner room imports it.",
  );
});

test("an exported name stands for one thing in the panel", () => {
  expectNone(
    doubledNames(panel),
    "Two files export this name: where it is the same thing, import it; else call each what it is.",
  );
});

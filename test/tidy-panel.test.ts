/** The panel's rooms, which mirror the server's. Each failure states the rule and the remedy. */
import { expect, test } from "bun:test";
import { circles, importsOf, panel } from "./support/source-files.ts";

/** Rooms that a room of panel/src may import besides its own files. */
const ROOMS: Record<string, readonly string[]> = {
  base: [],
  app: [],
  ui: ["base"],
  auth: ["base", "ui"],
  config: ["base", "auth", "ui"],
  domains: ["base", "ui"],
  health: ["base", "ui"],
  commands: ["base", "config", "ui"],
  shares: ["base", "auth", "ui"],
  files: ["base", "auth", "shares", "ui"],
  events: ["base", "links", "ui"],
  clicks: ["base", "config", "ui"],
  links: ["base", "auth", "clicks", "shares", "ui"],
};

/** They compose the rooms. Nothing imports them but each other and the page. */
const ASSEMBLY = ["panel/src/app/main.tsx", "panel/src/app/router.tsx", "panel/src/app/shell.tsx"];

/** Types of the API. */
const API = "clients/typescript/api.ts";

const imports = panel.flatMap(importsOf);
const roomOf = (path: string): string => path.split("/")[2]!;

test("rooms of the panel import only what their table allows", () => {
  const wrong = imports
    .filter(({ to }) => to.startsWith("panel/"))
    .filter(({ from, to }) => {
      if (ASSEMBLY.includes(from)) return false;
      if (ASSEMBLY.includes(to)) return true;
      return roomOf(from) !== roomOf(to) && !ROOMS[roomOf(from)]?.includes(roomOf(to));
    })
    .map(({ from, line, to }) => `${from}:${line} imports ${to}`);
  expect(wrong).toEqual([]);
});

test("of the repository the panel imports the types of the API alone", () => {
  const wrong = imports
    .filter(({ to }) => /^(?:src|test|scripts|bench|clients)\//.test(to) && to !== API)
    .map(({ from, line, to }) => `${from}:${line} imports ${to}`);
  expect(wrong).toEqual([]);
});

test("no files of the panel form a circle", () => {
  const edges = imports
    .filter(({ to }) => to.startsWith("panel/"))
    .map(({ from, to }) => [from, to] as const);
  expect(circles(edges)).toEqual([]);
});

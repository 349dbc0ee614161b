/**
 * The house's rules on who may import whom, as a test; types count like values. Each failure says the rule and the way
 * to mend it.
 */
import { expect, test } from "bun:test";
import { circles, type Import, product, productImports, role } from "./support/source-files.ts";

/** Rooms that a room may import besides its own files and lib/. */
const ROOMS: Record<string, readonly string[]> = {
  lib: [],
  db: [],
  cluster: ["db"],
  jobs: ["cluster"],
  http: [],
  auth: ["db"],
  config: ["db", "cluster"],
  links: ["db", "cluster"],
  clicks: ["db", "cluster", "jobs", "links"],
  redirect: ["links", "clicks"],
  files: ["db", "cluster", "jobs", "links"],
  // It measures every other room.
  health: ["auth", "clicks", "cluster", "files", "jobs", "links", "redirect"],
  cli: ["settings"],
  upkeep: ["db"],
};

/** What a role adds. */
const ROLES: Record<string, readonly string[]> = { routes: ["http"], commands: ["cli", "settings"] };

/** The settings of a start, which commands may read. */
const SETTINGS = ["src/env.ts", "src/env-settings.ts"];

/** Assembly files: they put a room together, endpoints included. */
const ASSEMBLY = [
  "src/auth/auth.ts",
  "src/auth/guards.ts",
  "src/clicks/reports.ts",
  "src/files/content.ts",
  "src/files/drive.ts",
  "src/files/sharing.ts",
];

/** Composition files inside a room: commands that span rooms. */
const SPANNING = [
  "src/upkeep/backup.commands.ts",
  "src/upkeep/doctor.commands.ts",
  "src/upkeep/status.commands.ts",
];

/** The room of a file; composition files beside the rooms are rooms of their own. */
const roomOf = (path: string): string => {
  if (SETTINGS.includes(path)) return "settings";
  const parts = path.split("/");
  return parts.length === 2 ? path : parts[1]!;
};
const isRoom = (name: string): boolean => !name.endsWith(".ts");

const own = productImports.filter(({ to }) => to.startsWith("src/"));
const named = ({ from, line, to }: Import): string => `${from}:${line} imports ${to}`;

function expectNone(found: readonly string[], rule: string): void {
  expect(found.length === 0 ? [] : [rule, ...found]).toEqual([]);
}

test("rooms import what their table allows", () => {
  const wrong = own.filter(({ from, to }) => {
    const [room, other] = [roomOf(from), roomOf(to)];
    if (!isRoom(room) || room === other || other === "lib" || SPANNING.includes(from)) return false;
    if (ASSEMBLY.includes(from) && other === "http") return false;
    return ![...(ROOMS[room] ?? []), ...(ROLES[role(from)] ?? [])].includes(other);
  });
  expectNone(
    wrong.map(named),
    "This room may not import that one, not even a type: take what you need as an argument and declare the shape of it that you use, or move the type to the room whose word it is.",
  );
});

test("layers import downwards: routes → service → repository → db", () => {
  const order = ["routes", "service", "repository"];
  const wrong = own.filter((entry) => {
    const [from, to] = [order.indexOf(role(entry.from)), order.indexOf(role(entry.to))];
    if (from === -1) return false;
    if (to !== -1 && to < from) return true;
    return role(entry.from) === "routes" && (role(entry.to) === "repository" || roomOf(entry.to) === "db");
  });
  expectNone(
    wrong.map(named),
    "Routes know their service, services their repositories, only repositories the database.",
  );
});

test.each([
  ["rooms", roomOf],
  ["files", (path: string) => path],
] as const)("no circle of %s", (_, nodeOf) => {
  const found = circles(own.map(({ from, to }) => [nodeOf(from), nodeOf(to)]));
  expectNone(
    found.map((circle) => circle.join(" → ")),
    "These import each other: move what both need to the lower one, or let one declare the shape that it uses.",
  );
});

test("each room has its line in the table", () => {
  const rooms = new Set(product.map(({ path }) => roomOf(path)).filter((room) => room !== "settings"));
  const inTable = Object.keys(ROOMS);
  expectNone(
    [...rooms].filter((room) => isRoom(room) && !inTable.includes(room)),
    "Add the room to ROOMS, with what it may import.",
  );
  expectNone(
    inTable.filter((room) => !rooms.has(room)),
    "There is no such room; take it out of ROOMS.",
  );
});

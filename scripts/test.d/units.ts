/** What runs in one process: the files of a room, or one file. */
import { join } from "node:path";
import { type Costs, costOf } from "./costs.ts";
import { isContract, type Suite } from "./suites.ts";

/** `onSqlite`: `forEachDialect` has SQLite alone. */
export type Unit = { name: string; files: readonly string[]; onSqlite: boolean };

/** Files of `src` that change what others in their process would see, with what that is. */
const ALONE: Readonly<Record<string, string>> = {};

/** A room with more processor time is several units, so that all cores have work until the end. */
const MOST_SECONDS = 15;
/** Costs are recorded on SQLite; a contract runs on four databases. */
const MOST_SECONDS_OF_CONTRACTS = 5;

const roomOf = (file: string): string => /^src\/(?:(?:platform|extras)\/)?[^/]+/.exec(file)![0];

/** Files of `test` that share a process, by a mark in their text. */
const SHARING: readonly [name: string, mark: string][] = [
  ["two workers", "startSharedWorkers"],
  ["one server", '/shared-server.ts"'],
  ["the endpoints in the process", '/scripts/openapi.ts"'],
];

const sharedIn = (file: string, text: string): string | undefined =>
  file.startsWith("test/") ? SHARING.find(([, mark]) => text.includes(mark))?.[0] : undefined;

/** Whether the tests differ by the servers that are there. */
const usesServers = (text: string): boolean => /test-support\.ts"|WAYMARK_TEST_\w+_URL/.test(text);

/** These may disturb the server that they use, or take long. */
const isSlow = (file: string): boolean => /\.(?:ci|long)\.test\.tsx?$/.test(file);

/** Cuts files into parts of about the same cost, with at most `most` seconds each. */
function partsOf(files: readonly string[], costs: Costs, most: number): string[][] {
  const total = files.reduce((sum, file) => sum + costOf(costs, file), 0);
  const parts: { files: string[]; cost: number }[] = Array.from(
    { length: Math.max(1, Math.ceil(total / most)) },
    () => ({ files: [], cost: 0 }),
  );
  for (const file of files.toSorted((a, b) => costOf(costs, b) - costOf(costs, a))) {
    const least = parts.reduce((best, part) => (part.cost < best.cost ? part : best));
    least.files.push(file);
    least.cost += costOf(costs, file);
  }
  return parts.map((part) => part.files.toSorted()).filter((part) => part.length > 0);
}

/**
 * The unit with most work comes first: one that started last would run alone at the end. The contracts of a room share a
 * process too, which saves a second for each. Other files that use the servers, and those in ALONE, have their own.
 */
export async function unitsOf(
  root: string,
  files: readonly string[],
  suite: Suite,
  costs: Costs,
  hasServers: boolean,
): Promise<Unit[]> {
  const isWhole = suite === "all" || suite === "long";
  const units: Unit[] = [];
  const rooms = new Map<string, { files: string[]; onSqlite: boolean }>();
  for (const file of files) {
    const text = await Bun.file(join(root, file)).text();
    const onSqlite = !hasServers || (suite === "ci" && !isContract(file));
    const shared = sharedIn(file, text);
    const isGrouped =
      !isWhole &&
      (shared !== undefined ||
        (file.startsWith("src/") && !(file in ALONE) && (onSqlite || !usesServers(text) || !isSlow(file))));
    if (!isGrouped) units.push({ name: file, files: [file], onSqlite });
    else {
      const [one, other] = shared === undefined ? [onSqlite, roomOf(file)] : [true, `test/ with ${shared}`];
      const room = one ? other : `${other} on all databases`;
      const inside = rooms.get(room) ?? { files: [], onSqlite: one };
      inside.files.push(file);
      rooms.set(room, inside);
    }
  }
  for (const [room, { files: inside, onSqlite }] of rooms) {
    const parts = partsOf(inside, costs, onSqlite ? MOST_SECONDS : MOST_SECONDS_OF_CONTRACTS);
    parts.forEach((part, at) => {
      const name = part.length === 1 ? part[0]! : parts.length === 1 ? room : `${room} (${at + 1})`;
      units.push({ name, files: part, onSqlite });
    });
  }
  const costOfUnit = (unit: Unit) => unit.files.reduce((sum, file) => sum + costOf(costs, file), 0);
  return units.toSorted((a, b) => costOfUnit(b) - costOfUnit(a) || (a.name < b.name ? -1 : 1));
}

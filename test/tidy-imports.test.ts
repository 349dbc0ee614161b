/** Checks which parts of src may import which; types count like values. Each failure states the rule and the remedy. */
import { test } from "bun:test";
import { dirname } from "node:path";
import { expectNone } from "./support/expect-none.ts";
import { circles, type Import, product, productImports, role } from "./support/source-files.ts";

/** Rooms that a room may import besides its own files and lib/. */
const ROOMS: Record<string, readonly string[]> = {
  lib: [],
  db: [],
  cluster: ["db"],
  events: ["db"],
  jobs: ["db", "cluster"],
  http: [],
  auth: ["db"],
  config: ["db", "cluster"],
  links: ["db", "cluster"],
  clicks: ["db", "cluster", "jobs", "links"],
  imports: ["db", "cluster", "links", "clicks", "files", "visitors"],
  visitors: ["http"],
  panel: ["http"],
  mail: ["db"],
  mcp: ["http"],
  webhooks: ["db", "events"],
  privacy: ["db", "visitors"],
  wire: [],
  redirect: ["links", "clicks", "visitors", "wire"],
  files: ["db", "cluster", "jobs", "links", "visitors"],
  health: ["cluster"],
  cli: ["settings"],
  upkeep: ["db"],
  successor: ["db", "links", "visitors"],
};

/** Additional rooms by role. */
const ROLES: Record<string, readonly string[]> = { routes: ["http"], commands: ["cli", "settings"] };

/** Start-up settings, which commands may read. */
const SETTINGS = ["src/env.ts", "src/env-settings.ts"];

/** Inner rooms, and which of their neighbours they may import besides their own files. */
const INNER_ROOMS: Record<string, Record<string, readonly string[]>> = {
  auth: {
    sessions: [],
    tokens: [],
    users: ["sessions", "tokens"],
    teams: ["users"],
    contact: ["second-factor", "sessions", "users"],
    login: ["sessions", "users"],
    "second-factor": ["login", "sessions"],
    passkeys: ["login", "second-factor", "sessions"],
    "set-up": ["login", "sessions", "users"],
    oidc: ["login", "sessions", "users"],
  },
  clicks: {
    journal: [],
    rollups: [],
    details: ["journal", "rollups"],
    flush: ["details", "journal", "rollups"],
    analytics: ["rollups"],
    stream: [],
  },
  db: { dialects: [], migrations: [] },
  files: {
    storage: [],
    policies: ["storage"],
    blobs: ["policies", "storage"],
    tree: ["blobs", "policies"],
    search: ["tree"],
    thumbnails: ["blobs", "tree"],
    trash: ["tree"],
    archive: ["blobs", "storage", "tree"],
    uploads: ["blobs", "policies", "storage", "tree"],
    dav: ["blobs", "tree", "trash", "uploads"],
    recipients: [],
    serving: ["recipients", "tree"],
    pdf: [],
    shares: ["archive", "blobs", "pdf", "recipients", "serving", "thumbnails", "tree"],
    drops: ["policies", "recipients", "serving", "shares", "tree", "uploads"],
    moved: ["drops", "tree", "uploads"],
    commands: ["archive", "blobs", "drops", "serving", "shares", "trash", "tree", "uploads"],
    check: ["blobs", "policies", "storage", "tree"],
  },
  "files/storage": { local: [], s3: [] },
  http: { docs: [] },
  links: {
    tags: [],
    rules: [],
    link: ["rules", "tags"],
    write: ["link", "rules", "tags"],
    cache: ["link", "rules"],
    list: ["link", "tags"],
    csv: ["link", "list", "write"],
    deleted: ["link", "list", "write"],
    domains: ["fallback", "link"],
    fallback: ["link", "rules"],
    "query-batch": ["fallback", "history", "link", "list", "rules", "tags", "write"],
    history: ["fallback", "link", "write"],
    qr: ["link"],
    safety: ["link", "write"],
    uses: ["link", "write"],
  },
  imports: { readers: [], move: ["readers"], compare: [] },
  visitors: { texts: [] },
  mail: { texts: [] },
  privacy: { texts: [] },
};

/** Inner rooms that import nothing of their room, so that its own files may import them. */
const BASES: Record<string, readonly string[]> = { visitors: ["texts"], mail: ["texts"], privacy: ["texts"] };

/** Assembly files compose the inner rooms, endpoints included. No inner room imports them. */
const ASSEMBLY = [
  "src/auth/auth-parts.ts",
  "src/auth/auth.commands.ts",
  "src/auth/auth.routes.ts",
  "src/auth/auth.ts",
  "src/auth/guards.ts",
  "src/clicks/books-snapshot.ts",
  "src/clicks/books.ts",
  "src/clicks/click-metrics.ts",
  "src/clicks/clicks.commands.ts",
  "src/clicks/clicks.ts",
  "src/clicks/flush-messages.ts",
  "src/clicks/flush.thread.ts",
  "src/clicks/flush.worker.ts",
  "src/clicks/live-filter.ts",
  "src/clicks/live-stats.ts",
  "src/clicks/live.ts",
  "src/clicks/live.routes.ts",
  "src/clicks/pending.ts",
  "src/clicks/reports.ts",
  "src/db/database.ts",
  "src/db/migrate.commands.ts",
  "src/db/migrate.ts",
  "src/db/move.commands.ts",
  "src/db/move.ts",
  "src/files/content.ts",
  "src/files/drive.ts",
  "src/files/sharing.ts",
  "src/files/storage/index.ts",
  "src/imports/import-text.ts",
  "src/imports/import-upload.ts",
  "src/imports/import-view.ts",
  "src/imports/imports.commands.ts",
  "src/imports/imports.routes.ts",
  "src/imports/imports.ts",
  "src/links/actor-links.ts",
  "src/links/links.commands.ts",
  "src/links/links.routes.ts",
  "src/links/links.service.ts",
];

/** Composition files inside a room: commands that span rooms. */
const SPANNING = [
  "src/successor/successor.commands.ts",
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

/** The inner room of a file, or its room; assembly files are separate. */
const innerRoomOf = (path: string): string => {
  const folder = dirname(path).slice("src/".length);
  if (ASSEMBLY.includes(path)) return `${folder} (assembly)`;
  return path.split("/").length === 2 ? path : folder;
};

/** The part of a room with the file: an inner room, or empty for the room's own files. */
const partOf = (path: string, room: string): string => {
  const [part = "", ...deeper] = path.slice(`src/${room}/`.length).split("/");
  return deeper.length === 0 ? "" : part;
};

const isRoom = (name: string): boolean => !name.endsWith(".ts");

const own = productImports.filter(({ to }) => to.startsWith("src/"));
const named = ({ from, line, to }: Import): string => `${from}:${line} imports ${to}`;

test("folders of src import only what their table allows", () => {
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

test("inner rooms import what their table allows", () => {
  const wrong = Object.entries(INNER_ROOMS).flatMap(([room, table]) =>
    own.filter(({ from, to }) => {
      if (![from, to].every((path) => path.startsWith(`src/${room}/`))) return false;
      const [part, other] = [partOf(from, room), partOf(to, room)];
      if (part === "" && ASSEMBLY.includes(from)) return false;
      if (other === "") return ASSEMBLY.includes(to);
      const allowed = part === "" ? BASES[room] : table[part];
      return part !== other && !(allowed ?? []).includes(other);
    }),
  );
  expectNone(
    wrong.map(named),
    "This part of the room may not import that one: move what both need to the lower part, or take it as an argument. A file that puts inner rooms together is named in ASSEMBLY, and nobody below it imports it.",
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
  ["inner rooms", innerRoomOf],
  ["files", (path: string) => path],
] as const)("no circle of %s", (_, nodeOf) => {
  const found = circles(own.map(({ from, to }) => [nodeOf(from), nodeOf(to)]));
  expectNone(
    found.map((circle) => circle.join(" → ")),
    "These import each other: move what both need to the lower one, or let one declare the shape that it uses.",
  );
});

test("the tables name existing folders only and allow only imports in use", () => {
  const folders = new Set(product.map(({ path }) => dirname(path).slice("src/".length)));
  const tables = Object.keys(ROOMS);
  for (const [room, table] of Object.entries(INNER_ROOMS))
    tables.push(...Object.keys(table).map((part) => `${room}/${part}`));
  expectNone(
    [...folders].filter((folder) => folder !== "" && !tables.includes(folder)),
    "Add the room to ROOMS or INNER_ROOMS, with what it may import.",
  );
  const unused = [
    ...tables.filter((folder) => !folders.has(folder)),
    ...ASSEMBLY.filter((path) => !product.some((file) => file.path === path)),
    ...Object.entries(ROOMS).flatMap(([room, others]) =>
      others
        .filter((other) => !own.some((entry) => needs(entry, room, other)))
        .map((other) => `${room} imports ${other}`),
    ),
    ...Object.entries(INNER_ROOMS).flatMap(([room, table]) =>
      Object.entries(table).flatMap(([part, others]) =>
        others
          .filter((other) => !own.some(({ from, to }) => isIn(from, room, part) && isIn(to, room, other)))
          .map((other) => `${room}/${part} imports ${other}`),
      ),
    ),
  ];
  expectNone(unused, "Nothing is there, or nothing imports that: take the entry out of the table.");
});

/** Whether the table of rooms allows the import, and no role. */
const needs = ({ from, to }: Import, room: string, other: string): boolean =>
  roomOf(from) === room && roomOf(to) === other && !(ROLES[role(from)] ?? []).includes(other);

const isIn = (path: string, room: string, part: string): boolean => path.startsWith(`src/${room}/${part}/`);

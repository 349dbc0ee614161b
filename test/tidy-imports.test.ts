/** Checks which parts of src may import which; types count like values. Each failure states the rule and the remedy. */
import { test } from "bun:test";
import { dirname } from "node:path";
import { expectNone } from "./support/expect-none.ts";
import {
  circles,
  files,
  type Import,
  importsOf,
  product,
  productImports,
  role,
} from "./support/source-files.ts";

/** From the lowest. A layer imports itself and those before it. */
const LAYERS = ["lib", "platform", "product", "extras", "server"];

/** The product rooms, and which of each other they may import. */
const PRODUCT: Record<string, readonly string[]> = {
  auth: [],
  links: [],
  visitors: [],
  clicks: ["links"],
  files: ["links", "visitors"],
  reports: ["clicks", "links", "visitors"],
  redirect: ["links", "clicks", "visitors"],
};

/** The rooms of `platform/`, and which of each other they may import. */
const PLATFORM: Record<string, readonly string[]> = {
  settings: [],
  db: [],
  wire: [],
  http: [],
  cli: ["settings"],
  panel: ["http"],
  cluster: ["db"],
  events: ["db"],
  jobs: ["db", "cluster"],
  config: ["db", "cluster"],
  health: ["cluster"],
};

/** Additional rooms of `platform/` by role. */
const ROLES: Record<string, readonly string[]> = {
  routes: ["http"],
  commands: ["cli", "settings"],
  room: ["cli"],
};

/** An extra imports no other one. */
const EXTRAS = "acme compat dav imports mail mcp move privacy stream successor upkeep webhooks".split(" ");

/** Inner rooms, and which of their neighbours they may import besides their own files. */
const INNER_ROOMS: Record<string, Record<string, readonly string[]>> = {
  "platform/db": { dialects: [], migrations: [] },
  "platform/http": { docs: [] },
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
    unique: ["rollups"],
    missing: ["analytics", "rollups"],
  },
  files: {
    storage: [],
    policies: ["storage"],
    blobs: ["policies", "storage"],
    tree: ["blobs", "policies"],
    search: ["tree"],
    thumbnails: ["blobs", "tree"],
    trash: ["tree"],
    linked: ["blobs", "policies", "storage", "tree"],
    archive: ["blobs", "storage", "tree"],
    versions: ["blobs", "tree"],
    uploads: ["blobs", "policies", "storage", "tree"],
    moving: ["blobs", "policies", "storage", "uploads"],
    recipients: [],
    serving: ["recipients", "tree"],
    pdf: [],
    shares: ["archive", "blobs", "pdf", "recipients", "serving", "thumbnails", "tree"],
    drops: ["policies", "recipients", "serving", "shares", "tree", "uploads"],
    moved: ["drops", "tree", "uploads"],
    commands: [
      "archive",
      "blobs",
      "drops",
      "linked",
      "policies",
      "serving",
      "trash",
      "tree",
      "uploads",
      "versions",
    ],
    check: ["blobs", "policies", "storage", "tree"],
  },
  "files/storage": { linked: [], local: [], s3: [] },
  links: {
    tags: [],
    rules: [],
    link: ["rules", "tags"],
    write: ["link", "rules", "tags"],
    cache: ["link", "rules"],
    list: ["link", "tags"],
    "bulk-changes": ["link", "query-batch"],
    case: ["link", "write"],
    csv: ["link", "list", "write"],
    deleted: ["link", "list", "write"],
    domains: ["fallback", "link"],
    fallback: ["link", "rules"],
    "query-batch": ["fallback", "history", "link", "list", "rules", "tags", "write"],
    history: ["fallback", "link", "write"],
    presets: ["link"],
    qr: ["link"],
    safety: ["link", "write"],
    titles: ["link", "write"],
    uses: ["link", "write"],
  },
  visitors: { texts: [] },
  "extras/imports": { readers: [], move: ["readers"], compare: [] },
  "extras/mail": { reports: ["texts"], texts: [] },
  "extras/privacy": { texts: [] },
};

/** Inner rooms that import nothing of their room, so that its own files may import them. */
const BASES: Record<string, readonly string[]> = {
  visitors: ["texts"],
  "extras/mail": ["texts"],
  "extras/privacy": ["texts"],
};

/** Assembly files compose the inner rooms, endpoints included. No inner room imports them. */
const ASSEMBLY = [
  "src/auth/auth.commands.ts",
  "src/auth/auth.routes.ts",
  "src/auth/auth.ts",
  "src/auth/guards.ts",
  "src/clicks/books.ts",
  "src/clicks/click-metrics.ts",
  "src/clicks/clicks.commands.ts",
  "src/clicks/clicks.ts",
  "src/clicks/flush.thread.ts",
  "src/clicks/flush.worker.ts",
  "src/clicks/live-clicks.ts",
  "src/clicks/live.ts",
  "src/clicks/live.routes.ts",
  "src/clicks/pending.ts",
  "src/clicks/reports.ts",
  "src/platform/db/database.ts",
  "src/platform/db/migrate.commands.ts",
  "src/platform/db/migrate.ts",
  "src/files/content.ts",
  "src/files/drive.ts",
  "src/files/sharing.ts",
  "src/files/storage/index.ts",
  "src/extras/imports/import-view.ts",
  "src/extras/imports/imports.commands.ts",
  "src/extras/imports/imports.routes.ts",
  "src/extras/imports/imports.ts",
  "src/links/actor-links.ts",
  "src/links/links.commands.ts",
  "src/links/links.routes.ts",
  "src/links/links.service.ts",
];

/** A file `*.room.ts` describes a room and composes its inner rooms. Only `src/server/rooms.ts` imports it. */
const describesRoom = (path: string): boolean => path.endsWith(".room.ts") && !path.startsWith("src/server/");
const isAssembly = (path: string): boolean => ASSEMBLY.includes(path) || describesRoom(path);

const layerOf = (path: string): string => {
  const [, first = "", second] = path.split("/");
  if (second === undefined) return "server";
  return LAYERS.includes(first) ? first : "product";
};

/** `links`, `platform/db`, `extras/mail`; a file directly in src/ is a room of its own. */
const roomOf = (path: string): string => {
  const [, first = "", second, third] = path.split("/");
  if (second === undefined) return path;
  return ["platform", "extras"].includes(first) && third !== undefined ? `${first}/${second}` : first;
};

/** The inner room of a file, or its room; assembly files are separate. */
const innerRoomOf = (path: string): string => {
  const folder = dirname(path).slice("src/".length);
  if (describesRoom(path)) return path;
  if (ASSEMBLY.includes(path)) return `${folder} (assembly)`;
  return path.split("/").length === 2 ? path : folder;
};

/** The part of a room with the file: an inner room, or empty for the room's own files. */
const partOf = (path: string, room: string): string => {
  const [part = "", ...deeper] = path.slice(`src/${room}/`.length).split("/");
  return deeper.length === 0 ? "" : part;
};

/** A node in the graph of rooms. What describes a room of the platform is above the others, because it takes `Core`. */
const roomNodeOf = (path: string): string =>
  describesRoom(path) && path.startsWith("src/platform/") ? path : roomOf(path);

const own = productImports.filter(({ to }) => to.startsWith("src/"));
const named = ({ from, line, to }: Import): string => `${from}:${line} imports ${to}`;

test("at most three files are directly in src/", () => {
  const loose = product.map(({ path }) => path).filter((path) => path.split("/").length === 2);
  expectNone(
    loose.length > 3 ? loose : [],
    "A file belongs to a room; what composes rooms belongs to src/server/.",
  );
});

test("no layer imports one above it", () => {
  const wrong = own.filter(({ from, to }) => LAYERS.indexOf(layerOf(from)) < LAYERS.indexOf(layerOf(to)));
  expectNone(
    wrong.map(named),
    "lib ← platform ← product rooms ← extras ← server, types included: take what you need as an argument and declare the shape of it that you use, or move the type to the room whose word it is.",
  );
});

test("rooms of a layer import only what their table allows", () => {
  const wrong = own.filter(({ from, to }) => {
    const [room, other] = [roomOf(from), roomOf(to)];
    if (room === other || layerOf(from) !== layerOf(to) || layerOf(from) === "server") return false;
    if (layerOf(from) === "product") return !PRODUCT[room]?.includes(other);
    const [layer, name = ""] = room.split("/");
    const otherName = other.split("/")[1] ?? "";
    // `platform/core.ts` is what all rooms share.
    if (layer !== "platform" || [name, otherName].includes("")) return layer === "extras";
    return ![...(PLATFORM[name] ?? []), ...(ROLES[role(from)] ?? [])].includes(otherName);
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
      if (part === "" && isAssembly(from)) return false;
      if (other === "") return isAssembly(to);
      const allowed = part === "" ? BASES[room] : table[part];
      return part !== other && !(allowed ?? []).includes(other);
    }),
  );
  expectNone(
    wrong.map(named),
    "This part of the room may not import that one: move what both need to the lower part, or take it as an argument. A file that puts inner rooms together is named in ASSEMBLY, and nobody below it imports it.",
  );
});

test("what describes a room is light", () => {
  const imports = product.filter(({ path }) => path.endsWith(".room.ts")).flatMap(importsOf);
  const isLight = (path: string) =>
    product.some((file) => file.path === path && !importsOf(file).some(({ isValue }) => isValue));
  const heavy = imports.filter(({ isValue, to }) => isValue && !isLight(to) && !to.endsWith("-settings.ts"));
  expectNone(
    heavy.map(named),
    "All commands read all files *.room.ts. Import types only, or constants of a file without imports or of *-settings.ts, and load the rest in the functions that need it.",
  );
});

test("layers import downwards: routes → service → repository → db", () => {
  const order = ["routes", "service", "repository"];
  const wrong = own.filter((entry) => {
    const [from, to] = [order.indexOf(role(entry.from)), order.indexOf(role(entry.to))];
    if (from === -1) return false;
    if (to !== -1 && to < from) return true;
    return (
      role(entry.from) === "routes" && (role(entry.to) === "repository" || roomOf(entry.to) === "platform/db")
    );
  });
  expectNone(
    wrong.map(named),
    "Routes know their service, services their repositories, only repositories the database.",
  );
});

test.each([
  ["layers", layerOf],
  ["rooms", roomNodeOf],
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
  const folders = new Set(
    product.map(({ path }) => dirname(path).slice("src/".length)).filter((folder) => folder !== ""),
  );
  const within = (layer: string, table: Record<string, readonly string[]>) =>
    Object.entries(table).map(
      ([room, others]) => [layer + room, others.map((other) => layer + other)] as const,
    );
  const rooms = [...within("", PRODUCT), ...within("platform/", PLATFORM)];
  const tables = ["", "lib", "server", "platform", ...rooms.map(([room]) => room)];
  tables.push(...EXTRAS.map((name) => `extras/${name}`));
  for (const [room, table] of Object.entries(INNER_ROOMS))
    tables.push(...Object.keys(table).map((part) => `${room}/${part}`));
  expectNone(
    [...folders].filter((folder) => !tables.includes(folder)),
    "Add the room to its table, with what it may import.",
  );
  const unused = [
    ...tables.slice(4).filter((folder) => !folders.has(folder)),
    ...ASSEMBLY.filter((path) => !product.some((file) => file.path === path)),
    ...rooms.flatMap(([room, others]) =>
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
  roomOf(from) === room &&
  roomOf(to) === other &&
  !(ROLES[role(from)] ?? []).includes(other.split("/")[1] ?? "");

const isIn = (path: string, room: string, part: string): boolean => path.startsWith(`src/${room}/${part}/`);

test("what needs no extra works without one", () => {
  const isOfExtras = (path: string) => /^(?:src|test)\/extras\//.test(path);
  const wrong = files
    .filter(({ path }) => /^(?:src|test|scripts|bench)\//.test(path) && !isOfExtras(path))
    .filter(({ path }) => path !== "src/server/rooms.ts")
    .flatMap(importsOf)
    .filter(({ to }) => isOfExtras(to));
  expectNone(
    wrong.map(named),
    "Only src/server/rooms.ts and test/extras/ import extras: `npm run test:core` deletes src/extras/ and test/extras/ in a copy.",
  );
});

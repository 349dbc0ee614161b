/** The faults of the table. Each is caused under the load of `world.ts`; backups are in `backups.ts`. */
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DIALECT_NAMES, type DialectName, type Fresh } from "../../src/platform/db/fresh.test-support.ts";
import { createMigratedFile } from "../../src/platform/db/schema-copy.test-support.ts";
import { startProxyTo } from "../../src/lib/tcp-proxy.test-support.ts";
import type { Node } from "../support/cluster.ts";
import { PROGRAM } from "../support/waymark.ts";
import { BACKUPS } from "./backups.ts";
import { jumpingClock, missingFaketime } from "./clocks.ts";
import { failingDisk, fillDisk, memoryDisk, slowDisk } from "./disks.ts";
import { createNetwork } from "./networks.ts";
import { LINKED_AWAY } from "./linked-away.ts";
import { MOVES } from "./storage-moves.ts";
import { type Fault, missingCommand, missingRoot } from "./row.ts";
import { type Servers, serverOf } from "./servers.ts";
import { type Cause, type Place, underLoad } from "./world.ts";

const WITH_SERVER = DIALECT_NAMES.filter((name) => name !== "sqlite");
const HOUR_S = 3_600;
const SYNCED_MS = 1_000;
const UPLOAD_LASTS_S = 24 * HOUR_S;
/** Of a node before it is killed. */
const LONGEST_LIFE_MS = 600;
const ROOT = join(import.meta.dir, "../..");

const stopped = (nodes: readonly Node[]) => Promise.all(nodes.map((node) => node.kill()));
const started = (nodes: readonly Node[]) => Promise.all(nodes.map((node) => node.start()));
const one = (nodes: readonly Node[], round: number) => [nodes[round % nodes.length]!];
const robbed = (nodes: readonly Node[], round: number) => ((round - 1) % 4 < 2 ? nodes : one(nodes, round));

type Row = {
  name: string;
  databases?: readonly DialectName[];
  rounds?: number;
  missing?: () => string | null;
  cause(database: DialectName, servers: () => Servers): Promise<Cause> | Cause;
};

export const KILLS = "kill -9: a node, its supervisor, a worker, and SIGTERM, in turn";
export const OUTAGES = "the database refuses or hangs, for both nodes or one, in turn";

const ROWS: Row[] = [
  {
    name: KILLS,
    rounds: 4,
    cause: (database) => ({
      // Short pauses and lives: kills hit requests, flushes and uploads.
      place: {
        mayBreak: true,
        workers: 2,
        pauseMs: 2,
        holdMs: [0, 0],
        storage: database === "sqlite" ? "local" : "s3",
      },
      begin: (nodes, round) => one(nodes, round)[0]!.endInTurn(round, LONGEST_LIFE_MS),
      end: (nodes, round) => started(one(nodes, round)),
    }),
  },
  {
    name: "kill -9: one worker",
    cause: () => ({
      place: { mayBreak: true, workers: 2, nodes: 1 },
      begin: ([node]) => node!.killWorker(),
      end: () => {},
    }),
  },
  {
    name: "kill -9: the database server",
    databases: WITH_SERVER,
    cause: (database, servers) => ({
      place: {},
      begin: () => servers().kill(serverOf(database)),
      end: () => servers().start(serverOf(database)),
    }),
  },
  {
    name: "the database server hangs (SIGSTOP)",
    databases: WITH_SERVER,
    cause: (database, servers) => ({
      place: {},
      begin: () => servers().pause(serverOf(database)),
      end: () => servers().resume(serverOf(database)),
    }),
  },
  {
    name: OUTAGES,
    databases: WITH_SERVER,
    rounds: 4,
    cause: () => ({
      place: { storage: "s3", endsInFault: true },
      begin(nodes, round) {
        for (const { database } of robbed(nodes, round))
          if (round % 2 === 1) database.sever();
          else database.mode = "hang";
      },
      end: (nodes, round) => robbed(nodes, round).forEach(({ database }) => database.heal()),
    }),
  },
  {
    name: "a node hangs (SIGSTOP)",
    cause: () => ({
      place: { mayBreak: true },
      begin: (nodes, round) => one(nodes, round)[0]!.signal("SIGSTOP"),
      end: (nodes, round) => one(nodes, round)[0]!.signal("SIGCONT"),
    }),
  },
  {
    name: "kill -9: Redis",
    databases: WITH_SERVER,
    cause: (_, servers) => ({
      place: { redisUrl: process.env["WAYMARK_TEST_REDIS_URL"]! },
      begin: () => servers().kill("redis"),
      end: () => servers().start("redis"),
    }),
  },
  {
    name: "the S3 endpoint hangs (SIGSTOP)",
    cause: (_, servers) => ({
      place: { storage: "s3" },
      begin: () => servers().pause("s3"),
      end: () => servers().resume("s3"),
    }),
  },
  {
    name: "full disk: the data folder",
    missing: missingRoot,
    async cause(database) {
      const disk = memoryDisk(192);
      const filling = fillDisk(disk.path);
      return {
        place: await onDisk(database, disk.path),
        begin: () => filling.fill(),
        end: () => filling.empty(),
        remove: () => disk.remove(),
      };
    },
  },
  {
    name: "full disk: the database server",
    databases: WITH_SERVER,
    missing: missingRoot,
    cause: (database, servers) => ({
      place: {},
      begin: () => servers().fill(),
      async end() {
        servers().empty();
        // It may have ended.
        await servers().start(serverOf(database));
      },
    }),
  },
  {
    name: "slow disk: 300 ms for each sync",
    missing: () => missingCommand("gcc"),
    cause() {
      const disk = slowDisk(300);
      return {
        place: { program: wrapper([], disk.env) },
        begin: () => disk.slow(true),
        end: () => disk.slow(false),
        remove: () => disk.remove(),
      };
    },
  },
  {
    name: "read-only disk: files and the file of SQLite, mended after a restart",
    missing: () => missingRoot() ?? missingCommand("mkfs.ext4"),
    async cause(database) {
      const disk = failingDisk(256);
      const { fresh } = await onDisk(database, disk.path);
      return {
        place: { nodes: 1, files: join(disk.path, "files"), mayBreak: true, ...(fresh && { fresh }) },
        // ext4 tells a program whose sync is under way just then that it succeeded, and loses the bytes: 23 files in 25
        // such ends of a disk, without Waymark. So no sync may be under way.
        async begin(nodes) {
          for (const node of nodes) node.signal("SIGSTOP");
          await Bun.sleep(SYNCED_MS);
          disk.abort();
          for (const node of nodes) node.signal("SIGCONT");
        },
        async end(nodes) {
          await stopped(nodes);
          disk.repair();
          await started(nodes);
        },
        remove: () => disk.remove(),
      };
    },
  },
  cut("database", WITH_SERVER),
  cut("redis", WITH_SERVER),
  cut("s3", DIALECT_NAMES),
  cut("clients", DIALECT_NAMES),
  {
    name: "mixed versions: the next one starts on one node, then on all",
    cause() {
      const next = nextVersion();
      return {
        place: { mayBreak: true },
        async begin([first]) {
          await first!.stop();
          await first!.start({}, next);
        },
        async end(nodes) {
          for (const node of nodes.slice(1)) {
            await node.stop();
            await node.start({}, next);
          }
        },
      };
    },
  },
  jumps("forward 1 h and back", HOUR_S),
  jumps("back 1 h and forward", -HOUR_S),
  jumps("back 1 day and forward", -24 * HOUR_S),
];

/** Data folders on that disk, and the database if it is a file. */
async function onDisk(database: DialectName, path: string): Promise<Place> {
  const file = join(path, "waymark.db");
  if (database === "sqlite") await createMigratedFile(file);
  const fresh: Fresh = { url: `sqlite:${file}`, drop: () => Promise.resolve() };
  return {
    nodes: 1,
    nodeSettings: (at) => ({ WAYMARK__DATA__DIR: join(path, `data-${at}`) }),
    ...(database === "sqlite" && { fresh }),
  };
}

type Cable = "database" | "redis" | "s3" | "clients";

function cut(cable: Cable, databases: readonly DialectName[]): Row {
  const name = { database: "the database", redis: "Redis", s3: "S3", clients: "the clients" }[cable];
  return {
    name: `cut network: packets between nodes and ${name} vanish`,
    databases,
    missing: () => missingRoot() ?? missingCommand("ip"),
    async cause() {
      const network = createNetwork<Cable>(["database", "redis", "s3", "clients"]);
      const s3 = process.env["WAYMARK_TEST_S3_URL"]!;
      const proxy = await startProxyTo(s3, network.here("s3"));
      if (cable === "s3") process.env["WAYMARK_TEST_S3_URL"] = proxy.through(s3);
      return {
        place: {
          program: wrapper(network.prefix, {}),
          settings: { WAYMARK__SERVER__HOST: network.there("clients") },
          addresses: { database: network.here("database"), redis: network.here("redis") },
          receiver: network.here("redis"),
          ...(cable === "redis" && {
            redisUrl: process.env["WAYMARK_TEST_REDIS_URL"]!,
            receiver: network.here("database"),
          }),
          ...(cable === "s3" && { storage: "s3" as const }),
          ...(cable === "clients" && { mayBreak: true }),
        },
        begin: () => network.cut(cable),
        end: () => network.mend(cable),
        remove() {
          process.env["WAYMARK_TEST_S3_URL"] = s3;
          proxy.stop();
          network.remove();
        },
      };
    },
  };
}

/** Of the first node alone. Odd rounds jump there, even ones back. */
function jumps(what: string, seconds: number): Row {
  return {
    name: `clock: ${what}, of one node`,
    missing: missingFaketime,
    cause() {
      const clock = jumpingClock();
      const plain = wrapper([], {});
      return {
        place: {
          program: plain,
          nodeSettings: (at) => (at === 0 ? clock.env : {}),
          mayExpire: Math.abs(seconds) >= UPLOAD_LASTS_S,
        },
        begin: () => clock.jump(seconds),
        end: (_, round) => (round % 2 === 0 ? clock.jump(0) : undefined),
        remove: () => clock.remove(),
      };
    },
  };
}

/** An executable that starts Waymark with a prefix and in an environment. */
function wrapper(prefix: readonly string[], env: Record<string, string>, program = [PROGRAM]): string {
  const path = join(mkdtempSync(join(tmpdir(), "waymark-test-")), "waymark");
  const exports = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
  const command = [...prefix, ...program].map((word) => `'${word}'`).join(" ");
  writeFileSync(path, `#!/bin/sh\n${exports.join("")}exec ${command} "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

/** This version with one more step of the schema. */
const nextVersion = (): string =>
  wrapper([], {}, [
    join(ROOT, "bin/bun"),
    "--no-env-file",
    "--preload",
    join(import.meta.dir, "next-version.ts"),
    join(ROOT, "src/main.ts"),
  ]);

export function faults(servers: () => Servers): Fault[] {
  const rows = ROWS.map((row): Fault => {
    const { name, databases = DIALECT_NAMES, rounds = 1, missing = () => null } = row;
    return {
      name,
      databases,
      rounds,
      missing,
      run: async (bounds) => underLoad(await row.cause(bounds.database, servers), bounds),
    };
  });
  return [...rows, ...BACKUPS, ...MOVES, LINKED_AWAY];
}

/** Details in a real ClickHouse. Without its server it says so (Debian: clickhouse-server, or CLICKHOUSE_SERVER). */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { openDatabase } from "../../src/platform/db/database.ts";
import { createFresh, type Fresh, serverUrl } from "../../src/platform/db/fresh.test-support.ts";
import { migrateUp } from "../../src/platform/db/migrate.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { startSignedIn } from "../support/session.ts";
import { soon, until } from "../support/until.ts";
import type { Installation } from "../support/waymark.ts";

const SERVER = process.env["CLICKHOUSE_SERVER"] ?? "/usr/sbin/clickhouse-server";
const PROGRAM = join(import.meta.dir, "../../src/extras/stream/stream-program.test-support.ts");
const ROUNDS = 12;
const ROWS = 3_000;
const NOW = Date.UTC(2026, 10, 20);

const freePort = (): number => {
  const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  taken.stop(true);
  return taken.port;
};

/** As in the package, without limits. */
const CONFIG = (folder: string, port: number) => `<yandex>
  <logger><level>error</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
  <listen_host>127.0.0.1</listen_host><http_port>${port}</http_port><mark_cache_size>100000000</mark_cache_size>
  <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><users_config>${folder}/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
</yandex>`;
const USERS = `<yandex>
  <profiles><default></default></profiles><quotas><default></default></quotas>
  <users><waymark><password>secret</password><networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota></waymark></users>
</yandex>`;

function createServer() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-clickhouse-"));
  const port = freePort();
  for (const name of ["data", "tmp"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "config.xml"), CONFIG(folder, port));
  writeFileSync(join(folder, "users.xml"), USERS);
  let running: Subprocess | null = null;
  const url = `http://waymark:secret@127.0.0.1:${port}/default`;
  const ask = async (query: string): Promise<string> => {
    const headers = { Authorization: `Basic ${btoa("waymark:secret")}` };
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: query, headers });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.text()).trim();
  };
  return {
    url,
    ask,
    async start(): Promise<void> {
      running = Bun.spawn([SERVER, `--config-file=${folder}/config.xml`], {
        cwd: folder,
        stdout: "ignore",
        stderr: "ignore",
      });
      await soon(async () => expect(await ask("select 1")).toBe("1"));
    },
    async kill(): Promise<void> {
      running?.kill("SIGKILL");
      await running?.exited;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

if (!existsSync(SERVER)) test.skip(`details in ClickHouse, there is no ${SERVER}`, () => {});
else
  describe("a ClickHouse server", () => {
    const server = createServer();
    let installation: Installation | undefined;
    let fresh: Fresh | undefined;
    let program: Subprocess | undefined;

    beforeAll(server.start);
    afterEach(async () => {
      program?.kill("SIGKILL");
      await program?.exited;
      await fresh?.drop();
      fresh = undefined;
      if ((await server.ask("exists table waymark_clicks")) === "1")
        await server.ask("drop table waymark_clicks");
    });
    afterAll(async () => {
      await installation?.remove();
      await server.kill();
      server.remove();
    });

    for (const dialect of ["sqlite", "postgres"] as const)
      test.skipIf(dialect !== "sqlite" && serverUrl(dialect) === undefined)(
        `has each click of ${dialect} once after kills of either side`,
        async () => {
          fresh = await createFresh(dialect);
          const database = await openDatabase(
            { url: fresh.url, poolSize: 2 },
            { threads: false, logger: silentLogger },
          );
          try {
            await migrateUp(database, { logger: silentLogger });
            const arguments_ = [process.execPath, "--no-env-file", PROGRAM, fresh.url, server.url];
            const begin = () =>
              Bun.spawn(arguments_, { stdout: "inherit", stderr: "ignore", env: { ...process.env } });
            program = begin();
            let killed = 0;
            for (let round = 0; round < ROUNDS; round++) {
              const rows = Array.from({ length: ROWS }, (_, at) => ({
                link_id: 1 + (at % 50),
                clicked_at: NOW + round * 3_600_000 + at,
                source: `ref:${at % 20}.example`,
              }));
              await database.transaction((tx) => database.dialect.insertMany(tx, "click_log", rows));
              await Bun.sleep(Math.random() * 500);
              if (round % 2 === 0) {
                program.kill("SIGKILL");
                await program.exited;
                program = begin();
              } else {
                await server.kill();
                await Bun.sleep(Math.random() * 500);
                await server.start();
              }
              killed++;
            }
            const sums = "count(), sum(id), min(id), max(id), sum(link_id), sum(toUInt64(clicked_at))";
            const all = ROUNDS * ROWS;
            await soon(async () =>
              expect(await server.ask(`select ${sums} from waymark_clicks final`)).toStartWith(`${all}\t`),
            );
            const [, ids, first, last] = (await server.ask(`select ${sums} from waymark_clicks final`)).split(
              "\t",
            );
            const stored = await database.read
              .selectFrom("click_log")
              .select((eb) => [
                eb.fn.sum<number>("id").as("ids"),
                eb.fn.min("id").as("first"),
                eb.fn.max("id").as("last"),
              ])
              .executeTakeFirstOrThrow();
            expect([ids, first, last].map(Number)).toEqual(
              [stored.ids, stored.first, stored.last].map(Number),
            );
            const sent = Number(await server.ask("select count() from waymark_clicks"));
            console.log(`${dialect}: ${all} clicks, ${killed} kills; ${sent - all} rows not merged yet`);
          } finally {
            await database.close();
          }
        },
        300_000,
      );

    test("gets the clicks of a running server, which says how many wait", async () => {
      const started = await startSignedIn({ WAYMARK__CLICKHOUSE__URL: server.url });
      installation = started.installation;
      const { client } = started;
      await client.call("PUT", "/config/analytics.enable_detailed_logging", { value: "true" });
      await client.call("PUT", "/config/click.flush_interval", { value: "1" });
      await client.call("POST", "/links", { code: "copied", target: "https://example.com/" });
      await started.server.stop();
      const running = await installation.serve();
      const waiting = async () =>
        JSON.parse(await installation!.run(["status", "--json"])).waiting_for_clickhouse;
      for (let at = 0; at < 20; at++) await fetch(`${running.url}/copied`, { redirect: "manual" });
      await until(async () => (await waiting()) === 20);
      await until(async () => (await waiting()) === 0, 24_000);
      expect(await server.ask("select code, count() from waymark_clicks final group by code")).toBe(
        "copied\t20",
      );
      const findings = JSON.parse(await installation.run(["doctor", "--json"]));
      expect(findings.filter(({ part }: { part: string }) => part === "clickhouse")).toEqual([
        expect.objectContaining({ verdict: "ok", message: "the server takes clicks" }),
        expect.objectContaining({ verdict: "ok", message: "all clicks are sent" }),
      ]);
      const addresses = "select ip_address, count() from waymark_clicks final group by ip_address";
      expect(await server.ask(addresses)).toBe("127.0.0.1\t20");
      const { stderr } = await installation.cli(["privacy", "delete", "--address", "127.0.0.1"]);
      await server.ask(stderr.slice(stderr.indexOf("ALTER TABLE")));
      // Trimmed: the address is empty.
      await until(async () => (await server.ask(addresses)) === "20");
      expect(running.log()).not.toContain("secret");
      await running.stop();
    }, 900_000);
  });

/** Real refusals of the servers: accounts and databases of these tests, which they remove. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "kysely";
import { type Logger, silentLogger } from "../../lib/logger.ts";
import { until } from "../../../test/support/until.ts";
import { type Database, openDatabase } from "./database.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { databaseRefusalOf } from "./failures.ts";
import { forEachDialect } from "./for-each-dialect.test-support.ts";
import { inServer, onServer, serverUrl } from "./fresh.test-support.ts";
import { explainRefusal } from "./refusals.ts";
import { retryStart } from "./retry-start.ts";

const PASSWORD = "old-s3cret";
const SERVERS = { sqlite: "", postgres: "PostgreSQL", mysql: "MySQL", mariadb: "MariaDB" };

test("PgBouncer is named, which refuses the settings of a session", () => {
  const location = parseDatabaseUrl("postgres://waymark@127.0.0.1:6432/waymark");
  const refused = Object.assign(new Error("unsupported startup parameter: statement_timeout"), {
    code: "08P01",
  });
  const sentence = explainRefusal(location, refused);
  expect(sentence).toContain("PgBouncer stands in front of PostgreSQL");
  expect(sentence).toContain("Add 'ignore_startup_parameters = statement_timeout' to its settings");
});

forEachDialect((dialect) => {
  if (dialect.name === "sqlite") return;
  const isPostgres = dialect.name === "postgres";
  const account = `waymark_test_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
  const stranger = `${account}_2`;
  const server = SERVERS[dialect.name];
  const run = (text: string, url = dialect.url()) =>
    onServer(url, ({ write }) => sql.raw<{ id: number }>(text).execute(write));
  const accounts = [account, stranger].map((name) => (isPostgres ? name : `${name}@'%'`));
  const setPassword = (password: string) =>
    run(
      isPostgres
        ? `alter role ${accounts[0]} password '${password}'`
        : `alter user ${accounts[0]} identified by '${password}'`,
    );

  const endConnections = async () => {
    const { rows } = await run(
      isPostgres
        ? `select pid as id from pg_stat_activity where usename = '${account}'`
        : `select id as id from information_schema.processlist where user = '${account}'`,
    );
    for (const { id } of rows)
      await run(isPostgres ? `select pg_terminate_backend(${id})` : `kill ${id}`).catch(() => {});
  };

  beforeAll(async () => {
    const { database } = parseDatabaseUrl(dialect.url());
    for (const one of accounts)
      await run(
        isPostgres
          ? `create role ${one} login password '${PASSWORD}'`
          : `create user ${one} identified by '${PASSWORD}'`,
      );
    if (isPostgres) {
      await run(`grant select on all tables in schema public to ${account}`);
      await run(`revoke connect on database ${database} from public`);
      await run(`grant connect on database ${database} to ${account}`);
    } else await run(`grant select on ${database}.* to ${accounts[0]}`);
  });
  afterAll(async () => {
    // The database is gone, and the rights in it.
    for (const one of accounts)
      await run(`drop ${isPostgres ? "role" : "user"} ${one}`, serverUrl(dialect.name));
  });

  const as = (name: string, password: string) =>
    dialect.url().replace(/\/\/[^@]*@/, `//${name}:${encodeURIComponent(password)}@`);

  /** The message of a start, which does not wait a minute. */
  async function refusalAt(url: string, ask = (database: Database) => database.ping()): Promise<string> {
    const database = await openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger });
    let tries = 0;
    const start = () => {
      tries++;
      return ask(database);
    };
    const error = await retryStart(start, { forMs: 60_000, logger: silentLogger }).then(
      () => null,
      (reason: unknown) => reason,
    );
    await database.close();
    expect(error).toMatchObject({ name: "ServiceUnavailable", failure: "refused" });
    expect((error as Error).message).not.toContain(account);
    expect(tries).toBe(1);
    const refusal = databaseRefusalOf(error)!;
    expect(refusal).not.toContain(PASSWORD);
    return refusal;
  }

  test("a refused password and an unknown account are named", async () => {
    for (const [name, password] of [
      [account, "w r@o/n#g"],
      ["waymark_test_nobody", PASSWORD],
      [account, ""],
    ] as const) {
      const refusal = await refusalAt(as(name, password));
      expect(refusal).toContain(`${server} refused the password of the account '${name}'`);
      expect(refusal).toContain("database.url");
      expect(refusal).not.toContain("w r@o/n#g");
    }
  });

  test("a missing database is named, with what creates it", async () => {
    const refusal = await refusalAt(inServer(dialect.url(), "waymark_test_none"));
    expect(refusal).toContain(`${server} has no database 'waymark_test_none'`);
    expect(refusal).toContain("CREATE DATABASE waymark_test_none");
  });

  test("all servers of a cluster that refuse are named, as one does", async () => {
    const [host] = /(?<=@)[^/]+/.exec(dialect.url())!;
    const refusal = await refusalAt(as(account, "wrong").replace(host, `${host},${host}`));
    expect(refusal).toContain(`${server} refused the password of the account '${account}'`);
  });

  test("missing rights are named, for the database and for a statement", async () => {
    const { database } = parseDatabaseUrl(dialect.url());
    const expected = `${server} does not give the account`;
    expect(await refusalAt(as(stranger, PASSWORD))).toContain(`${expected} '${stranger}'`);
    const create = (one: Database) => sql`create table forbidden (a int)`.execute(one.write).then(() => {});
    const refusal = await refusalAt(as(account, PASSWORD), create);
    expect(refusal).toContain(`${expected} '${account}' the rights`);
    expect(refusal).toContain(
      isPostgres ? `ALTER DATABASE ${database} OWNER TO` : `GRANT ALL ON ${database}.*`,
    );
  });

  test("a refused certificate, or a server without TLS, is named", async () => {
    const refusal = await refusalAt(`${dialect.url()}?sslmode=verify-full`);
    expect(refusal).toMatch(new RegExp(`The certificate of ${server} was refused|${server} offers no TLS`));
  });

  test("a running server whose password is changed reports it once, and goes on when it is right again", async () => {
    const lines: string[] = [];
    const add = (first: unknown, second?: unknown) => void lines.push(String(second ?? first));
    const logger = { ...silentLogger, info: add, warn: add, error: add } as unknown as Logger;
    const url = as(account, PASSWORD);
    const database = await openDatabase({ url, poolSize: 2 }, { threads: true, logger });
    const count = () => database.read.selectFrom("instance").select("id").execute();
    await count();
    expect(database.refusal()).toBeNull();
    await setPassword("new");
    await endConnections();
    const refused = () =>
      count().then(
        () => false,
        (error) => databaseRefusalOf(error) !== null,
      );
    await until(refused);
    await refused();
    expect(database.refusal()).toContain(`${server} refused the password of the account '${account}'`);
    await setPassword(PASSWORD);
    await until(() =>
      count().then(
        () => true,
        () => false,
      ),
    );
    expect(database.refusal()).toBeNull();
    await database.close();
    const ofRefusals = lines.filter((line) => /refused|accepts connections/.test(line));
    expect(ofRefusals).toEqual([
      expect.stringContaining("refused the password"),
      "the database accepts connections again",
    ]);
    expect(lines.join()).not.toContain("does not answer; known links");
  });
});

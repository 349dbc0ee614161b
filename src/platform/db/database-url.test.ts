import { execFileSync } from "node:child_process";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseName, parseDatabaseUrl } from "./database-url.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-url-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("reads host, port, account and database", () => {
  expect(parseDatabaseUrl("postgresql://me:secret@db.example:6432/links")).toMatchObject({
    kind: "postgres",
    addresses: [{ host: "db.example", port: 6432 }],
    user: "me",
    password: "secret",
    database: "links",
    socket: undefined,
    tls: undefined,
  });
  expect(parseDatabaseUrl("mariadb://[::1]/x")).toMatchObject({
    kind: "mariadb",
    addresses: [{ host: "::1", port: undefined }],
    database: "x",
  });
  expect(parseDatabaseUrl("mysql://h")).toMatchObject({
    kind: "mysql",
    addresses: [{ host: "h" }],
    user: undefined,
  });
});

test.each([
  ["p%40ss%2Fw%3Aord", "p@ss/w:ord"],
  ["p@ss:w/o#rd?x", "p@ss:w/o#rd?x"],
  ["100%", "100%"],
  ["%E4%BD%A0", "你"],
  ["", undefined],
])("accepts the password %p", (written, password) => {
  const { user, addresses, database, ...rest } = parseDatabaseUrl(
    `postgres://me:${written}@host:5/db?sslmode=disable`,
  );
  expect([user, rest.password, database]).toEqual(["me", password, "db"]);
  expect(addresses).toEqual([{ host: "host", port: 5 }]);
});

test("accepts a unix socket as the host or as a parameter", () => {
  for (const url of [
    "postgres://me@/db?host=/run/postgresql",
    "postgres://me@%2Frun%2Fpostgresql/db",
    "postgres:///db?socket=/run/postgresql",
  ])
    expect(parseDatabaseUrl(url)).toMatchObject({
      socket: "/run/postgresql",
      addresses: [{ host: undefined }],
      database: "db",
    });
  expect(parseDatabaseUrl("mysql://me:x@localhost/db?socket=/run/my.sock")).toMatchObject({
    socket: "/run/my.sock",
    addresses: [{ host: undefined }],
  });
});

test("reads several hosts, each with its port, and names them without the password", () => {
  const cluster = parseDatabaseUrl("postgres://me:a,b@db1:5433,[fd00::2]:5434,db3/links?sslmode=disable");
  expect(cluster).toMatchObject({
    addresses: [
      { host: "db1", port: 5433 },
      { host: "fd00::2", port: 5434 },
      { host: "db3", port: undefined },
    ],
    password: "a,b",
    database: "links",
  });
  expect(databaseName(cluster)).toBe("postgres://db1:5433,[fd00::2]:5434,db3/links");
  expect(databaseName(parseDatabaseUrl("mysql:///links"))).toBe("mysql://localhost/links");
  for (const hosts of ["a,", ",a", "a:1,b:x", "a:70000", "[::1"])
    expect(() => parseDatabaseUrl(`mysql://me:hunter2@${hosts}/db`)).toThrow(
      /The database URL is invalid(?!.*hunter2)/s,
    );
  const many = Array.from({ length: 17 }, (_, i) => `db${i}`).join();
  expect(() => parseDatabaseUrl(`mariadb://${many}/db`)).toThrow("more than 16 hosts");
});

const ROOT = execFileSync(
  "openssl",
  "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=root -keyout /dev/null".split(" "),
  { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
);
const tls = (query: string) => parseDatabaseUrl(`mysql://h/db?${query}`).tls;

test("accepts TLS parameters as PostgreSQL's tools name them", () => {
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, ROOT);
  expect(tls("sslmode=disable")).toBeUndefined();
  expect(tls("sslmode=require")).toEqual({ rejectUnauthorized: false });
  expect(tls("ssl=true")).toEqual({ rejectUnauthorized: true });
  expect(tls(`sslmode=verify-full&sslrootcert=${ca}`)).toEqual({ rejectUnauthorized: true, ca: ROOT });
  writeFileSync(ca, "no PEM");
  expect(() => tls(`sslmode=verify-full&sslrootcert=${ca}`)).toThrow(`${ca} has no certificate`);
  expect(() => tls(`sslmode=verify-full&sslrootcert=${ca}.gone`)).toThrow(`${ca}.gone does not exist`);
  expect(() => tls("sslmode=maybe")).toThrow("sslmode=maybe is not known");
});

test("accepts a file path with and without slashes", () => {
  for (const url of ["sqlite:/data/w.db", "sqlite:///data/w.db"])
    expect(parseDatabaseUrl(url)).toMatchObject({ kind: "sqlite", path: "/data/w.db" });
  for (const url of ["sqlite:", "sqlite::memory:"])
    expect(() => parseDatabaseUrl(url)).toThrow("must name a file");
});

test("reports errors without the password", () => {
  for (const url of ["postgres://me:hunter2@h:port/db", "oracle://me:hunter2@h/db", "hunter2"]) {
    expect(() => parseDatabaseUrl(url)).toThrow(/The database URL is invalid/);
    expect(() => parseDatabaseUrl(url)).not.toThrow(/hunter2/);
  }
});

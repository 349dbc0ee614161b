import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDatabaseUrl } from "./database-url.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-url-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("reads host, port, account and database", () => {
  expect(parseDatabaseUrl("postgresql://me:secret@db.example:6432/links")).toMatchObject({
    kind: "postgres",
    host: "db.example",
    port: 6432,
    user: "me",
    password: "secret",
    database: "links",
    socket: undefined,
    tls: undefined,
  });
  expect(parseDatabaseUrl("mariadb://[::1]/x")).toMatchObject({
    kind: "mariadb",
    host: "::1",
    database: "x",
  });
  expect(parseDatabaseUrl("mysql://h")).toMatchObject({ kind: "mysql", host: "h", user: undefined });
});

test.each([
  ["p%40ss%2Fw%3Aord", "p@ss/w:ord"],
  ["p@ss:w/o#rd?x", "p@ss:w/o#rd?x"],
  ["100%", "100%"],
  ["%E4%BD%A0", "你"],
  ["", undefined],
])("accepts the password %p", (written, password) => {
  const { user, host, database, ...rest } = parseDatabaseUrl(
    `postgres://me:${written}@host:5/db?sslmode=disable`,
  );
  expect([user, rest.password, host, database]).toEqual(["me", password, "host", "db"]);
});

test("accepts a unix socket as the host or as a parameter", () => {
  for (const url of [
    "postgres://me@/db?host=/run/postgresql",
    "postgres://me@%2Frun%2Fpostgresql/db",
    "postgres:///db?socket=/run/postgresql",
  ])
    expect(parseDatabaseUrl(url)).toMatchObject({
      socket: "/run/postgresql",
      host: undefined,
      database: "db",
    });
  expect(parseDatabaseUrl("mysql://me:x@localhost/db?socket=/run/my.sock")).toMatchObject({
    socket: "/run/my.sock",
    host: undefined,
  });
});

const tls = (query: string) => parseDatabaseUrl(`mysql://h/db?${query}`).tls;

test("accepts TLS parameters as PostgreSQL's tools name them", () => {
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, "PEM");
  expect(tls("sslmode=disable")).toBeUndefined();
  expect(tls("sslmode=require")).toEqual({ rejectUnauthorized: false });
  expect(tls("ssl=true")).toEqual({ rejectUnauthorized: true });
  expect(tls(`sslmode=verify-full&sslrootcert=${ca}`)).toEqual({ rejectUnauthorized: true, ca: "PEM" });
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

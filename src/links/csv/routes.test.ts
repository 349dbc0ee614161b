/** Import and export over HTTP, mounted as in the server, as an administrator. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createEvents } from "../../platform/events/events.service.ts";
import { createChanges } from "../../platform/cluster/changes.ts";
import type { Database } from "../../platform/db/database.ts";
import { CONNECTION } from "../../platform/http/app.test-support.ts";
import type { Caller } from "../../platform/http/endpoint.ts";
import type { Scope } from "../../lib/access.ts";
import { silentLogger } from "../../lib/logger.ts";
import { type MountedApi, mountApi } from "../links-api.test-support.ts";
import { csvEndpoints } from "./routes.ts";
import { createDomainRegistry } from "../domains/registry.ts";
import { createLinkCsv } from "./service.ts";

const NOW = Date.parse("2026-11-20T13:00:05Z");
const LIMIT = 10 * 1024 * 1024;
const BOUNDARY = "cut-here";
const HEADER = "code,target,created_at,expires_at,password,click_count\n";

let api: MountedApi;
let lifted = 0;
let cuts = 0;

beforeAll(async () => {
  const clock = { now: () => NOW };
  const connection = { ...CONNECTION, liftIdleTimeout: () => void lifted++, cut: () => void cuts++ };
  api = await mountApi(async (database) => {
    const csv = createLinkCsv({
      events: createEvents({ database, clock }),
      database,
      changes: createChanges({ database, clock, logger: silentLogger }),
      routePrefixes: () => ["/admin"],
      domains: createDomainRegistry({ list: async () => [] }),
      hashPassword: async (plain) => `$argon2id$of-${plain}`,
      clock,
    });
    return csvEndpoints({ csv, now: clock.now, logger: silentLogger });
  }, connection);
});
afterAll(() => api.close());
beforeEach(async () => {
  lifted = 0;
  cuts = 0;
  await api.database.write.deleteFrom("links").execute();
});

const ask = (path: string, init?: RequestInit): Promise<Response> => api.ask(`/links${path}`, init);

type Part = { name: string; value: string | Buffer; filename?: string };
const bodyOf = (parts: readonly Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ name, value, filename }) => [
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`),
      Buffer.from(`${filename === undefined ? "" : `; filename="${filename}"`}\r\n\r\n`),
      Buffer.from(value as string),
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);
const send = (body: Buffer, type = `multipart/form-data; boundary=${BOUNDARY}`): Promise<Response> =>
  ask("/import", { method: "POST", body: body as BodyInit, headers: { "Content-Type": type } });
const file = (value: string | Buffer): Part => ({ name: "file", value, filename: "links.csv" });
const load = (text: string, mode?: string): Promise<Response> =>
  send(bodyOf(mode === undefined ? [file(text)] : [file(text), { name: "mode", value: mode }]));

test("a dry run returns the counts with what it would overwrite, and imports nothing", async () => {
  await load("code,target\na,https://x.y/1\n");
  const parts = [file("code,target\na,https://x.y/2\nb,https://x.y/2\nb b,https://x.y\n")];
  for (const [name, value] of Object.entries({ mode: "overwrite", dry_run: "true" }))
    parts.push({ name, value });
  const { data } = await (await send(bodyOf(parts))).json();
  expect(data).toMatchObject({ total_rows: 3, success_count: 2, overwritten_count: 1, failed_count: 1 });
  expect(await (await ask("/export")).text()).toBe(`${HEADER}a,https://x.y/1,2026-11-20T13:00:05.000Z,,,0\n`);
});

test("a dry run that is requested in other words is refused, and imports nothing", async () => {
  for (const name of ["dry_run", "progress"])
    for (const value of ["yes", "1", "TRUE", "on"]) {
      const refused = await send(bodyOf([file("code,target\na,https://x.y/1\n"), { name, value }]));
      expect([refused.status, (await refused.json()).message]).toEqual([
        400,
        `${name} must be true or false.`,
      ]);
    }
  expect(await (await ask("/export")).text()).toBe(HEADER);
  const parts = [file("code,target\na,https://x.y/1\n"), { name: "dry_run", value: " false " }];
  expect((await (await send(bodyOf(parts))).json()).data).toMatchObject({ success_count: 1 });
});

test("cells that can't be read are named in every response, in every mode, and the rest is as specified", async () => {
  const text = `code,target,expires_at\na,https://x.y/1,tomorrow\n`;
  const reportOf = async (name: string) =>
    (await (await send(bodyOf([file(text), { name, value: "true" }]))).json()).data;
  const items = [{ row: 2, code: "a", column: "expires_at", value: "tomorrow" }];
  expect(await reportOf("dry_run")).toMatchObject({ unread_count: 1, unread_items: items });
  expect(await reportOf("progress")).toMatchObject({
    success_count: 1,
    unread_count: 1,
    unread_items: items,
  });
  for (const mode of [undefined, "skip", "overwrite", "error"]) {
    await api.database.write.deleteFrom("links").execute();
    const rows = `b,https://x.y/1,${"x".repeat(200)}\nb b,https://x.y/1,tomorrow\nc,https://x.y/1,\n`;
    const response = await load(text + rows, mode);
    expect((await response.json()).data).toEqual({
      total_rows: 4,
      success_count: 3,
      skipped_count: 0,
      failed_count: 1,
      failed_items: [expect.objectContaining({ row: 4, code: "b b", error_code: 3007 })],
      unread_count: 2,
      unread_items: [...items, { row: 3, code: "b", column: "expires_at", value: "x".repeat(100) }],
      ignored_columns: [],
    });
  }
});

test("with strict handling unknown fields of the form are refused, and nothing is imported", async () => {
  const body = bodyOf([file("code,target\na,https://x.y/1\n"), { name: "dryrun", value: "true" }]);
  const headers = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}`, Prefer: "handling=strict" };
  const refused = await ask("/import", { method: "POST", body: body as BodyInit, headers });
  expect([refused.status, (await refused.json()).message]).toEqual([400, "dryrun is unknown."]);
  expect(await (await ask("/export")).text()).toBe(HEADER);
  expect((await (await send(body)).json()).data).toMatchObject({ success_count: 1 });
});

test("with strict handling a row with a cell that can't be read fails, and says what to write", async () => {
  const body = bodyOf([
    file("code,target,expires_at\na,https://x.y/1,31.12.2026\nb,https://x.y/1,2026-12-31\n"),
  ]);
  const headers = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}`, Prefer: "handling=strict" };
  const { data } = await (await ask("/import", { method: "POST", body: body as BodyInit, headers })).json();
  expect(data).toMatchObject({ success_count: 1, failed_count: 1, unread_count: 0 });
  const error = 'expires_at can\'t be read: "31.12.2026". Write it like 2026-12-31 or 2026-12-31T13:00:00Z.';
  expect(data.failed_items).toEqual([{ row: 2, code: "a", error, error_code: 1012 }]);
});

test("an export begins with a byte order mark when asked, and comes back in", async () => {
  await load("code,target\na,https://x.y/1\n");
  const bytes = await (await ask("/export?bom=true")).bytes();
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(Buffer.from(bytes.subarray(3)).toString()).toBe(await (await ask("/export?bom=false")).text());
  const again = await (
    await send(bodyOf([file(Buffer.from(bytes)), { name: "mode", value: "error" }]))
  ).json();
  expect(again.data.failed_items).toMatchObject([{ row: 2, error_code: 3001 }]);
  expect((await ask("/export?bom=perhaps")).status).toBe(400);
});

test("an import's id is bounded, and stands in its event", async () => {
  const named = (id: string) =>
    send(bodyOf([file("code,target\na,https://x.y/1\n"), { name: "import_id", value: id }]));
  for (const id of ["no spaces", "x".repeat(65)]) {
    const refused = await named(id);
    expect([refused.status, (await refused.json()).message]).toEqual([
      400,
      "import_id must have 1 to 64 letters, digits, '_' and '-'.",
    ]);
  }
  // Refusals end: there is room for more than run at once.
  for (let at = 0; at < 4; at++) expect((await named("é")).status).toBe(400);
  expect((await named("mine-1")).status).toBe(200);
  const events = await api.database.read.selectFrom("events").select("after").execute();
  expect(events.map(({ after }) => after).filter((after) => after?.includes("mine-1"))).toHaveLength(1);
});

describe("export", () => {
  test("responds with a download with the time in its name, the header even without links", async () => {
    const response = await ask("/export");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("Content-Disposition")).toBe(
      'attachment; filename="shortlinks_export_20261120_130005.csv"',
    );
    expect(response.headers.has("Content-Length")).toBe(false);
    expect(await response.text()).toBe(HEADER);
    expect(lifted).toBe(1);
  });

  test("has the links with their hashes, filtered like the list", async () => {
    await load(
      "code,target,created_at,password\nb,https://x.y/1,2020-01-01T00:00:00Z,p\na,https://x.y/2,2021-01-01T00:00:00Z,\n",
    );
    expect(await (await ask("/export")).text()).toBe(
      `${HEADER}a,https://x.y/2,2021-01-01T00:00:00.000Z,,,0\nb,https://x.y/1,2020-01-01T00:00:00.000Z,,$argon2id$of-p,0\n`,
    );
    const filtered = await ask("/export?search=Y%2F1&created_before=2020-06-01T00:00:00Z&only_active=true");
    expect((await filtered.text()).split("\n")).toHaveLength(3);
  });

  test("has only own links for an editor, without passwords", async () => {
    await load("code,target,password\nmine,https://x.y/1,p\nopen,https://x.y/2,\nyours,https://x.y/3,p\n");
    const { write } = api.database;
    await write.updateTable("links").set({ owner_id: 7 }).where("code", "!=", "yours").execute();
    const edda = { id: 7, username: "edda", role: "editor", via: "panel" } as const;
    const text = await api.as(edda, async () => (await ask("/export")).text());
    const rows = text.trimEnd().split("\n").slice(1);
    expect(rows.map((row) => row.split(",")).map(([code, , , , password]) => [code, password])).toEqual([
      ["mine", ""],
      ["open", ""],
    ]);
  });

  test("has hashes for administrators' sessions and tokens with the scope admin only", async () => {
    await load("code,target,password\nmine,https://x.y/1,p\n");
    await api.database.write.updateTable("links").set({ owner_id: 7 }).execute();
    const hashFor = async (role: "admin" | "editor", scopes?: readonly Scope[]) => {
      const token = scopes && { name: "t", scopes };
      const caller = {
        id: 7,
        username: "ada",
        role,
        via: token ? "token" : "panel",
        ...(token && { token }),
      };
      const text = await api.as(caller as Caller, async () => (await ask("/export?columns=all")).text());
      return text.split("\n")[1]!.split(",")[4];
    };
    expect(await hashFor("admin")).toBe("$argon2id$of-p");
    expect(await hashFor("admin", ["links:read", "admin"])).toBe("$argon2id$of-p");
    expect(await hashFor("admin", ["links:read", "links:write"])).toBe("");
    expect(await hashFor("editor", ["links:read", "admin"])).toBe("");
  });

  test.each([
    ["?only_expired=true&only_active=true", 1000],
    ["?created_after=2020-01-01", 1012],
    ["?only_active=maybe", 1000],
  ])("refuses %s", async (query, code) => {
    const response = await ask(`/export${query}`);
    expect([response.status, (await response.json()).code]).toEqual([400, code]);
  });

  test("that can't begin responds with an error", async () => {
    const broken = await mountApi(async (database) => {
      const away = new Proxy({}, { get: () => expect.unreachable("away") }) as Database["read"];
      const gone = createLinkCsv({
        events: createEvents({ database, clock: { now: () => NOW } }),
        database: { ...database, read: away, reports: away },
        changes: { write: () => Promise.reject(new Error("away")) },
        routePrefixes: () => [],
        domains: createDomainRegistry({ list: async () => [] }),
        hashPassword: async () => "",
        clock: { now: () => NOW },
      });
      return csvEndpoints({ csv: gone, now: () => NOW, logger: silentLogger });
    });
    const response = await broken.ask("/links/export").finally(broken.close);
    expect([response.status, (await response.json()).error]).toEqual([500, "InternalServerError"]);
  });
});

describe("import", () => {
  const REPEATED = "code,target\na,https://x.y/1\na,https://x.y/2\n";

  test("returns the result in the envelope", async () => {
    const response = await load("code,target\na,https://x.y\na b,https://x.y\n");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      code: 0,
      message: "OK",
      data: {
        total_rows: 2,
        success_count: 1,
        skipped_count: 0,
        failed_count: 1,
        failed_items: [{ row: 3, code: "a b", error: expect.any(String), error_code: 3007 }],
        unread_count: 0,
        unread_items: [],
        ignored_columns: [],
      },
    });
    expect([lifted, cuts]).toEqual([1, 0]);
  });

  test.each([
    [undefined, [1, 1, 0]],
    ["skip", [1, 1, 0]],
    ["overwrite", [2, 0, 0]],
    [" overwrite", [1, 1, 0]],
    ["OVERWRITE", [1, 1, 0]],
    ["error", [1, 0, 1]],
    ["replace", [1, 1, 0]],
    ["", [1, 1, 0]],
  ])("mode %j", async (mode, counts) => {
    const { data } = await (await load(REPEATED, mode)).json();
    expect([data.success_count, data.skipped_count, data.failed_count]).toEqual(counts);
  });

  test("takes the mode before or after the file, and ignores other fields and names", async () => {
    const first = bodyOf([
      { name: "mode", value: "error" },
      { name: "comment", value: "x" },
      { name: "file", value: REPEATED, filename: "../x.exe" },
    ]);
    expect((await (await send(first)).json()).data.failed_count).toBe(1);
    const plain = bodyOf([{ name: "file", value: REPEATED }]);
    expect((await (await send(plain)).json()).data.skipped_count).toBe(2);
  });

  test.each<[string, number, string, () => Promise<Response>]>([
    ["no file", 4004, "CsvFileMissing", () => send(bodyOf([{ name: "mode", value: "skip" }]))],
    ["an empty file", 4004, "CsvFileMissing", () => load("")],
    [
      "a file in another field",
      4004,
      "CsvFileMissing",
      () => send(bodyOf([{ ...file(REPEATED), name: "csv" }])),
    ],
    ["two files", 4002, "InvalidMultipartData", () => send(bodyOf([file(REPEATED), file(REPEATED)]))],
    ["JSON", 4002, "InvalidMultipartData", () => send(Buffer.from("{}"), "application/json")],
    ["a cut form", 4002, "InvalidMultipartData", () => send(bodyOf([file(REPEATED)]).subarray(0, -10))],
    ["a file without the columns", 4005, "CsvParseError", () => load("a,b\n1,2\n")],
    ["a file of blank lines", 4005, "CsvParseError", () => load("\n\r\n \n")],
    [
      "a UTF-16 file without a mark",
      4005,
      "CsvParseError",
      () => send(bodyOf([file(Buffer.from("code,target", "utf16le"))])),
    ],
    ["a header of 10 MB", 4005, "CsvParseError", () => load("x".repeat(LIMIT))],
    ["a byte more than 10 MB", 1011, "FileTooLarge", () => load("x".repeat(LIMIT + 1))],
  ])("refuses %s", async (_name, code, error, call) => {
    const response = await call();
    const body = await response.json();
    expect([response.status, body.code, body.error]).toEqual([400, code, error]);
    expect(body.data).toBeUndefined();
    expect(await (await ask("/export")).text()).toBe(HEADER);
  });

  test("accepts a file of exactly 10 MB with a row of nearly that length", async () => {
    const text = "code,target\na,https://x.y\nb,";
    const { data } = await (await load(text + "x".repeat(LIMIT - text.length))).json();
    expect([data.success_count, data.failed_items[0].row, data.failed_items[0].error_code]).toEqual([
      1, 3, 4005,
    ]);
  });

  test("ends an endless upload at the limit", async () => {
    let sent = 0;
    const head = Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`,
    );
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(sent === 0 ? head : new Uint8Array(65_536));
        sent += 65_536;
      },
    });
    const headers = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };
    const response = await ask("/import", { method: "POST", headers, body });
    expect((await response.json()).error).toBe("FileTooLarge");
    expect(cuts).toBe(1);
    expect(sent).toBeLessThan(LIMIT + 1_000_000);
  });

  test("lists the first 100,000 failed rows and counts them all", async () => {
    const { data } = await (await load(`code,target\n${"x\n".repeat(100_010)}`)).json();
    expect(data.failed_count).toBe(100_010);
    expect(data.total_rows).toBe(100_010);
    expect(data.failed_items).toHaveLength(100_000);
    expect(data.failed_items.at(-1)).toMatchObject({ row: 100_001, code: "x", error_code: 4005 });
  });

  test("refuses a fifth concurrent import", async () => {
    const waiting = Array.from({ length: 4 }, () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await promise;
          controller.enqueue(bodyOf([file("code,target\n")]));
          controller.close();
        },
      });
      const headers = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };
      return { pending: ask("/import", { method: "POST", headers, body }), resolve };
    });
    const response = await load(REPEATED);
    expect([response.status, (await response.json()).code]).toEqual([503, 1030]);
    for (const { resolve } of waiting) resolve();
    const statuses = await Promise.all(waiting.map(async ({ pending }) => (await pending).status));
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect((await load(REPEATED)).status).toBe(200);
  });
});

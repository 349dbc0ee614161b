import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  type AuthHarness,
  Browser,
  startAuth,
} from "../../auth/auth.test-support.ts";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { type ContentHarness, makeFolder, startContent } from "../content.test-support.ts";
import { bytesOf } from "../storage/driver-contract.test-support.ts";
import { type S3Stub, startS3Stub } from "../storage/s3/stub.test-support.ts";

const PATH = "/admin/policies";
const ACCESS_KEY = "AKIA-very-public";
const SECRET_KEY = "wJalr/very+secret";

const expectRefused = (response: ApiResponse, status: number, code: number) =>
  expect([response.status, response.json.code, response.json.data]).toEqual([status, code, undefined]);

forEachDialect((dialect) => {
  let database: Database;
  let content: ContentHarness;
  let harness: AuthHarness;
  let admin: Browser;
  let stub: S3Stub;
  let n = 0;

  const dataDir = makeFolder();
  const newName = () => `policy ${++n}`;
  const create = (fields: Record<string, unknown> = {}) =>
    admin.send("POST", PATH, { body: { name: newName(), driver_type: "local", ...fields } });
  const created = async (fields: Record<string, unknown> = {}): Promise<number> => {
    const response = await create(fields);
    expect(response.status).toBe(201);
    return Number(response.json.data?.["id"]);
  };
  const s3 = (fields: Record<string, unknown> = {}) => ({
    name: newName(),
    driver_type: "s3",
    endpoint: `http://127.0.0.1:${stub.port}`,
    bucket: "bucket",
    access_key: ACCESS_KEY,
    secret_key: SECRET_KEY,
    ...fields,
  });
  const get = (id: number) => admin.send("GET", `${PATH}/${id}`);
  const patch = (id: number, body: unknown) => admin.send("PATCH", `${PATH}/${id}`, { body });
  const remove = (id: number) => admin.send("DELETE", `${PATH}/${id}`);
  const tryOut = (id: number) => admin.send("POST", `${PATH}/${id}/test`);
  const list = async () => (await admin.send("GET", PATH)).json.data as unknown as Record<string, unknown>[];
  const defaults = async () => (await list()).filter((one) => one["is_default"]).map((one) => one["id"]);

  beforeAll(async () => {
    stub = await startS3Stub();
    database = await dialect.openDb();
    harness = await startAuth(database, {
      more: async (changes) => {
        content = await startContent(database, { dataDir, changes });
        return content.endpoints;
      },
    });
    await harness.auth.resetAdminPassword(ADMIN_PASSWORD, "test");
    admin = new Browser(harness, "192.0.2.200");
  });
  beforeEach(async () => {
    harness.time.now += 60_000;
    await admin.login(ADMIN_PASSWORD);
  });
  afterAll(async () => {
    await content?.close();
    stub?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("the first start creates the default policy 'local' once", async () => {
    await content.policies.ensureDefault();
    expect(await list()).toMatchObject([
      { name: "local", driver_type: "local", base_path: "files", is_default: true, max_file_size: 0 },
    ]);
  });

  describe("creating", () => {
    test("responds with 201 and all fields but the keys, which are stored encrypted", async () => {
      const response = await create(s3({ base_path: "/a/b/", max_file_size: 5, download: "redirect" }));
      expect(response.status).toBe(201);
      expect(response.json.data).toMatchObject({
        driver_type: "s3",
        endpoint: `http://127.0.0.1:${stub.port}`,
        bucket: "bucket",
        region: "us-east-1",
        base_path: "a/b",
        max_file_size: 5,
        download: "redirect",
        is_default: false,
        has_credentials: true,
      });
      const id = Number(response.json.data!["id"]);
      for (const { text } of [
        response,
        await get(id),
        await admin.send("GET", PATH),
        await patch(id, { name: newName() }),
      ]) {
        expect(text).not.toContain(ACCESS_KEY);
        expect(text).not.toContain(SECRET_KEY);
        expect(text).not.toContain('"v1.');
      }
      const rows = JSON.stringify(await database.read.selectFrom("policies").selectAll().execute());
      expect(rows).not.toContain(ACCESS_KEY);
      expect(rows).not.toContain(SECRET_KEY);
      expect((await remove(id)).status).toBe(200);
    });

    test("a local policy needs only a name and accepts null for the rest", async () => {
      const nulls = {
        endpoint: null,
        bucket: null,
        access_key: null,
        secret_key: null,
        region: null,
        base_path: null,
      };
      const id = await created({ ...nulls, max_file_size: null, is_default: null });
      const { json } = await get(id);
      expect(json.data).toMatchObject({ endpoint: null, bucket: null, region: null, has_credentials: false });
      expect(json.data!["base_path"]).toMatch(/^files-[0-9a-f]{8}$/);
      await remove(id);
    });

    test("an endpoint that does not respond yet is accepted", async () => {
      const id = await created(s3({ endpoint: "https://s3.not-yet.invalid" }));
      await remove(id);
    });

    test.each([
      { name: "" },
      { name: "x".repeat(256) },
      { name: "a\nb" },
      { name: 5 },
      { driver_type: "ftp" },
      { driver_type: null },
      { max_file_size: -1 },
      { max_file_size: 1.5 },
      { max_file_size: "5" },
      { max_file_size: 2 ** 53 },
      { is_default: "yes" },
      { download: "maybe" },
      { base_path: "../elsewhere" },
      { base_path: "/" },
      { base_path: "." },
      { base_path: "journal" },
      { base_path: ".restore" },
      { base_path: "./.RESTORE/" },
      { base_path: "waymark.db-journal" },
      { base_path: "secret.key" },
      { base_path: "/srv/elsewhere" },
      { base_path: "a\u0000b" },
      { base_path: "/proc/self" },
    ])("%j is 400", async (fields) => {
      const before = await list();
      expectRefused(await create(fields), 400, 1000);
      expect(await list()).toEqual(before);
    });

    test.each([
      { endpoint: undefined },
      { endpoint: "" },
      { bucket: null },
      { bucket: "a/b" },
      { bucket: ".." },
      { access_key: "" },
      { secret_key: undefined },
      { secret_key: "[REDACTED]" },
      { region: "a b" },
      { base_path: "a/../b" },
      { base_path: "a//b" },
      { endpoint: "http://169.254.169.254" },
      { endpoint: "http://2852039166/" },
      { endpoint: "http://[::ffff:a9fe:a9fe]:80" },
      { endpoint: "file:///etc" },
      { endpoint: "http://user:pass@127.0.0.1" },
    ])("s3 with %j is 400", async (fields) => {
      expectRefused(await create(s3(fields)), 400, 1000);
    });

    test("a name is unique, case-sensitively", async () => {
      const name = newName();
      const id = await created({ name });
      expectRefused(await create({ name }), 409, 1009);
      const other = await created({ name: name.toUpperCase() });
      expectRefused(await patch(other, { name }), 409, 1009);
      for (const one of [id, other]) await remove(one);
    });
  });

  describe("the default", () => {
    test("moves between policies by create and PATCH, and always exists", async () => {
      const [first] = await defaults();
      const id = await created({ is_default: true });
      expect(await defaults()).toEqual([id]);
      expectRefused(await patch(id, { is_default: false }), 400, 1000);
      expectRefused(await remove(id), 409, 7012);
      expect((await patch(Number(first), { is_default: true })).status).toBe(200);
      expect(await defaults()).toEqual([first!]);
      expect((await remove(id)).status).toBe(200);
    });

    test("is exactly one, even under concurrent changes", async () => {
      const [first] = await defaults();
      const ids = await Promise.all(Array.from({ length: 6 }, () => created()));
      const responses = await Promise.all([
        ...ids.map((id) => patch(id, { is_default: true })),
        ...Array.from({ length: 6 }, () => create({ is_default: true })),
        ...ids.slice(3).map(remove),
      ]);
      expect(responses.every(({ status }) => [200, 201, 404, 409].includes(status))).toBe(true);
      expect((await defaults()).length).toBe(1);
      await patch(Number(first), { is_default: true });
      for (const { id } of (await list()) as { id: number }[]) if (id !== first) await remove(id);
      expect((await list()).length).toBe(1);
    });
  });

  describe("changing", () => {
    test("accepts name, limit, download mode, region and keys, and keeps the rest", async () => {
      const id = await created(s3());
      const before = (await get(id)).json.data!;
      harness.time.now += 5_000;
      const change = {
        name: newName(),
        max_file_size: 7,
        download: "redirect",
        region: "eu-1",
        secret_key: "other",
      };
      const { json } = await patch(id, change);
      const { secret_key: _, ...shown } = change;
      expect(json.data).toMatchObject({ ...before, ...shown, updated_at: json.data!["updated_at"] });
      expect((await get(id)).json.data).toEqual(json.data!);
      expect((await patch(id, {})).status).toBe(200);
      await remove(id);
    });

    test("does not move content: the fields of its location stay", async () => {
      const id = await created(s3());
      const view = (await get(id)).json.data!;
      const same = { driver_type: "s3", endpoint: view["endpoint"], bucket: "bucket", base_path: "" };
      expect((await patch(id, same)).status).toBe(200);
      for (const other of [
        { driver_type: "local" },
        { endpoint: "http://127.0.0.1:9" },
        { bucket: "b" },
        { base_path: "x" },
      ]) {
        expectRefused(await patch(id, other), 400, 1000);
      }
      for (const wrong of [
        { access_key: "" },
        { secret_key: "[REDACTED]" },
        { name: "" },
        { max_file_size: -1 },
      ]) {
        expectRefused(await patch(id, wrong), 400, 1000);
      }
      await remove(id);
      const local = await created();
      expectRefused(await patch(local, { access_key: "x" }), 400, 1000);
      await remove(local);
    });
  });

  test("a policy in use is not deleted, and the error names its users", async () => {
    const id = await created();
    const file = await content.files.add(bytesOf(10), id);
    const refused = await remove(id);
    expectRefused(refused, 409, 7012);
    expect(refused.json.message).toContain("the content of files (1 stored)");
    await content.files.remove(file);
    const folder = await database.dialect.insertReturningId(
      database.write,
      "entries",
      folderRow("Invoices", id),
    );
    const again = await remove(id);
    expectRefused(again, 409, 7012);
    expect(again.json.message).toContain(`'Invoices' (${folder})`);
    await database.write.deleteFrom("entries").where("id", "=", folder).execute();
    expect((await remove(id)).status).toBe(200);
    expectRefused(await remove(id), 404, 7002);
  });

  test("a policy whose files are deleted, but not their objects, is deleted with them", async () => {
    const id = await created({ base_path: "left-overs" });
    const file = await content.files.add(bytesOf(11), id);
    const blob = await content.files.blobOf(file);
    await database.transaction(async (tx) => {
      await tx.deleteFrom("entries").where("id", "=", file).execute();
      await content.blobs.release(tx, [blob]);
    });
    expect((await remove(id)).status).toBe(200);
    expect(content.storedIn("left-overs")).toEqual([]);
  });

  test.each(["0", "-1", "x", "1.5", "99999999999999999999", "9007199254740993", "999999"])(
    "there is no policy %s",
    async (id) => {
      for (const method of ["GET", "PATCH", "DELETE"]) {
        expectRefused(await admin.send(method, `${PATH}/${id}`, { body: {} }), 404, 7002);
      }
      expectRefused(await admin.send("POST", `${PATH}/${id}/test`), 404, 7002);
    },
  );

  describe("testing a policy", () => {
    test("writes, reads and removes an object", async () => {
      const local = await created({ base_path: "tried" });
      expect((await tryOut(local)).status).toBe(200);
      expect(content.storedIn("tried")).toEqual([]);
      stub.behave();
      const remote = await created(s3());
      expect((await tryOut(remote)).status).toBe(200);
      expect([...stub.objects.keys()].map((key) => key.slice(0, 9))).toEqual([".waymark-"]);
      expect(stub.requests.map(({ method }) => method)).toContain("PUT");
      for (const id of [local, remote]) await remove(id);
    });

    test("reports an error in one sentence: 502, without keys", async () => {
      stub.behave();
      const remote = await created(s3());
      stub.misbehave({ status: 403, body: "<Error><Code>AccessDenied</Code></Error>" }, () => true);
      const refused = await tryOut(remote);
      expectRefused(refused, 502, 7030);
      expect(refused.json.message).toMatch(
        /^The S3 endpoint refuses the policy's keys .+ \(AccessDenied\)\.$/,
      );
      expect(refused.text).not.toContain(SECRET_KEY);
      writeFileSync(join(dataDir, "a-file"), "");
      const blocked = await created({ base_path: "a-file" });
      expectRefused(await tryOut(blocked), 502, 7030);
      symlinkSync(join(dataDir, "journal"), join(dataDir, "link-to-journal"));
      expectRefused(await create({ base_path: "link-to-journal/x" }), 400, 1000);
      const linked = await created({ base_path: "later/x" });
      symlinkSync(join(dataDir, "journal"), join(dataDir, "later"));
      expectRefused(await tryOut(linked), 400, 1000);
      expect(existsSync(join(dataDir, "journal"))).toBe(false);
      for (const id of [remote, blocked, linked]) await remove(id);
    });
  });

  test("keys encrypted with another secret key are refused, not 500", async () => {
    const id = await created(s3());
    const broken = { access_key: "v1.00000000.AAAA", secret_key: "nonsense" };
    await database.write.updateTable("policies").set(broken).where("id", "=", id).execute();
    await content.changes.write(async (tx) => tx.changed("policies", [String(id)]));
    expectRefused(await tryOut(id), 502, 7030);
    expect((await patch(id, { access_key: ACCESS_KEY, secret_key: SECRET_KEY })).status).toBe(200);
    stub.behave();
    expect((await tryOut(id)).status).toBe(200);
    await remove(id);
  });

  test("only administrators have access", async () => {
    const password = "a password of eight and more";
    await admin.send("POST", "/admin/v1/users", { body: { username: "someone", password } });
    const user = new Browser(harness, "198.51.100.7");
    await user.login(password, "someone");
    const nobody = new Browser(harness, "198.51.100.8");
    for (const [method, path] of [
      ["GET", PATH],
      ["POST", PATH],
      ["GET", `${PATH}/1`],
      ["PATCH", `${PATH}/1`],
      ["DELETE", `${PATH}/1`],
      ["POST", `${PATH}/1/test`],
    ] as const) {
      expectRefused(await user.send(method, path, { body: {} }), 403, 1003);
      expectRefused(await nobody.send(method, path, { body: {} }), 401, 1001);
    }
  });
});

const folderRow = (name: string, policyId: number) => ({
  account_id: 1,
  parent_id: 0,
  kind: "folder",
  name,
  policy_id: policyId,
  blob_id: null,
  mime_type: null,
  sha256: null,
  size: 0,
  created_at: 0,
  updated_at: 0,
});

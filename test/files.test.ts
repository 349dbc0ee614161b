/** Folders and files with the real program: answers, refusals, and what is left behind. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { driveClient, type DriveClient, fileHead, FORM_TYPE, formOf } from "./support/drive.ts";
import { sendRaw } from "./support/raw-http.ts";
import { type Client, type Envelope, PASSWORD, signIn, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let me: DriveClient;
let other: DriveClient;

beforeAll(async () => {
  ({ installation, server, client: admin } = await startSignedIn());
  me = driveClient(server.url, admin.token);
  await admin.call("POST", "/users", { username: "other", password: PASSWORD });
  other = driveClient(server.url, (await signIn(server.url, PASSWORD, "other")).token);
});
afterAll(() => installation.remove());

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const SHA256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/** Everything in the storage except its marker. */
const stored = (): string[] =>
  readdirSync(join(installation.dataDir, "files"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^\.waymark-[0-9a-f-]{36}$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

describe("folders and files", () => {
  test("are created, listed, changed and deleted", async () => {
    const a = await me.call("POST", "/folders", { name: "a", parent_id: null });
    expect(a.status).toBe(201);
    const folder = {
      id: a.body.data.id,
      name: "a",
      parent_id: null,
      policy_id: null,
      is_linked: false,
      owner: "admin",
    };
    expect(a.body).toEqual({
      code: 0,
      message: "OK",
      data: { ...folder, created_at: TIME, updated_at: TIME },
    });
    const { id: inner } = (await me.call("POST", "/folders", { name: "b", parent_id: folder.id })).body.data;

    const uploaded = await me.upload("h\u00e9.txt", "hello", { folder: String(inner) });
    expect(uploaded.status).toBe(201);
    const file = uploaded.body.data;
    expect(file).toEqual({
      id: expect.any(Number),
      name: "h\u00e9.txt",
      folder_id: inner,
      size: 5,
      mime_type: "text/plain",
      sha256: SHA256,
      is_linked: false,
      owner: "admin",
      modified_at: TIME,
      created_at: TIME,
      updated_at: TIME,
    });
    expect((await me.call("GET", `/files/${file.id}`)).body.data).toEqual(file);

    expect((await me.call("GET", "/folders")).body.data).toEqual({
      owner: "admin",
      path: [],
      folders: [a.body.data],
      files: [],
    });
    const contents = (await me.call("GET", `/folders/${inner}`)).body.data;
    expect(contents).toEqual({
      owner: "admin",
      folder: expect.objectContaining({ id: inner, parent_id: folder.id }),
      path: [
        { id: folder.id, name: "a" },
        { id: inner, name: "b" },
      ],
      folders: [],
      files: [file],
    });

    const moved = await me.call("PATCH", `/files/${file.id}`, { folder_id: null });
    expect([moved.status, moved.body.data.folder_id, moved.body.data.name]).toEqual([
      200,
      null,
      "h\u00e9.txt",
    ]);
    const renamed = await me.call("PATCH", `/files/${file.id}`, { name: "x", folder_id: inner });
    expect([renamed.body.data.folder_id, renamed.body.data.name]).toEqual([inner, "x"]);
    const out = await me.call("PATCH", `/folders/${inner}`, { parent_id: null, name: "B" });
    expect([out.status, out.body.data.parent_id, out.body.data.name]).toEqual([200, null, "B"]);
    expect(await me.refusal("PATCH", `/folders/${inner}`, { parent_id: inner })).toEqual([409, 7011]);
    expect(await me.refusal("PATCH", `/folders/${inner}`, { name: "a" })).toEqual([409, 7010]);

    expect((await me.call("GET", "/files/usage")).body.data).toEqual({ used_bytes: 5, quota_bytes: 0 });
    expect((await me.call("DELETE", `/folders/${inner}`)).status).toBe(200);
    expect(await me.refusal("GET", `/files/${file.id}`)).toEqual([404, 7000]);
    expect((await me.call("DELETE", `/folders/${folder.id}`)).status).toBe(200);
    expect(stored()).toEqual([]);
  });

  test("keeps the time of the content that a form or PATCH sends", async () => {
    const send = async (name: string, time: string) => {
      const form = new FormData();
      form.append("modified_at", time);
      form.append("file", new File(["x"], name), name);
      return me.send("/files/upload", { method: "POST", body: form });
    };
    const timeOf = (answer: { body: Envelope }) => answer.body.data.modified_at;
    const { data } = (await (await send("timed", "981173106")).json()) as Envelope;
    expect(data.modified_at).toBe("2001-02-03T04:05:06.000Z");
    const refused = await send("other", "yesterday");
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("modified_at must be a time"),
    ]);
    const path = `/files/${data.id}`;
    const changed = await me.call("PATCH", path, { modified_at: "1999-12-31T23:59:59+01:00" });
    expect(timeOf(changed)).toBe("1999-12-31T22:59:59.000Z");
    expect(timeOf(await me.call("PATCH", path, { name: "renamed" }))).toBe("1999-12-31T22:59:59.000Z");
    expect((await me.call("PATCH", path, { modified_at: "soon", name: "no" })).status).toBe(400);
    expect((await me.call("GET", path)).body.data).toMatchObject({
      name: "renamed",
      modified_at: "1999-12-31T22:59:59.000Z",
    });
    const { files } = (await me.call("GET", "/folders")).body.data;
    expect(files.map(({ name }: { name: string }) => name)).not.toContain("other");
    expect((await me.call("DELETE", path)).status).toBe(200);
  });

  test.each([
    ["/files/upload", "POST, OPTIONS", ["GET", "PATCH", "DELETE", "PUT"]],
    ["/files/usage", "GET, HEAD, OPTIONS", ["POST", "PATCH", "DELETE"]],
    ["/files/tus", "POST, OPTIONS", ["GET", "PATCH", "DELETE"]],
    ["/files/1", "GET, HEAD, PATCH, DELETE, OPTIONS", ["POST", "PUT"]],
  ])("%s allows %s", async (path, allow, refused) => {
    for (const method of refused) {
      const answer = await me.send(path, { method });
      expect([method, answer.status, answer.headers.get("Allow")]).toEqual([method, 405, allow]);
      expect(await answer.json()).toMatchObject({ code: 1006, error: "MethodNotAllowed" });
    }
  });

  test("are listed in pages on request", async () => {
    const box = await me.folder("box");
    for (const name of ["d2", "d1"]) await me.folder(name, box);
    for (const name of ["b", "a", "c"]) await me.upload(name, name, { folder: String(box) });
    const names: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "?limit=2" : `?limit=2&cursor=${cursor}`;
      const { data } = (await me.call("GET", `/folders/${box}${query}`)).body;
      names.push([...data.folders, ...data.files].map((one: { name: string }) => one.name).join());
      cursor = data.next_cursor;
    }
    expect(names).toEqual(["d1,d2", "a,b", "c"]);
    for (const query of ["?cursor=x", "?limit=x", "?limit=-1", "?cursor=W10"])
      expect(await me.refusal("GET", `/folders/${box}${query}`)).toEqual([400, 1000]);
    await me.call("DELETE", `/folders/${box}`);
  });

  test("with invalid bodies are refused", async () => {
    for (const body of [{}, { name: 1 }, { name: "x", parent_id: "1" }, { name: "x", parent_id: 1.5 }, []])
      expect(await me.refusal("POST", "/folders", body)).toEqual([400, 1000]);
    for (const parent of [0, -1, 4_711, 2 ** 53, 1e300])
      expect(await me.refusal("POST", "/folders", { name: "x", parent_id: parent })).toEqual([404, 7001]);
    expect(await me.refusal("POST", "/folders", { name: "../x" })).toEqual([400, 7020]);
    const id = await me.folder("x");
    for (const body of [{ name: null }, { parent_id: "1" }, { policy_id: "1" }, { policy_id: true }])
      expect(await me.refusal("PATCH", `/folders/${id}`, body)).toEqual([400, 1000]);
    expect(await me.refusal("PATCH", `/folders/${id}`, { policy_id: 4_711 })).toEqual([404, 7002]);
    expect((await me.call("DELETE", `/folders/${id}`)).status).toBe(200);
  });
});

describe("access", () => {
  const routes = (folder: string | number, file: string | number): [string, string, unknown?][] => [
    ["GET", `/folders/${folder}`],
    ["PATCH", `/folders/${folder}`, { name: "stolen" }],
    ["DELETE", `/folders/${folder}`],
    ["POST", "/folders", { name: "x", parent_id: folder }],
    ["POST", `/files/upload?folder_id=${folder}`, {}],
    ["GET", `/files/${file}`],
    ["GET", `/files/${file}/download`],
    ["PATCH", `/files/${file}`, { name: "stolen" }],
    ["DELETE", `/files/${file}`],
  ];

  test("needs a login", async () => {
    const nobody = driveClient(server.url, "none");
    for (const [method, path, body] of [
      ...routes(1, 1),
      ["GET", "/folders"],
      ["GET", "/files/usage"],
    ] as const)
      expect([path, ...(await nobody.refusal(method, path, body))]).toEqual([path, 401, 1001]);
  });

  test("of another account's entries is refused, in paths and bodies", async () => {
    const folder = await me.folder("mine");
    const { id: file } = (await me.upload("mine.txt", "secret")).body.data;
    for (const [method, path, body] of routes(folder, file)) {
      const [status, code] = await other.refusal(method, path, body);
      expect([path, status, code]).toEqual([
        path,
        404,
        path.includes("/files/") && !path.includes("upload") ? 7000 : 7001,
      ]);
    }
    const theirs = await other.folder("theirs");
    const { id: theirFile } = (await other.upload("theirs.txt", "x")).body.data;
    expect(await other.refusal("PATCH", `/folders/${theirs}`, { parent_id: folder })).toEqual([404, 7001]);
    expect(await other.refusal("PATCH", `/files/${theirFile}`, { folder_id: folder })).toEqual([404, 7001]);
    expect(
      (await other.call("GET", "/folders")).body.data.folders.map((one: { id: number }) => one.id),
    ).toEqual([theirs]);
    expect(await (await me.send(`/files/${file}/download`)).text()).toBe("secret");
  });

  test("by an invalid id is refused", async () => {
    for (const id of [
      "0",
      "-1",
      "abc",
      "1.0",
      "01",
      "9007199254740992",
      "9".repeat(30),
      "%00",
      "1%2F2",
      "1e3",
    ]) {
      expect([id, ...(await me.refusal("GET", `/folders/${id}`))]).toEqual([id, 404, 7001]);
      expect([id, ...(await me.refusal("DELETE", `/files/${id}`))]).toEqual([id, 404, 7000]);
      expect([id, ...(await me.refusal("GET", `/files/${id}/download`))]).toEqual([id, 404, 7000]);
    }
    for (const id of ["0", "-1", "9007199254740992", "9".repeat(30)])
      expect((await me.upload("x", "x", { folder: id })).body.code).toBe(7001);
    for (const id of ["abc", "1.5", "+", "9".repeat(31)])
      expect((await me.upload("x", "x", { folder: id })).body.code).toBe(1000);
  });

  test("by cookie changes nothing without the CSRF token", async () => {
    const login = await fetch(`${server.url}/admin/v1/auth/login`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ password: PASSWORD }),
    });
    const cookies = login.headers.getSetCookie().map((line) => line.split(";")[0]!);
    const csrf = cookies.find((cookie) => cookie.startsWith("csrf_token="))!.slice("csrf_token=".length);
    const send = (method: string, path: string, headers: Record<string, string>, body?: string) =>
      fetch(server.url + path, {
        method,
        headers: { Cookie: cookies.join("; "), ...headers },
        ...(body && { body }),
      });
    expect((await send("GET", "/folders", {})).status).toBe(200);
    for (const [method, path] of routes(1, 1).filter(([name]) => name !== "GET")) {
      const refused = await send(method, path, {}, "{}");
      expect([method, path, refused.status, (await refused.json()).code]).toEqual([method, path, 403, 2003]);
    }
    const made = await send("POST", "/folders", { "X-CSRF-Token": csrf }, '{"name":"by cookie"}');
    expect(made.status).toBe(201);
  });
});

describe("an upload", () => {
  const post = async (body: Buffer<ArrayBuffer>, type = FORM_TYPE): Promise<[number, number]> => {
    const answer = await me.send("/files/upload", {
      method: "POST",
      body,
      headers: { "Content-Type": type },
    });
    return [answer.status, (await answer.json()).code];
  };

  test.each([
    ["..", 7020],
    [".", 7020],
    ["", 7020],
    ["../../etc/passwd", 7020],
    ["a/b", 7020],
    ["C:\\\\x", 7020],
    ["nul\0byte", 7020],
    ["line%0D%0Abreak", 7020],
    [" blank", 7020],
    ["x".repeat(256), 7020],
    ["\u00e9".repeat(128), 7020],
    ["%2e%2e", 0],
    ["..%2f..%2fpasswd", 0],
    ['q\\"uote.txt', 0],
    ["\u202egpj.exe", 7020],
    ["\u200b", 7020],
    ["\u00e9".repeat(127), 0],
    ["a;b=c", 0],
  ])("named %j is refused or harmless", async (name, code) => {
    const before = stored().length;
    const form = formOf([fileHead(name), `content of ${name}`]) as Buffer<ArrayBuffer>;
    expect(await post(form)).toEqual([code === 0 ? 201 : 400, code]);
    if (code !== 0) return expect(stored().length).toBe(before);
    const { files } = (await me.call("GET", "/folders")).body.data;
    const expected = name.replace('\\"', '"');
    const file = files.find((one: { name: string }) => one.name === expected);
    const disposition = (await me.send(`/files/${file.id}/download`)).headers.get("Content-Disposition")!;
    expect(decodeURIComponent(disposition.split("filename*=UTF-8''")[1]!)).toBe(expected);
    expect(disposition).toMatch(
      /^attachment; filename="[ -!#-[\]-~]+"; filename\*=UTF-8''[\w!#$&+.^`|~%-]+$/,
    );
  });

  test("accepts the first file of a form and no second", async () => {
    const before = stored().length;
    const field: [string, string] = ['Content-Disposition: form-data; name="note"', "hi"];
    expect(await post(formOf(field, [fileHead("one"), "1"], field) as Buffer<ArrayBuffer>)).toEqual([201, 0]);
    const two = formOf([fileHead("two"), "2"], [fileHead("three"), "3"]) as Buffer<ArrayBuffer>;
    expect(await post(two)).toEqual([400, 4002]);
    expect(await post(formOf(field) as Buffer<ArrayBuffer>)).toEqual([400, 4002]);
    expect(await post(Buffer.from("{}"), "application/json")).toEqual([400, 4002]);
    expect(await post(two.subarray(0, 150) as Buffer<ArrayBuffer>)).toEqual([400, 4002]);
    expect(stored().length).toBe(before + 1);
    expect((await me.upload("one", "again")).body.code).toBe(7010);
  });

  test("may be empty, and gets its type from its name when it has none", async () => {
    expect((await me.upload("empty.bin", "")).body.data).toMatchObject({
      size: 0,
      mime_type: "application/octet-stream",
    });
    expect(await post(formOf([fileHead("untyped.pdf", ""), "x"]) as Buffer<ArrayBuffer>)).toEqual([201, 0]);
    const { files } = (await me.call("GET", "/folders")).body.data;
    expect(files.find((one: { name: string }) => one.name === "untyped.pdf").mime_type).toBe(
      "application/pdf",
    );
  });

  test("that is too large is refused, at once or during transfer, and leaves nothing", async () => {
    const policy = { name: "small", driver_type: "local", base_path: "files", max_file_size: 100_000 };
    const made = await me.send("/admin/policies", { method: "POST", body: JSON.stringify(policy) });
    const { id: policyId } = (await made.json()).data;
    const folder = await me.folder("small");
    await me.call("PATCH", `/folders/${folder}`, { policy_id: policyId });
    const before = stored().length;
    const at = { folder: String(folder) };
    expect((await me.upload("x", "x".repeat(100_001), at)).body).toMatchObject({
      code: 7021,
      error: "FileTooLargeForPolicy",
    });
    expect((await me.upload("x", "x".repeat(5_000_000), at)).status).toBe(413);
    let sent = 0;
    const head = formOf([fileHead("x"), ""]).subarray(0, 120);
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(sent === 0 ? new Uint8Array(head) : new Uint8Array(50_000));
        sent += 50_000;
        if (sent > 50_000_000) controller.close();
      },
    });
    const chunked = await me.send(`/files/upload?folder_id=${folder}`, {
      method: "POST",
      body: endless,
      headers: { "Content-Type": FORM_TYPE },
    });
    expect([chunked.status, (await chunked.json()).code]).toEqual([413, 7021]);
    expect((await me.upload("x", "x".repeat(100_000), at)).status).toBe(201);
    expect(stored().length).toBe(before + 1);
  });

  test("whose client disconnects leaves nothing", async () => {
    const before = stored().length;
    const head = `POST /files/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${me.token}\r\nContent-Type: ${FORM_TYPE}\r\n`;
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write(`${head}Content-Length: 9000000\r\n\r\n`);
    socket.write(formOf([fileHead("gone"), "x".repeat(2_000_000)]).subarray(0, 1_500_000));
    await until(() => stored().length === before + 1);
    socket.destroy();
    await until(() => stored().length === before);
    const names = (await me.call("GET", "/folders")).body.data.files.map((one: { name: string }) => one.name);
    expect(names).not.toContain("gone");
  });

  test("with a malformed Content-Length is refused", async () => {
    const before = stored().length;
    const form = formOf([fileHead("liar"), "content"]).toString();
    const send = (length: string) =>
      sendRaw(
        server.url,
        `POST /files/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${me.token}\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: ${length}\r\n\r\n${form}`,
        { end: true },
      );
    for (const length of ["-1", "-99999999999", "abc", "0x10", "1, 2", "99999999999999999999999"])
      expect([length, (await send(length)).status]).toEqual([length, 400]);
    expect((await send(String(form.length - 5))).status).toBe(400);
    expect([0, 400]).toContain((await send(String(form.length + 5))).status);
    await until(() => stored().length === before);
  });

  test("of one name by many requests at once succeeds once", async () => {
    // What an earlier test's client left half-way may still be on its way out.
    const before = new Set(stored());
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => me.upload("race", `content ${i}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 99 }, () => 409),
    ]);
    await until(() => stored().filter((path) => !before.has(path)).length === 1);
  });
});

/** Shares of a running server with two workers: listed, changed and ended by their codes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { type Client, signIn, whenAllowed } from "./support/session.ts";
import { resetSettings, startSharedWorkers } from "./support/shared-server.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const PASSWORD = "a long password";
const TARGET = "https://example.com/";
/** More than the buffers of a connection hold. */
const LARGE = new Uint8Array(40 * 1024 * 1024).fill(120);
const LIMITS = { max_bytes: 1_000, max_files: 3 };
/** New connections reach both workers. */
const VISITS = 12;

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let me: DriveClient;
let editor: DriveClient;
let user: DriveClient;
let tokenOf: (name: string, scopes: readonly string[]) => Promise<DriveClient>;

beforeAll(async () => {
  ({ installation, server, client: admin } = await startSharedWorkers("share-changes"));
  await admin.call("PUT", "/config/click.flush_interval", { value: "1" });
  me = driveClient(server.url, admin.token);
  const clients: Client[] = [];
  for (const role of ["editor", "user"] as const) {
    await admin.call("POST", "/users", { username: `changes.${role}`, password: PASSWORD, role });
    clients.push(await signIn(server.url, PASSWORD, `changes.${role}`));
  }
  [editor, user] = clients.map(({ token }) => driveClient(server.url, token)) as [DriveClient, DriveClient];
  tokenOf = async (name, scopes) => {
    const { body } = await clients[0]!.call("POST", "/tokens", { name, scopes });
    return driveClient(server.url, body.data.token);
  };
});
afterAll(() => resetSettings(admin, ["click.flush_interval"]));

const visit = (code: string, init: RequestInit = {}) =>
  fetch(`${server.url}/${code}`, {
    redirect: "manual",
    ...init,
    headers: { "User-Agent": "curl/8.5.0", Connection: "close", ...init.headers },
  });
/** What each of many visits gets. */
const visits = async (code: string): Promise<(string | null)[]> =>
  Promise.all(
    Array.from({ length: VISITS }, async () => {
      const answer = await visit(code);
      const text = await answer.text();
      return answer.headers.get("location") ?? (answer.status === 200 ? text : String(answer.status));
    }),
  );
const same = (text: string) => Array.from({ length: VISITS }, () => text);
const upload = async (client: DriveClient, name: string, content: string | Uint8Array<ArrayBuffer> = name) =>
  (await client.upload(name, content, { type: "text/plain" })).body.data.id as number;
const share = async (client: DriveClient, id: number, input: object = {}) =>
  (await client.call("POST", `/files/${id}/share`, input)).body.data as { code: string };

describe("GET /shares", () => {
  test("lists own shares with what one needs to manage them, in pages or by cursor", async () => {
    const id = await upload(editor, "list.txt");
    const folder = await editor.folder("listed");
    const { code } = await share(editor, id, { title: "Minutes", max_downloads: 4, password: PASSWORD });
    const second = (await editor.call("POST", `/folders/${folder}/share`, { expires_at: "1d" })).body.data;
    await share(user, await upload(user, "users.txt"));
    const { status, body } = await editor.call("GET", "/shares?page_size=1&page=2");
    expect([status, body.pagination]).toEqual([200, { page: 2, page_size: 1, total: 2, total_pages: 2 }]);
    expect(body.data).toEqual([
      expect.objectContaining({
        code,
        kind: "file",
        entry: { id, name: "list.txt" },
        file_id: id,
        folder_id: null,
        title: "Minutes",
        password: "[REDACTED]",
        max_downloads: 4,
        downloads: 0,
        click_count: 0,
        human_clicks: 0,
        drop: null,
        in_trash: false,
        short_url: `${server.url}/${code}`,
        url: `${server.url}/${code}`,
      }),
    ]);
    expect(body.data[0]).not.toHaveProperty("owner");
    const first = (await editor.call("GET", "/shares?cursor=&page_size=1")).body as unknown as {
      data: { code: string }[];
      next_cursor: string | null;
    };
    expect(first.data.map((one) => one.code)).toEqual([second.code]);
    const last = (await editor.call("GET", `/shares?cursor=${first.next_cursor}`)).body;
    expect(last).toMatchObject({ data: [{ code }], next_cursor: null });
    for (const query of ["cursor=%21", "cursor=W10", "cursor=&page=2", "page=x", "all=1"]) {
      expect([query, (await editor.call("GET", `/shares?${query}`)).status]).toEqual([query, 400]);
    }
  });

  test("of all accounts is for administrators", async () => {
    for (const client of [editor, user]) {
      expect(await client.refusal("GET", "/shares?all=true")).toEqual([403, 1003]);
    }
    const { data } = (await me.call("GET", "/shares?all=true&page_size=100")).body;
    const owners = data.map((one: { owner: { username: string } }) => one.owner.username);
    expect(owners.filter((name: string) => name.startsWith("changes."))).toEqual([
      "changes.user",
      "changes.editor",
      "changes.editor",
    ]);
    expect((await me.call("GET", "/shares")).body.data).toEqual([]);
  });
});

describe("PATCH and DELETE /shares/{code}", () => {
  test("change and end own shares at once, on every worker", async () => {
    const id = await upload(user, "changed.txt", "content");
    const { code } = await share(user, id);
    expect(await visits(code)).toEqual(same("content"));
    const path = `/shares/${code}`;
    const counted = async () => (await user.call("GET", "/shares?page_size=1")).body.data[0].downloads;
    await until(async () => (await counted()) === VISITS);
    await user.call("PATCH", path, { expires_at: "2020-01-01T00:00:00Z" });
    expect(await visits(code)).toEqual(same("404"));
    const { body } = await user.call("PATCH", path, { expires_at: null, password: PASSWORD });
    expect(body.data).toMatchObject({ code, expires_at: null, password: "[REDACTED]", file_id: id });
    expect(await visits(code)).toEqual(same("401"));
    await user.call("PATCH", path, { password: null, max_downloads: VISITS });
    expect(await visits(code)).toEqual(same("410"));
    await user.call("PATCH", path, { expires_at: "", max_downloads: null });
    expect(await visits(code)).toEqual(same("content"));
    expect((await user.call("GET", path)).body.data).toMatchObject({ code, file_id: id, kind: "file" });
    for (const client of [me, editor]) {
      expect(await client.refusal("GET", path)).toEqual([404, 3000]);
      expect(await client.refusal("PATCH", path, { title: "x" })).toEqual([404, 3000]);
      expect(await client.refusal("DELETE", path)).toEqual([404, 3000]);
    }
    expect((await user.call("DELETE", path)).status).toBe(200);
    expect(await visits(code)).toEqual(same("404"));
    expect(await user.refusal("DELETE", path)).toEqual([404, 3000]);
  });

  test("refuse hostile bodies, and leave the share as it is", async () => {
    const id = await upload(editor, "kept.txt", "kept");
    const folder = await editor.folder("box");
    const trashed = await upload(editor, "trashed.txt");
    await editor.call("POST", `/files/${trashed}/trash`);
    const foreign = await upload(user, "foreign.txt");
    const { code } = await share(editor, id, { title: "Kept" });
    const before = (await editor.call("GET", "/shares?page_size=1")).body.data[0];
    const bodies: [object, number, number][] = [
      [{ file_id: id, folder_id: folder }, 400, 1000],
      [{ target: TARGET, file_id: id }, 400, 1000],
      [{ target: TARGET, drop: { folder_id: folder, ...LIMITS } }, 400, 1000],
      [{ file_id: foreign }, 404, 7000],
      [{ file_id: folder }, 404, 7000],
      [{ folder_id: id }, 404, 7001],
      [{ file_id: trashed }, 404, 7000],
      [{ file_id: 999_999_999 }, 404, 7000],
      [{ file_id: 2 ** 53 }, 400, 1000],
      [{ file_id: 0 }, 400, 1000],
      [{ file_id: "1" }, 400, 1000],
      [{ file_id: null }, 400, 1000],
      [{ file_id: [id] }, 400, 1000],
      [{ folder_id: 1.5 }, 400, 1000],
      [{ drop: { folder_id: id, ...LIMITS } }, 404, 7001],
      [{ drop: { folder_id: folder } }, 400, 1000],
      [{ drop: { folder_id: folder, max_bytes: 0, max_files: 1 } }, 400, 1000],
      [{ drop: { folder_id: folder, ...LIMITS, max_file_size: -1 } }, 400, 1000],
      [{ drop: { folder_id: folder, ...LIMITS }, max_downloads: 3 }, 400, 1000],
      [{ target: "waymark:file/1" }, 400, 3002],
      [{ target: "javascript:alert(1)" }, 400, 3002],
      [{ target: TARGET, max_downloads: 1 }, 400, 1000],
      [{ max_downloads: 0 }, 400, 1000],
      [{ max_downloads: 2 ** 53 }, 400, 1000],
      [{ password: "short" }, 400, 1000],
      [{ password: "[REDACTED]" }, 400, 1000],
      [{ title: "x".repeat(201) }, 400, 1000],
      [{ expires_at: "soon" }, 400, 3003],
    ];
    for (const [body, status, error] of bodies) {
      const refused = await editor.refusal("PATCH", `/shares/${code}`, body);
      expect([body, ...refused]).toEqual([body, status, error]);
    }
    expect((await editor.call("GET", "/shares?page_size=1")).body.data[0]).toEqual(before);
    expect(await (await visit(code)).text()).toBe("kept");
  });

  test("make links to URLs for editors only, and for tokens that may write links", async () => {
    const mine = await share(user, await upload(user, "mine.txt"));
    expect(await user.refusal("PATCH", `/shares/${mine.code}`, { target: TARGET })).toEqual([403, 1003]);
    const { code } = await share(editor, await upload(editor, "by-token.txt"));
    const files = await tokenOf("files", ["files:read", "files:write"]);
    expect(await files.refusal("PATCH", `/shares/${code}`, { target: TARGET })).toEqual([403, 1003]);
    expect((await files.call("PATCH", `/shares/${code}`, { title: "by a token" })).status).toBe(200);
    const links = await tokenOf("links", ["links:read", "links:write"]);
    for (const client of [links, me]) {
      const path = `/admin/v1/links/${code}`;
      for (const change of [{ password: null }, { expires_at: "" }, { code: "opened" }, { target: TARGET }])
        expect(await client.refusal("PATCH", path, change)).toEqual([403, 1003]);
      expect(await client.refusal("DELETE", path)).toEqual([403, 1003]);
    }
    const id = await upload(editor, "published.txt");
    const toFile = { file_id: id };
    await editor.call("POST", "/admin/v1/links", { code: "to.publish", target: TARGET });
    const path = "/admin/v1/links/to.publish";
    expect(await links.refusal("PATCH", path, toFile)).toEqual([403, 1003]);
    expect((await links.call("PATCH", path, { title: "fine" })).status).toBe(200);
    const both = await tokenOf("both", ["links:write", "files:write"]);
    expect((await both.call("PATCH", path, toFile)).body.data.target).toBe(`waymark:file/${id}`);
    const { body } = await both.call("PATCH", "/shares/to.publish", { target: TARGET });
    expect(body.data).toMatchObject({ kind: "url", target: TARGET, entry: null, file_id: null });
  });
});

describe("a code", () => {
  test("changes between URL, file, folder, drop box and back, on every worker at once, with its clicks", async () => {
    const created = await editor.call("POST", "/admin/v1/links", { code: "print/1", target: TARGET });
    expect(created.status).toBe(201);
    const id = await upload(editor, "print.txt", "printed");
    const folder = await editor.folder("print");
    const link = () => editor.call("GET", "/admin/v1/links/print/1");
    const change = (path: string, body: object) => editor.call("PATCH", `${path}/print/1`, body);
    for (const rounds of [1, 2]) {
      expect(await visits("print/1")).toEqual(same(TARGET));
      expect((await change("/admin/v1/links", { file_id: id })).status).toBe(200);
      expect(await visits("print/1")).toEqual(same("printed"));
      expect((await change("/shares", { folder_id: folder })).body.data).toMatchObject({ kind: "folder" });
      for (const page of await visits("print/1")) expect(page).toContain("<h1><bdi>print</bdi></h1>");
      const drop = { folder_id: folder, ...LIMITS };
      expect((await change("/shares", { drop })).body.data).toMatchObject({
        kind: "drop",
        folder_id: folder,
        drop: { ...LIMITS, max_file_size: null, bytes: 0, files: 0 },
      });
      for (const page of await visits("print/1")) expect(page).toContain('type="file"');
      expect((await change("/shares", { target: TARGET })).body.data).toMatchObject({ kind: "url" });
      await until(async () => (await link()).body.data.click_count === rounds * 4 * VISITS);
    }
    expect(await visits("print/1")).toEqual(same(TARGET));
    expect((await link()).body.data).toMatchObject({
      created_at: created.body.data.created_at,
      created_by: "changes.editor",
    });
    const history = (await editor.call("GET", "/admin/v1/links/print/1/history")).body.data;
    const round = ["link.update", "share.update", "share.update", "share.update"];
    expect(history.map((event: { action: string }) => event.action)).toEqual([
      ...round,
      ...round,
      "link.create",
    ]);
    expect(history[0]).toMatchObject({
      before: { target: `waymark:drop/${folder}` },
      after: { target: TARGET },
    });
  });

  test("goes back by its history to an earlier URL, and to what it served", async () => {
    await editor.call("POST", "/admin/v1/links", { code: "undone", target: TARGET, max_clicks: 5 });
    const id = await upload(editor, "undone.txt");
    await editor.call("PATCH", "/admin/v1/links/undone", { file_id: id });
    const events = (await editor.call("GET", "/admin/v1/links/undone/history")).body.data;
    const [shared, created] = events.map((event: { id: number }) => event.id);
    const restored = async (event: number, state: string) => {
      const path = `/admin/v1/links/undone/history/${event}/restore`;
      return (await editor.call("POST", path, { state })).body.data;
    };
    for (const [event, state] of [
      [shared, "before"],
      [created, "after"],
    ]) {
      expect(await restored(shared, "after")).toMatchObject({ target: `waymark:file/${id}` });
      expect(await restored(event, state)).toMatchObject({ target: TARGET, max_clicks: 5 });
      await editor.call("PATCH", "/admin/v1/links/undone", { target: "https://example.org/" });
    }
  });

  test("of others is 404; a link without owner is changed by administrators only", async () => {
    await installation.run(["links", "add", TARGET, "--code", "changes-unowned"]);
    const id = await upload(editor, "unowned.txt");
    const path = "/admin/v1/links/changes-unowned";
    expect(await editor.refusal("PATCH", path, { file_id: id })).toEqual([404, 3000]);
    expect(await me.refusal("PATCH", path, { file_id: id })).toEqual([404, 7000]);
    const own = await upload(me, "own.txt", "of the administrator");
    expect((await me.call("PATCH", path, { file_id: own })).body.data.target).toBe(`waymark:file/${own}`);
    expect(await visits("changes-unowned")).toEqual(same("of the administrator"));
    expect(await user.refusal("PATCH", path, { file_id: own })).toEqual([403, 1003]);
  });

  test("of a share moves to a new code and leaves an alias, which both serve it", async () => {
    const { code } = await share(editor, await upload(editor, "moved.txt", "moved"), { password: PASSWORD });
    const moved = await editor.call("PATCH", `/admin/v1/links/${code}`, { code: "moved/to", keep_old: true });
    expect([moved.status, moved.body.data.code]).toEqual([200, "moved/to"]);
    expect((await visit(code)).status).toBe(401);
    for (const one of [code, "moved/to"]) {
      const form = { method: "POST", body: new URLSearchParams({ password: PASSWORD }) };
      const opened = await whenAllowed(() => visit(one, form));
      expect(opened.headers.get("location")).toBe("/moved/to");
      const Cookie = opened.headers.getSetCookie()[0]!.split(";")[0]!;
      expect(await (await visit("moved/to", { headers: { Cookie } })).text()).toBe("moved");
    }
    await editor.call("DELETE", "/shares/moved/to");
    expect(await visits(code)).toEqual(same("404"));
  });

  test("that becomes a URL lets a running download go on to its end, and counts it", async () => {
    const id = await upload(editor, "large.bin", LARGE);
    const { code } = await share(editor, id);
    const limited = (await share(editor, id, { max_downloads: 2 })).code;
    const codes = [code, limited];
    const downloads = await Promise.all(codes.map(beginDownload));
    for (const one of codes) {
      const changed = await editor.call("PATCH", `/shares/${one}`, { target: TARGET });
      expect(changed.body.data.kind).toBe("url");
      expect(await visits(one)).toEqual(same(TARGET));
    }
    expect(await Promise.all(downloads.map((end) => end()))).toEqual([LARGE.length, LARGE.length]);
    for (const one of codes) {
      // Counted after the last byte, which the client may see before.
      let downloaded = 0;
      await until(async () => {
        const { data } = (await editor.call("PATCH", `/admin/v1/links/${one}`, { file_id: id })).body;
        expect(data.target).toBe(`waymark:file/${id}`);
        const { data: shares } = (await editor.call("GET", "/shares?page_size=100")).body;
        downloaded = shares.find((item: { code: string }) => item.code === one).downloads;
        if (downloaded === 0) await editor.call("PATCH", `/shares/${one}`, { target: TARGET });
        return downloaded > 0;
      });
      expect(downloaded).toBe(1);
    }
    expect(server.log()).not.toContain("could not be counted");
  });
});

/** Reads the head; the result reads the rest and gives the length of the body. */
async function beginDownload(code: string): Promise<() => Promise<number>> {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), "127.0.0.1");
  let hasHead = false;
  let received = 0;
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  socket.on("error", begun.reject);
  socket.on("close", () => ended.resolve());
  socket.on("data", (chunk: Buffer) => {
    const body = hasHead ? chunk : chunk.subarray(chunk.indexOf("\r\n\r\n"));
    // Without what frames the chunks.
    received += body.reduce((sum, byte) => sum + (byte === LARGE[0] ? 1 : 0), 0);
    if (!hasHead) socket.pause();
    hasHead = true;
    begun.resolve();
  });
  socket.write(`GET /${code} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/8\r\nConnection: close\r\n\r\n`);
  await begun.promise;
  return async () => {
    socket.resume();
    await ended.promise;
    return received;
  };
}

/** A code that becomes a drop box and something else again, with strangers at it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { type Client, signIn } from "./support/session.ts";
import { resetSettings, startShared } from "./support/shared-server.ts";
import { HTML, stranger } from "./support/stranger.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let client: Client;
let me: DriveClient;

beforeAll(async () => {
  ({ installation, server, client } = await startShared("drop-changes"));
  me = driveClient(server.url, client.token);
});
afterAll(async () => {
  await resetSettings(client, ["links.forgive_tails"]);
  await installation?.remove();
});

const names = async (folder: number): Promise<string[]> =>
  (await me.call("GET", `/folders/${folder}`)).body.data.files.map(({ name }: { name: string }) => name);

test("an account that is not an administrator gets events of its own boxes only", async () => {
  const password = "a long password";
  for (const username of ["drop.owner", "drop.other"]) {
    await client.call("POST", "/users", { username, password, role: "user" });
  }
  const [owner, other] = await Promise.all(
    ["drop.owner", "drop.other"].map(async (name) =>
      driveClient(server.url, (await signIn(server.url, password, name)).token),
    ),
  );
  const folder = await owner!.folder("in");
  const { data } = (await owner!.call("POST", `/folders/${folder}/drop`, { max_bytes: 9, max_files: 9 }))
    .body;
  const leaving = new AbortController();
  const streams = await Promise.all(
    [owner!, other!].map(({ send }) => send("/folders/live", { signal: leaving.signal })),
  );
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  const [mine, others] = streams.map(({ body }) => body!.pipeThrough(new TextDecoderStream()).getReader());
  let text = "";
  const isHeard = () => text.includes("event: drop");
  // A stream tells what comes after its first second.
  for (let beats = 0; !isHeard(); beats++) {
    text += (await mine!.read()).value;
    if (beats === 2) expect((await stranger().put(data.url, { "for you": "x" })).status).toBe(201);
  }
  expect(JSON.parse(/event: drop\ndata: (.*)/.exec(text)![1]!)).toMatchObject({
    name: "for you",
    code: data.code,
  });
  let heard = "";
  for (let beats = 0; beats < 4; beats++) heard += (await others!.read()).value;
  expect(heard).not.toContain("event: drop");
  leaving.abort();
});

test("the page is there at once, and an upload that began before another use is refused", async () => {
  const url = `${server.url}/printed-box`;
  const target = "https://example.com/";
  const visitor = stranger();
  await client.call("POST", "/links", { code: "printed-box", target });
  expect((await visitor.send(url, { headers: HTML })).status).toBe(307);
  const [first, second] = [await me.folder("first"), await me.folder("second")];
  const drop = { folder_id: first, max_bytes: 1_000, max_files: 3 };
  expect((await client.call("PATCH", "/links/printed-box", { drop })).status).toBe(200);
  expect((await visitor.put(url, { a: "a" })).status).toBe(201);
  expect(await visitor.page(url)).toContain("<bdi>a</bdi>");

  const begun = server.url + (await visitor.begin(url, "late", 4)).headers.get("location")!;
  expect((await visitor.append(begun, 0, "la")).status).toBe(204);
  const moved = await me.call("PATCH", "/shares/printed-box", { drop: { ...drop, folder_id: second } });
  expect(moved.status).toBe(200);
  expect((await visitor.append(begun, 2, "te")).status).toBe(410);
  expect((await visitor.put(url, { b: "b" })).status).toBe(201);
  expect([await names(first), await names(second)]).toEqual([["a"], ["b"]]);
  const received = (await me.call("GET", `/folders/${second}/drop/printed-box/files`)).body.data;
  expect(received.map(({ name }: { name: string }) => name)).toEqual(["b", "a"]);
  expect((await me.call("GET", `/folders/${first}/drop`)).body.data).toEqual([]);

  expect((await me.call("PATCH", "/shares/printed-box", { folder_id: second })).status).toBe(200);
  expect((await visitor.put(url, { c: "c" })).status).not.toBe(201);
  expect((await client.call("PATCH", "/links/printed-box", { target })).status).toBe(200);
  const away = await visitor.send(url, { headers: HTML });
  expect([away.status, away.headers.get("location")]).toEqual([307, target]);
  expect(await names(second)).toEqual(["b"]);
});

test("a visitor is one sender at every path that leads to the box", async () => {
  const folder = await me.folder("many paths");
  const limits = { max_bytes: 1_000, max_files: 9, sender_folders: true };
  const box = { ...limits, code: "paths-first" };
  expect((await me.call("POST", `/folders/${folder}/drop`, box)).status).toBe(201);
  const change = { code: "paths-main", keep_old: true };
  expect((await client.call("PATCH", "/links/paths-first", change)).status).toBe(200);
  const rules = [{ if: { before: "2099-01-01T00:00:00Z" }, target: "share:paths-main" }];
  const poster = { code: "paths-poster", target: "https://example.com/", rules };
  expect((await client.call("POST", "/links", poster)).status).toBe(201);
  await client.call("PUT", "/config/links.forgive_tails", { value: "true" });

  const anna = stranger();
  const paths = ["paths-poster", "paths-first", "paths-main.", "paths-main"];
  for (const [at, path] of paths.entries()) {
    const url = `${server.url}/${path}`;
    expect((await anna.page(url)).includes('enctype="multipart/form-data"')).toBe(true);
    expect([path, (await anna.put(url, { [`form ${at}`]: "a" }, "Anna", HTML)).status]).toEqual([path, 303]);
    expect([path, (await anna.page(`${url}?sent=1`)).includes(`<bdi>form ${at}</bdi>`)]).toEqual([
      path,
      true,
    ]);
    const begun = await anna.begin(url, `upload ${at}`, 1, "Anna");
    const upload = new URL(begun.headers.get("location")!, server.url).href;
    expect([path, (await anna.append(upload, 0, "a")).status]).toEqual([path, 204]);
  }
  const { data } = (await me.call("GET", `/folders/${folder}`)).body;
  expect(data.folders.map(({ name }: { name: string }) => name)).toEqual(["Anna"]);
  const received = (await me.call("GET", `/folders/${folder}/drop/paths-main/files`)).body.data;
  expect(received).toHaveLength(2 * paths.length);
  expect(new Set(received.map(({ sender }: { sender: string }) => sender)).size).toBe(1);
});

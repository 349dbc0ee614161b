/** Drop boxes over HTTP: an owner, and two strangers who know nothing of each other. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { driveClient, type DriveClient, fileHead, FORM_TYPE, formOf } from "./support/drive.ts";
import { type Client, signIn } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import { HTML, stranger, TUS } from "./support/stranger.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const KIB = 1024;

let installation: Installation;
let server: RunningWaymark;
let client: Client;
let me: DriveClient;
let names = 0;

beforeAll(async () => {
  ({ installation, server, client } = await startShared("drops"));
  me = driveClient(server.url, client.token);
});
afterAll(() => installation?.remove());

const newFolder = () => me.folder(`folder ${++names}`);

async function box(input: object = {}, folder?: number) {
  const id = folder ?? (await newFolder());
  const limits = { max_bytes: 1024 * KIB, max_files: 10 };
  const { status, body } = await me.call("POST", `/folders/${id}/drop`, { ...limits, ...input });
  expect([status, body]).toEqual([201, expect.anything()]);
  return { folder: id, ...(body.data as { code: string; url: string }) };
}

// oxlint-disable-next-line no-explicit-any -- answers of many shapes
const json = async (answer: Response): Promise<any> => answer.json();
const contents = async (folder: number): Promise<string[]> =>
  (await me.call("GET", `/folders/${folder}`)).body.data.files.map(({ name }: { name: string }) => name);
const received = async ({ folder, code }: { folder: number; code: string }, query = "") =>
  (await me.call("GET", `/folders/${folder}/drop/${code}/files${query}`)).body;
const state = async ({ folder }: { folder: number }) =>
  (await me.call("GET", `/folders/${folder}/drop`)).body.data[0];

test("two strangers send files; each sees only their own, and the owner sees who sent which", async () => {
  const folder = await newFolder();
  await me.upload("photo.jpg", "the owner's", { folder: String(folder) });
  const drop = await box({ title: "Photos <of us>", code: "our/photos" }, folder);
  expect(drop).toMatchObject({
    kind: "drop",
    code: "our/photos",
    target: `waymark:drop/${folder}`,
    title: "Photos <of us>",
    folder_id: folder,
    max_files: 10,
    bytes: 0,
    files: 0,
    url: `${server.url}/our/photos`,
    short_url: `${server.url}/our/photos`,
  });
  const [anna, ben] = [stranger(), stranger()];
  const first = await anna.send(drop.url, { headers: HTML });
  const html = await first.text();
  expect([first.status, first.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(first.headers.get("set-cookie")).toMatch(
    /^waymark_drop_\d+=[0-9a-f]{32}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect(html).toContain("Photos &lt;of us&gt;");
  expect(html).not.toContain("photo.jpg");
  const answer = await anna.put(drop.url, { "photo.jpg": "anna's" }, " Anna\u202e\n ", HTML);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/our/photos?sent=1"]);
  const after = await anna.page(`${drop.url}?sent=1`);
  expect(after).toContain("<bdi>photo.jpg</bdi>");
  expect(after).not.toContain("photo (2).jpg");

  expect(await ben.page(drop.url)).not.toContain("photo");
  const told = await ben.put(drop.url, { "photo.jpg": "ben's", "notes.txt": "n" });
  expect([told.status, (await json(told)).data.files]).toEqual([
    201,
    [
      { name: "photo.jpg", path: null, size: 5, at: expect.any(String) },
      { name: "notes.txt", path: null, size: 1, at: expect.any(String) },
    ],
  ]);
  expect(await ben.page(drop.url)).toContain("notes.txt");
  expect(await anna.page(drop.url)).not.toContain("notes.txt");
  expect(await stranger().page(drop.url)).not.toContain("notes.txt");

  expect(await contents(folder)).toEqual(["notes.txt", "photo (2).jpg", "photo (3).jpg", "photo.jpg"]);
  const { data, next_cursor } = (await received(drop, "?limit=2")) as never as {
    data: { sender: string; name: string }[];
    next_cursor: string;
  };
  const more = await received(drop, `?limit=2&cursor=${next_cursor}`);
  expect([...data, ...more.data]).toMatchObject([
    { name: "notes.txt", original_name: "notes.txt", sender_name: null },
    { name: "photo (3).jpg", original_name: "photo.jpg", size: 5, sender_name: null },
    {
      name: "photo (2).jpg",
      original_name: "photo.jpg",
      size: 6,
      mime_type: "image/jpeg",
      sender_name: "Anna",
    },
  ]);
  const [senderOfBen, senderOfAnna] = [data[0]!.sender, more.data[0].sender];
  expect([data[1]!.sender === senderOfBen, senderOfAnna === senderOfBen]).toEqual([true, false]);
  expect(JSON.stringify([data, more])).not.toContain([...anna.jar.values()][0]!);
  expect(await state(drop)).toMatchObject({ bytes: 12, files: 3 });

  const events = (await client.call("GET", "/events?action=drop.received")).body.data;
  expect(events[2]).toMatchObject({
    subject: "our/photos",
    actor: `visitor ${senderOfAnna}`,
    after: { name: "photo (2).jpg", size: 6, sender_name: "Anna" },
  });
});

test("the owner hears of a file in the live view", async () => {
  const drop = await box();
  const leaving = new AbortController();
  const live = await client.fetch("/analytics/live", { signal: leaving.signal });
  let text = "";
  let isSent = false;
  for await (const chunk of live.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("event: drop")) break;
    if (isSent || !text.includes("event: clicks")) continue;
    await stranger().put(drop.url, { "for you.txt": "x" }, "Anna");
    isSent = true;
  }
  leaving.abort();
  const event = JSON.parse(/event: drop\ndata: (.*)/.exec(text)![1]!);
  expect(event).toMatchObject({ code: drop.code, name: "for you.txt", size: 1, sender_name: "Anna" });
});

test("viewing the page is a click on the link, sending files is not", async () => {
  const drop = await box();
  const visitor = stranger({ "User-Agent": "Mozilla/5.0 Chrome/130.0 Safari/537.36" });
  await visitor.page(drop.url);
  await visitor.put(drop.url, { a: "a" }, "", HTML);
  await visitor.page(`${drop.url}?sent=1`);
  const path = (await visitor.begin(drop.url, "b", 1)).headers.get("location")!;
  await visitor.send(server.url + path, { method: "HEAD", headers: TUS });
  await visitor.append(server.url + path, 0, "b");
  await visitor.page(drop.url);
  const clicks = async () => (await client.call("GET", `/links/${drop.code}`)).body.data.click_count;
  await until(async () => (await clicks()) >= 2, 15_000);
  expect([await clicks(), (await state(drop)).files]).toEqual([2, 2]);
});

describe("a resumable upload", () => {
  test("goes on after an interruption, and becomes a file of its sender", async () => {
    const drop = await box();
    const [anna, ben] = [stranger(), stranger()];
    const features = await anna.send(drop.url, { method: "OPTIONS" });
    expect([features.status, features.headers.get("tus-max-size")]).toEqual([204, String(1024 * KIB)]);
    const made = await anna.begin(drop.url, "../../a\r\nlong one.txt", 10, "Anna");
    const path = made.headers.get("location")!;
    expect([made.status, path]).toEqual([201, expect.stringMatching(/^\/[^/]+\?upload=[0-9a-f-]{36}$/)]);
    expect((await anna.append(server.url + path, 0, "01234")).status).toBe(204);
    const head = await anna.send(server.url + path, { method: "HEAD", headers: TUS });
    expect([head.status, head.headers.get("upload-offset")]).toEqual([200, "5"]);
    await ben.page(drop.url);
    expect((await ben.send(server.url + path, { method: "HEAD", headers: TUS })).status).toBe(404);
    expect((await ben.append(server.url + path, 5, "56789")).status).toBe(404);
    const id = path.split("=")[1]!;
    expect((await me.send(`/files/tus/${id}`, { method: "HEAD", headers: TUS })).status).toBe(404);
    const last = await anna.append(server.url + path, 5, "56789");
    expect([last.status, last.headers.get("x-file-id")]).toEqual([204, null]);
    expect((await received(drop)).data).toMatchObject([
      { name: "along one.txt", size: 10, sender_name: "Anna" },
    ]);
    expect(await anna.page(drop.url)).toContain("along one.txt");
  });

  test("takes room of the box as its bytes come, and frees it when its sender ends it", async () => {
    const drop = await box({ max_bytes: 10 });
    const visitor = stranger();
    const begin = async (name: string) => (await visitor.begin(drop.url, name, 10)).headers.get("location")!;
    const [first, second] = [await begin("a"), await begin("b")];
    expect((await visitor.append(server.url + first, 0, "01234567")).status).toBe(204);
    const busy = [
      await visitor.begin(drop.url, "c", 10),
      await visitor.append(server.url + second, 0, "012"),
    ];
    expect(busy.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual([
      [429, "5"],
      [429, "5"],
    ]);
    expect((await visitor.send(server.url + first, { method: "DELETE", headers: TUS })).status).toBe(204);
    expect((await visitor.append(server.url + second, 0, "0123456789")).status).toBe(204);
  });

  test("that began first ends, even if others have sent bytes too; for them there is no room then", async () => {
    const drop = await box({ max_bytes: 10 });
    const [anna, ben] = [stranger(), stranger()];
    const begin = async (visitor: typeof anna) =>
      server.url + (await visitor.begin(drop.url, "a", 8)).headers.get("location")!;
    const [first, second] = [await begin(anna), await begin(ben)];
    const statuses = [
      await ben.append(second, 0, "012345"),
      await anna.append(first, 0, "0123"),
      await ben.append(second, 6, "67"),
      await anna.append(first, 4, "4567"),
      await ben.append(second, 6, "67"),
    ].map(({ status }) => status);
    expect(statuses).toEqual([204, 204, 429, 204, 413]);
    expect((await received(drop)).data).toMatchObject([{ size: 8 }]);
  });

  test("needs the protocol's version, and a known upload", async () => {
    const drop = await box();
    const visitor = stranger();
    const old = await visitor.send(drop.url, { method: "PATCH", body: "x" });
    expect([old.status, old.headers.get("tus-version")]).toEqual([412, "1.0.0"]);
    for (const path of [`${drop.url}?upload=x`, `${drop.url}?upload=${crypto.randomUUID()}`]) {
      const answer = await visitor.send(path, { method: "HEAD", headers: TUS });
      expect([answer.status, answer.headers.get("tus-resumable")]).toEqual([404, "1.0.0"]);
    }
  });
});

describe("limits", () => {
  test("200 strangers at once on a box of 10 files store exactly 10", async () => {
    const drop = await box({ max_bytes: 10 * 100, max_files: 10 });
    const content = "x".repeat(100);
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, at) =>
        at % 4 === 0
          ? (await stranger().begin(drop.url, `${at}`, 0)).status
          : (await stranger().put(drop.url, { "same name.txt": content })).status,
      ),
    );
    expect(statuses.filter((status) => status === 201).length).toBe(10);
    expect([...new Set(statuses)].every((status) => [201, 409, 413, 429].includes(status))).toBe(true);
    expect((await contents(drop.folder)).length).toBe(10);
    expect((await state(drop)).files).toBe(10);
    expect(await stranger().page(drop.url)).toContain("No more files can be added here");
  });

  test("a form over a limit is refused with a sentence, and none of it is stored", async () => {
    const drop = await box({ max_bytes: 3_000, max_files: 3, max_file_size: 2_000 });
    const visitor = stranger();
    const cases: [Record<string, string>, number, string][] = [
      [{ small: "s", large: "l".repeat(2_001) }, 413, "A file is larger than allowed here."],
      [{ a: "a".repeat(1_600), b: "b".repeat(1_600) }, 413, "not enough room left here"],
      [{ a: "", b: "", c: "", d: "" }, 409, "No more files can be added here"],
    ];
    for (const [files, status, sentence] of cases) {
      const answer = await visitor.put(drop.url, files);
      expect([answer.status, (await json(answer)).message]).toEqual([
        status,
        expect.stringContaining(sentence),
      ]);
      const page = await visitor.put(drop.url, files, "", { ...HTML, "Accept-Language": "de" });
      const html = await page.text();
      expect([page.status, html.includes("Es wurde nichts gespeichert.")]).toEqual([status, true]);
    }
    expect(await contents(drop.folder)).toEqual([]);
    expect(await state(drop)).toMatchObject({ bytes: 0, files: 0 });
    const sizes = [
      [2_001, 413],
      [Number.MAX_SAFE_INTEGER, 413],
    ] as const;
    for (const [size, status] of sizes)
      expect((await visitor.begin(drop.url, "a", size)).status).toBe(status);
    expect((await visitor.put(drop.url, {})).status).toBe(400);
  });

  test("refusals by the owner's quota and the storage's limits reveal nothing to strangers", async () => {
    const { data } = (
      await client.call("POST", "/users", {
        username: "drops.small",
        password: "a long password",
        role: "user",
        quota_bytes: 500,
      })
    ).body;
    expect(data.username).toBe("drops.small");
    const { token } = await signIn(server.url, "a long password", "drops.small");
    const owner = driveClient(server.url, token);
    const folder = await owner.folder("in");
    const drop = (await owner.call("POST", `/folders/${folder}/drop`, { max_bytes: 9_000, max_files: 9 }))
      .body.data;
    for (const answer of [
      await stranger().put(drop.url, { a: "a".repeat(600) }),
      await stranger().begin(drop.url, "a", 600),
    ]) {
      const { message } = await json(answer);
      expect([answer.status, message]).toEqual([413, expect.stringContaining("not enough room left here")]);
      expect(message).not.toMatch(/500|quota|account/);
    }
    expect((await owner.call("GET", `/folders/${folder}`)).body.data.files).toEqual([]);
    const refused = await owner.call("POST", `/folders/${folder}/drop`, {
      max_bytes: 1,
      max_files: 1,
      code: "chosen",
    });
    expect(refused.status).toBe(403);
  });
});

test("hostile names and types become safe ones", async () => {
  const drop = await box({ max_files: 50 });
  const visitor = stranger();
  const given: [string, string][] = [
    ["../../etc/passwd", "passwd"],
    ["a/b", "b"],
    ["C:\\\\Users\\\\x.doc", "x.doc"],
    ["CON", "_CON"],
    ["com1.txt", "_com1.txt"],
    ["in\u202egpj.exe", "ingpj.exe"],
    ["nul\0byte", "nulbyte"],
    ["..", "file"],
    ["\u200b", "file"],
    [" . ", "file"],
    ["a<b>:c?.txt ", "a_b__c_.txt"],
    ["cafe\u0301.txt", "café.txt"],
    [`${"ü".repeat(200)}.tar`, `${"ü".repeat(125)}.tar`],
  ];
  for (const [name, stored] of given) {
    const form = formOf([fileHead(name, "text/html"), "<script>alert(1)</script>"]);
    const answer = await visitor.send(drop.url, {
      method: "POST",
      body: new Uint8Array(form),
      headers: { "Content-Type": FORM_TYPE },
    });
    expect([name, answer.status, (await json(answer)).data?.files[0].name]).toEqual([name, 201, stored]);
  }
  expect(await contents(drop.folder)).toContain("file (3)");
  const { data } = await received(drop);
  const content = await me.send(`/files/${data[0].file_id}/download?disposition=inline`);
  expect(content.headers.get("content-disposition")).toStartWith("attachment");
});

describe("a box", () => {
  test("with a password shows and takes nothing before it", async () => {
    const drop = await box({ password: "open sesame", title: "Secret title" });
    const visitor = stranger();
    const locked = await visitor.send(drop.url, { headers: HTML });
    expect([locked.status, (await locked.text()).includes("Secret title")]).toEqual([401, false]);
    expect((await visitor.put(drop.url, { a: "a" })).status).toBe(401);
    expect((await visitor.begin(drop.url, "a", 1)).status).toBe(401);
    const opened = await visitor.unlock(drop.url, "open sesame");
    expect(opened.status).toBe(303);
    const begun = await visitor.begin(drop.url, "long", 4);
    expect(begun.headers.getSetCookie()).toEqual([expect.stringMatching(/^waymark_drop_\d+=/)]);
    expect(await visitor.page(drop.url)).toContain("Secret title");
    expect((await visitor.put(drop.url, { a: "a" })).status).toBe(201);
    const path = server.url + begun.headers.get("location")!;
    const appended = await visitor.append(path, 0, "01");
    expect([appended.status, appended.headers.getSetCookie()]).toEqual([
      204,
      [expect.stringMatching(/^waymark_share_\d+=.*Max-Age=3600/)],
    ]);
    expect((await visitor.append(path, 2, "23")).status).toBe(204);
  });

  test("ends when it is closed, when it expires, and with its folder", async () => {
    const gone = async (url: string) => {
      expect((await stranger().send(url, { headers: HTML })).status).toBe(404);
      expect([405, 410]).toContain((await stranger().put(url, { a: "a" })).status);
    };
    const closed = await box();
    await stranger().put(closed.url, { kept: "a" });
    expect((await me.call("DELETE", `/folders/${closed.folder}/drop/none`)).status).toBe(404);
    expect((await me.call("DELETE", `/folders/${closed.folder}/drop/${closed.code}`)).status).toBe(200);
    await gone(closed.url);
    expect(await contents(closed.folder)).toEqual(["kept"]);
    const expired = await box({ expires_at: "2020-01-01T00:00:00Z" });
    await gone(expired.url);
    const late = await stranger({ "Sec-Fetch-Dest": "document" }).put(expired.url, { a: "a" }, "", HTML);
    expect([late.status, (await late.text()).includes("<h1>")]).toEqual([404, true]);
    const trashed = await box();
    expect((await me.call("POST", `/folders/${trashed.folder}/trash`)).status).toBe(200);
    await gone(trashed.url);
    expect((await stranger().begin(trashed.url, "a", 1)).status).toBe(410);
    const deleted = await box();
    expect((await me.call("DELETE", `/folders/${deleted.folder}`)).status).toBe(200);
    await gone(deleted.url);
  });

  test("that expires during an upload refuses the finished file", async () => {
    const drop = await box({ expires_at: new Date(Date.now() + 3_000).toISOString() });
    const visitor = stranger();
    const path = (await visitor.begin(drop.url, "late", 10)).headers.get("location")!;
    let finish = () => {};
    const rest = new Promise<void>((resolve) => (finish = resolve));
    const sending = visitor.send(server.url + path, {
      method: "PATCH",
      headers: { ...TUS, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" },
      body: new ReadableStream({
        async start(controller) {
          controller.enqueue(Buffer.from("01234"));
          await rest;
          controller.enqueue(Buffer.from("56789"));
          controller.close();
        },
      }),
    });
    await until(async () => (await stranger().send(drop.url, { headers: HTML })).status === 404, 20_000);
    finish();
    const answer = await sending;
    expect([answer.status, (await json(answer)).message]).toEqual([
      410,
      expect.stringContaining("has ended"),
    ]);
    expect(await contents(drop.folder)).toEqual([]);
  });

  test("belongs to its owner, and refuses wrong limits", async () => {
    const folder = await newFolder();
    for (const body of [{}, { max_bytes: 0, max_files: 1 }, { max_bytes: 1, max_files: 1.5 }]) {
      expect((await me.call("POST", `/folders/${folder}/drop`, body)).status).toBe(400);
    }
    const limits = { max_bytes: 1, max_files: 1 };
    expect((await me.call("POST", "/folders/999999/drop", limits)).status).toBe(404);
    expect((await me.call("GET", "/folders/999999/drop")).status).toBe(404);
    expect((await me.call("GET", `/folders/${folder}/drop/none/files`)).status).toBe(404);
    expect((await me.call("GET", `/folders/${folder}/drop`)).body.data).toEqual([]);
  });
});

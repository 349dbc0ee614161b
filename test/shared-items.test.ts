/** Several files and folders as one share, over HTTP. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { startShared } from "./support/shared-server.ts";
import { stranger } from "./support/stranger.ts";
import type { Installation } from "./support/waymark.ts";

let installation: Installation;
let me: DriveClient;
let base: string;
beforeAll(async () => {
  const { server, client, installation: made } = await startShared("shared-items");
  [installation, base] = [made, server.url];
  me = driveClient(base, client.token);
});
afterAll(() => installation?.remove());

/** From the central directory of a ZIP file. */
function namesIn(zip: Buffer): string[] {
  const names: string[] = [];
  for (let at = zip.indexOf("PK\x01\x02"); at !== -1; at = zip.indexOf("PK\x01\x02", at + 46)) {
    names.push(zip.toString("utf8", at + 46, at + 46 + zip.readUInt16LE(at + 28)));
  }
  return names;
}

test("picked files and folders are one code: a page, a ZIP file, and the bytes of each", async () => {
  const [a, b] = [await me.folder("a"), await me.folder("b")];
  const upload = async (name: string, content: string, folder: number) =>
    (await me.upload(name, content, { folder: String(folder) })).body.data.id as number;
  const [first, second] = [await upload("plan.txt", "first", a), await upload("plan.txt", "second", b)];
  const inner = await me.folder("inner", b);
  const deep = await upload("deep.txt", "deep", inner);
  const hidden = await upload("hidden.txt", "hidden", a);
  const items = [{ file_id: first }, { file_id: second }, { folder_id: inner }];
  const { status, body } = await me.call("POST", "/shares", { items, title: "Our <plans>" });
  expect([status, body.data]).toEqual([
    201,
    expect.objectContaining({
      kind: "items",
      items: 3,
      target: "waymark:items/0",
      file_id: null,
      folder_id: null,
    }),
  ]);
  const { code, url } = body.data as { code: string; url: string };

  const anna = stranger();
  const page = await anna.page(url);
  expect(page).toContain("<h1><bdi>Our &lt;plans&gt;</bdi></h1>");
  expect(page.match(/<bdi>plan\.txt<\/bdi>/g)).toHaveLength(2);
  expect(page).not.toContain("hidden.txt");
  const text = async (query: string) => {
    const answer = await anna.send(url + query);
    return [answer.status, answer.status === 200 && (await answer.text())];
  };
  expect(await text(`?file=${first}`)).toEqual([200, "first"]);
  expect(await text(`?file=${deep}`)).toEqual([200, "deep"]);
  for (const query of [
    `?file=${hidden}`,
    `?folder=${a}`,
    `?archive=1&folder=${b}`,
    "?folder=0",
    "?folder=-2",
  ]) {
    expect([query, (await text(query))[0]]).toEqual([query, 404]);
  }
  const inside = await anna.page(`${url}?folder=${inner}`);
  expect(inside).toContain('<a href="?"><bdi>Our &lt;plans&gt;</bdi></a>');
  const archive = await anna.send(`${url}?archive=1`);
  expect(archive.headers.get("content-disposition")).toContain("Our _plans_.zip");
  const zip = Buffer.from(await archive.bytes());
  expect(namesIn(zip).toSorted()).toEqual(["inner/", "inner/deep.txt", "plan (2).txt", "plan.txt"]);
  for (const content of ["first", "second", "deep"]) expect(zip.includes(content)).toBe(true);
  expect((await me.call("GET", `/shares/${code}`)).body.data.downloads).toBe(3);

  await me.call("DELETE", `/files/${first}`);
  expect((await anna.page(url)).match(/<bdi>plan\.txt<\/bdi>/g)).toHaveLength(1);
  expect((await text(`?file=${first}`))[0]).toBe(404);
  expect(
    (await me.call("GET", `/shares/${code}/items`)).body.data.map(({ id }: { id: number }) => id).toSorted(),
  ).toEqual([second, inner].toSorted());
  const below = `${code}/items`;
  const ofBelow = { code: below, items: [{ file_id: second }] };
  expect((await me.call("POST", "/shares", ofBelow)).status).toBe(201);
  expect((await me.call("GET", `/shares/${below}`)).body.data).toMatchObject({ code: below });
  expect((await me.call("GET", `/shares/${below}/items`)).body.data).toMatchObject([{ id: second }]);
  expect((await me.call("DELETE", `/shares/${below}`)).status).toBe(200);
  expect((await me.call("GET", `/shares/${below}`)).body.data).toHaveLength(2);
  await me.call("POST", `/trash/${first}/restore`);
  const changed = await me.call("PATCH", `/shares/${code}`, { items: [{ folder_id: a }], max_downloads: 4 });
  expect(changed.body.data).toMatchObject({ kind: "items", items: 1, max_downloads: 4 });
  expect((await text(`?file=${second}`))[0]).toBe(404);
  expect(await text(`?file=${hidden}`)).toEqual([200, "hidden"]);
  expect((await text("?archive=1"))[0]).toBe(410);

  const link = await me.call("POST", "/admin/v1/links", { target: "https://example.com" });
  const address = `/admin/v1/links/${link.body.data.code}`;
  const served = await me.call("PATCH", address, { items: [{ file_id: second }, { folder_id: a }] });
  expect([served.status, served.body.data.target]).toEqual([200, "waymark:items/0"]);
  expect((await me.call("GET", `/shares/${link.body.data.code}`)).body.data).toMatchObject({ items: 2 });
  const both = await me.call("PATCH", address, { items: [{ file_id: second }], folder_id: a });
  expect([both.status, both.body.message]).toEqual([400, expect.stringContaining("one thing")]);

  for (const bad of [
    [],
    [{}],
    [{ file_id: first, folder_id: a }],
    [{ file_id: 999_999 }],
    Array.from({ length: 501 }, () => ({ file_id: first })),
  ]) {
    const refused = await me.call("POST", "/shares", { items: bad });
    expect([bad.length, refused.status >= 400 && refused.status < 500]).toEqual([bad.length, true]);
    expect((await me.call("PATCH", address, { items: bad })).status).toBe(refused.status);
  }
});

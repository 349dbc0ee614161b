/** Small pictures of files, for their owner and for visitors of shares. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { type DriveClient, driveClient } from "./support/drive.ts";
import { signIn } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import { soon } from "./support/until.ts";
import type { Installation } from "./support/waymark.ts";

let installation: Installation;
let me: DriveClient;
let another: DriveClient;
let base: string;
beforeAll(async () => {
  const { server, client, installation: made } = await startShared();
  installation = made;
  base = server.url;
  me = driveClient(base, client.token);
  await client.call("POST", "/users", { username: "anna", password: "a long password", role: "user" });
  another = driveClient(base, (await signIn(base, "a long password", "anna")).token);
});
afterAll(() => installation.remove());

const picture = (width: number, height: number) => new Uint8Array(PNG.sync.write(new PNG({ width, height })));
const stored = async (content: string | Uint8Array<ArrayBuffer>, type: string, folder = "") =>
  (await me.upload(`${crypto.randomUUID()}.bin`, content, { type, folder })).body.data.id as number;
const thumbnail = (id: number, headers: Record<string, string> = {}, client = me) =>
  client.send(`/files/${id}/thumbnail`, { headers });
const look = async (answer: Response) => {
  const { width, height, format } = await new Bun.Image(await answer.bytes()).metadata();
  return [answer.status, format, width, height];
};
const files = () => {
  const folder = join(installation.dataDir, "thumbnails");
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  return names.filter((name) => String(name).includes("/"));
};

test("its owner gets a small picture, which a browser keeps; nobody else does", async () => {
  const id = await stored(picture(1024, 512), "image/png");
  const answer = await thumbnail(id);
  const etag = answer.headers.get("etag")!;
  expect(answer.headers.get("cache-control")).toBe("private, max-age=60, stale-while-revalidate=86400");
  expect(answer.headers.get("content-security-policy")).toStartWith("sandbox; default-src 'none'");
  expect(await look(answer)).toEqual([200, "webp", 512, 256]);
  expect((await thumbnail(id, { "If-None-Match": etag })).status).toBe(304);
  const length = (await me.send(`/files/${id}/thumbnail`, { method: "HEAD" })).headers.get("content-length");
  expect(Number(length)).toBeGreaterThan(0);
  expect((await thumbnail(id, {}, another)).status).toBe(404);
  expect((await fetch(`${base}/files/${id}/thumbnail`)).status).toBe(401);
});

test("its tag says what its content is, and not whether somebody stored the same before", async () => {
  const tagOf = async (id: number) => (await thumbnail(id)).headers.get("etag");
  const [first, same, other] = [picture(9, 8), picture(9, 8), picture(8, 9)];
  const tag = await tagOf(await stored(first, "image/png"));
  const hash = new Bun.CryptoHasher("sha256").update(first).digest("base64url");
  expect(tag).toBe(`"thumbnail-${hash}"`);
  expect(await tagOf(await stored(same, "image/png"))).toBe(tag);
  expect(await tagOf(await stored(other, "image/png"))).not.toBe(tag);
  const text = await stored("text", "text/plain");
  expect(await tagOf(text)).toBeNull();
  expect((await thumbnail(text, { "If-None-Match": "*" })).status).toBe(204);
});

test("HEIC has a thumbnail and a preview that every browser shows, for its owner and for visitors", async () => {
  const file = readFileSync(new URL("fixtures/pictures/turned.heic", import.meta.url));
  const id = await stored(new Uint8Array(file), "image/heic");
  expect(await look(await thumbnail(id))).toEqual([200, "jpeg", 384, 512]);
  const preview = await me.send(`/files/${id}/preview`);
  expect([preview.headers.get("content-type"), preview.headers.get("content-security-policy")]).toEqual([
    "image/jpeg",
    expect.stringContaining("sandbox"),
  ]);
  expect(await look(preview)).toEqual([200, "jpeg", 480, 640]);
  const { url } = (await me.call("POST", `/files/${id}/share`, {})).body.data;
  const page = await (await fetch(url, { headers: { Accept: "text/html" } })).text();
  expect(page).toContain('src="?preview=1"');
  expect(await look(await fetch(`${url}?preview=1`))).toEqual([200, "jpeg", 480, 640]);
  const broken = await stored("no picture", "image/heic");
  expect((await me.send(`/files/${broken}/preview`)).status).toBe(204);
});

test("what is no picture has none", async () => {
  for (const [content, type] of [
    ["<script>1</script>", "image/png"],
    ["<svg/>", "image/svg+xml"],
    ["text", "text/plain"],
    ["", "image/png"],
  ] as const) {
    const answer = await thumbnail(await stored(content, type));
    expect([type, answer.status, await answer.text()]).toEqual([type, 204, ""]);
  }
});

test("a thumbnail goes with the last file of its content", async () => {
  const before = files().length;
  const content = picture(33, 77);
  const [one, other] = [await stored(content, "image/png"), await stored(content, "image/png")];
  expect(await look(await thumbnail(one))).toEqual([200, "webp", 33, 77]);
  await thumbnail(other);
  expect(files().length).toBe(before + 1);
  await me.send(`/files/${one}`, { method: "DELETE" });
  expect((await thumbnail(other)).status).toBe(200);
  await me.send(`/files/${other}`, { method: "DELETE" });
  await soon(() => expect(files().length).toBe(before));
});

test("visitors of a folder get those of its pictures, unless its downloads are limited", async () => {
  const folder = await me.folder("Photos");
  const inside = await stored(picture(20, 20), "image/png", String(folder));
  const outside = await stored(picture(20, 20), "image/png");
  const shareOf = async (input: object): Promise<string> => {
    const { body } = await me.call("POST", `/folders/${folder}/share`, input);
    return `${base}/${body.data.code}`;
  };
  const open = await shareOf({});
  expect(await look(await fetch(`${open}?thumbnail=${inside}`))).toEqual([200, "webp", 20, 20]);
  expect((await fetch(`${open}?thumbnail=${outside}`)).status).toBe(404);
  const page = await (await fetch(open, { headers: { Accept: "text/html" } })).text();
  expect(page).toContain(`<ul class="list tiles">`);
  expect(page).toContain(`<img src="?thumbnail=${inside}" alt="" loading="lazy"`);
  const limited = await shareOf({ max_downloads: 3 });
  expect((await fetch(`${limited}?thumbnail=${inside}`)).status).toBe(204);
  expect(await (await fetch(limited)).text()).not.toContain("?thumbnail=");
  const locked = await shareOf({ password: "open sesame" });
  expect((await fetch(`${locked}?thumbnail=${inside}`)).status).toBe(401);
});

/** "Download all" of shared folders on a running server: who gets the bytes, and what counts as a download. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { readArchive } from "../src/files/archive/archive.test-support.ts";
import { startShared } from "./support/shared-server.ts";
import { createFolderOn, storagesFor } from "./support/storages.ts";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { type Client, whenAllowed } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36";
const ROBOTS = [
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "WhatsApp/2.23.20.0",
  "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
];
/** More than the buffers of a connection hold. */
const LARGE = new Uint8Array(40 * 1024 * 1024).fill(120);

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let me: DriveClient;
beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared("share-archives"));
  me = driveClient(server.url, admin.token);
});
afterAll(() => installation?.remove());

const get = (url: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(url, { method, redirect: "manual", headers: { "User-Agent": BROWSER, ...headers } });

/** Takes nothing after the first bytes of the answer. */
async function begin(url: string): Promise<() => void> {
  const { port, pathname, search } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  const first = Promise.withResolvers<void>();
  socket.once("data", () => {
    socket.pause();
    first.resolve();
  });
  socket.on("error", first.reject);
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${BROWSER}\r\n\r\n`);
  await first.promise;
  return () => void socket.destroy();
}

describe.each(storagesFor("share-archives"))("a shared folder on %s", (storage, policy) => {
  let folder: number;
  let inner: number;
  let large: number;
  beforeAll(async () => {
    folder = await createFolderOn(me, `all of it ${storage}`, policy);
    inner = await me.folder("inner", folder);
    await me.upload("one", "first", { folder: String(folder) });
    await me.upload("two", "second", { folder: String(inner) });
    large = await me.folder("large", folder);
    await me.upload("large", LARGE, { folder: String(large) });
  });

  async function share(id: number, input: object = {}) {
    const { url } = (await me.call("POST", `/folders/${id}/share`, input)).body.data as { url: string };
    const downloads = async (): Promise<number> =>
      (await me.call("GET", `/folders/${id}/share`)).body.data.find((one: { url: string }) => one.url === url)
        .downloads;
    return { url, downloads };
  }

  test("is downloaded whole, or a folder inside it, and each counts once", async () => {
    const { url, downloads } = await share(folder);
    const answer = await get(`${url}?archive=1`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"]);
    expect(answer.headers.get("x-robots-tag")).toBe("noindex, nofollow");
    expect(answer.headers.get("content-disposition")).toContain(`all of it ${storage}.zip`);
    expect(readArchive(await answer.bytes()).map(([name]) => name)).toEqual([
      "one",
      "inner/",
      "large/",
      "inner/two",
      "large/large",
    ]);
    await until(async () => (await downloads()) === 1);
    const part = await get(`${url}?folder=${inner}&archive=1`);
    expect(part.headers.get("content-disposition")).toContain("inner.zip");
    expect(readArchive(await part.bytes())).toEqual([["two", 6, "second"]]);
    await until(async () => (await downloads()) === 2);
    const head = await get(`${url}?archive=1`, {}, "HEAD");
    expect([head.status, Number(head.headers.get("content-length")) > LARGE.length]).toEqual([200, true]);
    expect(await downloads()).toBe(2);
  });

  test("serves nothing outside the folder", async () => {
    const { url } = await share(inner);
    for (const id of [folder, large, 999_999_999, "x", "0"]) {
      expect([id, (await get(`${url}?folder=${id}&archive=1`)).status]).toEqual([id, 404]);
    }
  });

  test("shows a page to previews and scanners, which use nothing up", async () => {
    const { url, downloads } = await share(inner, { max_downloads: 1 });
    for (const agent of ROBOTS) {
      for (const method of ["GET", "HEAD"]) {
        const page = await get(`${url}?archive=1`, { "User-Agent": agent }, method);
        expect([agent, page.status, page.headers.get("content-type")]).toEqual([
          agent,
          200,
          "text/html; charset=utf-8",
        ]);
      }
    }
    expect(await downloads()).toBe(0);
    expect(readArchive(await (await get(`${url}?archive=1`)).bytes()).length).toBe(1);
    expect((await get(`${url}?archive=1`)).status).toBe(410);
    expect((await get(`${url}?archive=1`, {}, "HEAD")).status).toBe(410);
    expect(await downloads()).toBe(1);
  });

  test("asks for its password before anything", async () => {
    const { url } = await share(inner, { password: "open sesame" });
    const refused = await get(`${url}?archive=1`);
    expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "text/html; charset=utf-8"]);
    const unlocked = await whenAllowed(() =>
      fetch(`${url}?archive=1`, {
        method: "POST",
        redirect: "manual",
        headers: { "User-Agent": "curl/8.5.0", "Content-Type": "application/x-www-form-urlencoded" },
        body: "password=open+sesame",
      }),
    );
    const cookie = unlocked.headers.getSetCookie()[0]!.split(";")[0]!;
    const answer = await get(`${url}?archive=1`, { Cookie: cookie });
    expect(readArchive(await answer.bytes()).length).toBe(1);
  });

  test("does not count a download whose visitor leaves early", async () => {
    const [free, limited] = [await share(large), await share(large, { max_downloads: 2 })];
    for (const { url, downloads } of [free, limited]) {
      const leaving = [await begin(`${url}?archive=1`), await begin(`${url}?archive=1`)];
      if (url === limited.url) {
        expect(await downloads()).toBe(2);
        expect((await get(`${url}?archive=1`)).status).toBe(410);
      }
      for (const leave of leaving) leave();
      await until(async () => (await downloads()) === 0);
      expect((await (await get(`${url}?archive=1`)).bytes()).length).toBeGreaterThan(LARGE.length);
      await until(async () => (await downloads()) === 1);
    }
  });

  test("serves exactly the allowed number of archives at once", async () => {
    const { url, downloads } = await share(inner, { max_downloads: 3 });
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await get(`${url}?archive=1`);
        await answer.bytes();
        return answer.status;
      }),
    );
    expect(statuses.filter((status) => status === 200).length).toBe(3);
    expect(statuses.filter((status) => status === 410).length).toBe(17);
    expect(await downloads()).toBe(3);
  });
});

test("a drop box gives no archive of its folder", async () => {
  const folder = await me.folder("dropped");
  await me.upload("secret", "the owner's", { folder: String(folder) });
  const { body } = await me.call("POST", `/folders/${folder}/drop`, { max_bytes: 1_000, max_files: 1 });
  for (const agent of [BROWSER, "curl/8.5.0"]) {
    const answer = await get(`${body.data.url}?archive=1`, { "User-Agent": agent });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(await answer.text()).not.toContain("secret");
  }
});

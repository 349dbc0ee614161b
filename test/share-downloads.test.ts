/** Downloads from share links of a running server: headers, ranges, and which downloads count. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { type Client } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import { storagesFor } from "./support/storages.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const MIB = 1024 * 1024;
const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36";
/** More than the buffers of a connection hold. */
const LARGE = new Uint8Array(40 * MIB).fill(120);
const TEXT = "0123456789";

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let me: DriveClient;
beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared());
  me = driveClient(server.url, admin.token);
});
afterAll(() => installation?.remove());

const get = (url: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(url, { method, redirect: "manual", headers: { "User-Agent": BROWSER, ...headers } });

/** A GET on its own connection; resolves at the first bytes of the answer. */
async function begin(url: string): Promise<() => void> {
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once("data", () => {
    socket.pause();
    resolve();
  });
  socket.on("error", reject);
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${BROWSER}\r\n\r\n`);
  await promise;
  return () => void socket.destroy();
}

describe.each(storagesFor("shares"))("a share of a file on %s", (storage, policy) => {
  let folder: number;
  beforeAll(async () => {
    folder = await me.folder(storage);
    if (policy === null) return;
    const made = await me.call("POST", "/admin/policies", policy);
    await me.call("PATCH", `/folders/${folder}`, { policy_id: made.body.data.id });
  });

  async function share(name: string, bytes: string | Uint8Array<ArrayBuffer>, input: object = {}) {
    const { id } = (await me.upload(name, bytes, { folder: String(folder), type: "text/plain" })).body.data;
    const shared = (await me.call("POST", `/files/${id}/share`, input)).body.data as {
      code: string;
      url: string;
    };
    const downloads = async (): Promise<number> =>
      (await me.call("GET", `/files/${id}/share`)).body.data[0].downloads;
    const clicks = async (): Promise<number> =>
      (await admin.call("GET", `/links/${shared.code}`)).body.data.click_count;
    const reports = async (): Promise<number> =>
      (await me.call("GET", `/shares/${shared.code}/visits`)).body.data.filter(
        ({ action }: { action: string }) => action === "download",
      ).length;
    return { ...shared, downloads, clicks, reports };
  }

  test("answers ranges as a plain download does", async () => {
    const { url, downloads } = await share("ranges", TEXT);
    const whole = await get(url);
    expect([whole.status, await whole.text()]).toEqual([200, TEXT]);
    expect(whole.headers.get("accept-ranges")).toBe("bytes");
    const etag = whole.headers.get("etag")!;
    await until(async () => (await downloads()) === 1);
    for (const [range, text] of [
      ["bytes=0-3", "0123"],
      ["bytes=4-6", "456"],
      ["bytes=7-", "789"],
      ["bytes=-2", "89"],
    ] as const) {
      const part = await get(url, { Range: range, "If-Range": etag });
      expect([part.status, await part.text()]).toEqual([206, text]);
      expect(part.headers.get("content-range")).toBe(
        `bytes ${TEXT.indexOf(text)}-${TEXT.indexOf(text) + text.length - 1}/10`,
      );
    }
    expect((await get(url, { Range: "bytes=10-" })).status).toBe(416);
    expect((await get(url, { Range: "bytes=7-", "If-Match": '"other"' })).status).toBe(412);
    // The first and the two ranges that reach the end.
    await until(async () => (await downloads()) === 3);
  });

  test("tells the length, of what is short and long, and answers conditions", async () => {
    const { url, downloads } = await share("lengths", "x".repeat(1_000_000));
    const whole = await get(url);
    expect([whole.headers.get("content-length"), (await whole.bytes()).length]).toEqual([
      "1000000",
      1_000_000,
    ]);
    const part = await get(url, { Range: "bytes=5-9" });
    expect([part.status, part.headers.get("content-length"), await part.text()]).toEqual([206, "5", "xxxxx"]);
    await until(async () => (await downloads()) === 1);
    const kept = await get(url, { "If-None-Match": whole.headers.get("etag")! });
    expect([kept.status, await kept.text()]).toEqual([304, ""]);
    const large = await share("long", LARGE);
    const answer = await get(large.url);
    expect(answer.headers.get("content-length")).toBe(String(LARGE.length));
    expect((await answer.bytes()).length).toBe(LARGE.length);
    const most = await get(large.url, { Range: "bytes=5-" });
    expect([most.status, most.headers.get("content-length"), most.headers.get("content-range")]).toEqual([
      206,
      String(LARGE.length - 5),
      `bytes 5-${LARGE.length - 1}/${LARGE.length}`,
    ]);
    expect((await most.bytes()).length).toBe(LARGE.length - 5);
    await until(async () => (await large.downloads()) === 2);
    const head = await get(large.url, {}, "HEAD");
    expect(head.headers.get("content-length")).toBe(String(LARGE.length));
    expect(await downloads()).toBe(1);
  });

  test("sends the whole for a range if downloads are limited", async () => {
    const { url, downloads } = await share("limited ranges", TEXT, { max_downloads: 4 });
    for (const Range of ["bytes=0-1", "bytes=-1", "bytes=10-"]) {
      const whole = await get(url, { Range });
      expect([whole.status, await whole.text()]).toEqual([200, TEXT]);
      expect(whole.headers.get("accept-ranges")).toBe("none");
    }
    expect(await downloads()).toBe(3);
  });

  test("does not count HEAD requests and crawlers, and shows them the file's data", async () => {
    const { url, downloads } = await share("looked at", TEXT, { max_downloads: 1 });
    const head = await get(url, {}, "HEAD");
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""]);
    for (const agent of [
      "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
      "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
      "Twitterbot/1.0",
      "WhatsApp/2.23.20.0",
      "TelegramBot (like TwitterBot)",
      "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
      "python-requests/2.32 examplebot",
      "Go-http-client/2.0 (site crawler)",
    ]) {
      for (const method of ["GET", "HEAD"]) {
        const page = await get(url, { "User-Agent": agent }, method);
        expect([agent, page.status, page.headers.get("content-type")]).toEqual([
          agent,
          200,
          "text/html; charset=utf-8",
        ]);
        if (method === "GET") expect(await page.text()).toContain("looked at");
      }
    }
    expect(await downloads()).toBe(0);
    expect(await (await get(url)).text()).toBe(TEXT);
    expect((await get(url)).status).toBe(410);
    expect(await downloads()).toBe(1);
  });

  test("serves common download tools", async () => {
    const { url, downloads } = await share("fetched", TEXT);
    const browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)";
    const agents = [
      "curl/8.5.0",
      "Wget/1.21.3",
      "python-requests/2.32.3",
      "Python-urllib/3.11",
      "Go-http-client/1.1",
      "node",
      "Bun/1.4.5",
      "axios/1.7.9",
      "okhttp/4.12.0",
      "Java-http-client/21",
      "PostmanRuntime/7.43",
      `${browser} HeadlessChrome/156.0.0.0 Safari/537.36`,
    ];
    for (const agent of agents) {
      const answer = await get(url, { "User-Agent": agent });
      expect([agent, await answer.text()]).toEqual([agent, TEXT]);
    }
    await until(async () => (await downloads()) === agents.length);
  });

  test("does not count or report an interrupted download", async () => {
    const [free, limited] = [await share("free", LARGE), await share("limited", LARGE, { max_downloads: 2 })];
    for (const { url, downloads, reports } of [free, limited]) {
      const ends = [await begin(url), await begin(url)];
      // With a limit, unfinished downloads already hold their places.
      if (url === limited.url) await until(async () => (await downloads()) === 2);
      if (url === limited.url) expect((await get(url)).status).toBe(410);
      for (const end of ends) end();
      await until(async () => (await downloads()) === 0);
      expect(await reports()).toBe(0);
      expect((await (await get(url)).bytes()).length).toBe(LARGE.length);
      await until(async () => (await downloads()) === 1 && (await reports()) === 1);
    }
  });

  test("serves exactly the allowed number of concurrent downloads, large and small", async () => {
    for (const [name, bytes, most] of [
      ["many small", new TextEncoder().encode(TEXT), 7],
      ["many large", LARGE.subarray(0, 8 * MIB), 3],
    ] as const) {
      const { url, downloads } = await share(name, bytes, { max_downloads: most });
      const answers = await Promise.all(
        Array.from({ length: 40 }, async () => {
          const answer = await get(url);
          return [answer.status, answer.status === 200 ? (await answer.bytes()).length : 0];
        }),
      );
      expect(answers.filter(([status]) => status === 200)).toEqual(
        Array.from({ length: most }, () => [200, bytes.length]),
      );
      expect(answers.filter(([status]) => status === 410).length).toBe(40 - most);
      expect(await downloads()).toBe(most);
    }
  });

  test("counts the visits of its link in any case", async () => {
    const { url, clicks, downloads } = await share("visited", TEXT);
    await (await get(url)).text();
    await get(url, {}, "HEAD");
    await (await get(url, { Range: "bytes=0-2" })).text();
    await until(async () => (await clicks()) === 3);
    expect(await downloads()).toBe(1);
  });
});

/** Share links of a running server, for owners and visitors. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import type { Client } from "./support/session.ts";
import { resetSettings, startShared } from "./support/shared-server.ts";
import { until } from "./support/until.ts";
import type { RunningWaymark } from "./support/waymark.ts";

const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36";
const PREVIEW = "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)";
const HOSTILE = `<img src=x onerror=alert(1)>"'&\u2028.html`;

let server: RunningWaymark;
let client: Client;
beforeAll(async () => {
  ({ server, client } = await startShared("shares"));
});
afterAll(() => resetSettings(client, ["features.share_code_length", "api.trusted_proxies"]));

async function api(method: string, path: string, body?: unknown) {
  const response = await fetch(server.url + path, {
    method,
    headers: { Authorization: `Bearer ${client.token}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // oxlint-disable-next-line no-explicit-any -- answers of many shapes
  return { status: response.status, body: (await response.json()) as any };
}

async function upload(
  name: string,
  bytes: string | Uint8Array<ArrayBuffer>,
  folderId?: number,
): Promise<number> {
  const form = new FormData();
  form.append("file", new Blob([bytes]), name);
  const response = await fetch(
    `${server.url}/files/upload${folderId === undefined ? "" : `?folder_id=${folderId}`}`,
    { method: "POST", headers: { Authorization: `Bearer ${client.token}` }, body: form },
  );
  expect(response.status).toBe(201);
  return ((await response.json()) as { data: { id: number } }).data.id;
}

const folder = async (name: string, parentId: number | null = null): Promise<number> =>
  (await api("POST", "/folders", { name, parent_id: parentId })).body.data.id;

async function share(kind: "files" | "folders", id: number, input: object = {}) {
  const { status, body } = await api("POST", `/${kind}/${id}/share`, input);
  expect(status).toBe(201);
  return body.data as { code: string; url: string; downloads: number; target: string };
}

const visit = (url: string, agent = BROWSER, init: RequestInit = {}) =>
  fetch(url, { redirect: "manual", ...init, headers: { "User-Agent": agent, ...init.headers } });

const sharesOf = async (id: number, kind = "files") => (await api("GET", `/${kind}/${id}/share`)).body.data;

/** Waits until the download is counted, which happens after the answer. */
async function downloadsOf(id: number, expected: number): Promise<void> {
  for (let tries = 0; (await sharesOf(id))[0].downloads !== expected; tries++) {
    if (tries === 200) throw new Error(`counted ${(await sharesOf(id))[0].downloads}, not ${expected}`);
    await Bun.sleep(25);
  }
}

describe("a shared file", () => {
  test("is served safely under its code and counted, and its link is in the list", async () => {
    const id = await upload(HOSTILE.replaceAll('"', ""), "<script>alert(1)</script>");
    const shared = await share("files", id, { code: "shares-paper" });
    expect(shared).toMatchObject({
      code: "shares-paper",
      url: `${server.url}/shares-paper`,
      target: `waymark:file/${id}`,
      downloads: 0,
    });
    const answer = await visit(shared.url);
    expect(await answer.text()).toBe("<script>alert(1)</script>");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-disposition")).toStartWith("attachment;");
    expect(answer.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    expect(answer.headers.get("x-robots-tag")).toContain("noindex");
    await downloadsOf(id, 1);
    const part = await visit(shared.url, BROWSER, { headers: { Range: "bytes=0-7" } });
    expect([part.status, await part.text()]).toEqual([206, "<script>"]);
    expect((await client.call("GET", "/links/shares-paper")).body.data.target).toBe(`waymark:file/${id}`);
    for (
      let tries = 0;
      (await client.call("GET", "/links/shares-paper")).body.data.click_count < 2;
      tries++
    ) {
      if (tries === 100) throw new Error("the clicks were not counted");
      await Bun.sleep(100);
    }
    await downloadsOf(id, 1);
  });

  test("is a page for crawlers and previews, with escaped names; HEAD uses no download", async () => {
    const id = await upload(`preview${HOSTILE.replaceAll('"', "")}`, "x");
    const shared = await share("files", id, { max_downloads: 1 });
    const answer = await visit(shared.url, PREVIEW);
    const html = await answer.text();
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("content-security-policy")).toStartWith(
      "default-src 'none'; style-src 'sha256-",
    );
    expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;&#39;&amp;");
    expect(html).not.toContain("<img");
    expect((await visit(shared.url, BROWSER, { method: "HEAD" })).status).toBe(200);
    expect((await sharesOf(id))[0].downloads).toBe(0);
    expect(await (await visit(shared.url, "curl/8.5.0")).text()).toBe("x");
    expect((await visit(shared.url)).status).toBe(410);
    expect((await visit(shared.url, BROWSER, { method: "HEAD" })).status).toBe(410);
  });

  test("ends when it is revoked, when it expires and when its file is deleted", async () => {
    const id = await upload("ends", "x");
    const revoked = await share("files", id, { code: "to/revoke-share" });
    expect((await visit(revoked.url)).status).toBe(200);
    expect((await api("DELETE", `/files/${id}/share/nothing`)).status).toBe(404);
    expect((await api("DELETE", `/files/${id}/share/to/revoke-share`)).status).toBe(200);
    expect((await visit(revoked.url)).status).toBe(404);
    expect((await client.call("GET", "/links/to%2Frevoke-share")).status).toBe(404);
    const expired = await share("files", id, { expires_at: "2020-01-01T00:00:00Z" });
    expect((await visit(expired.url)).status).toBe(404);
    const lasting = await share("files", id);
    expect((await visit(lasting.url)).status).toBe(200);
    expect((await api("DELETE", `/files/${id}`)).status).toBe(200);
    expect((await visit(lasting.url)).status).toBe(404);
    expect((await client.call("GET", `/links/${lasting.code}`)).status).toBe(404);
  });

  test("keeps its download limit, and a client that disconnects gives its place back", async () => {
    const bytes = new Uint8Array(24 * 1024 * 1024).fill(120);
    const id = await upload("large", bytes);
    const shared = await share("files", id, { max_downloads: 3 });
    const port = Number(new URL(server.url).port);
    const socket = connect(port, "127.0.0.1");
    const begun = Promise.withResolvers<void>();
    socket.once("data", () => {
      socket.pause();
      begun.resolve();
    });
    socket.write(`GET /${shared.code} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${BROWSER}\r\n\r\n`);
    await begun.promise;
    expect((await sharesOf(id))[0].downloads).toBe(1);
    socket.destroy();
    await downloadsOf(id, 0);
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const answer = await visit(shared.url);
        return [answer.status, (await answer.bytes()).length];
      }),
    );
    expect(answers.filter(([status]) => status === 200)).toEqual(
      Array.from({ length: 3 }, () => [200, bytes.length]),
    );
    expect(answers.filter(([status]) => status === 410).length).toBe(7);
    await downloadsOf(id, 3);
  });

  test("has a code that cannot be guessed and is no reserved name of the site", async () => {
    const id = await upload("coded", "x");
    expect((await share("files", id)).code).toMatch(/^[A-Za-z0-9]{14}$/);
    const set = (length: string) =>
      client.call("PUT", "/config/features.share_code_length", { value: length });
    expect((await set("13")).status).toBe(400);
    expect((await set("20")).status).toBe(200);
    expect((await share("files", id)).code).toHaveLength(20);
    for (const code of [".well-known/acme-challenge/x", "robots.txt", "favicon.ico", "sitemap.xml"]) {
      const refused = await api("POST", `/files/${id}/share`, { code });
      expect([refused.status, refused.body.code]).toEqual([400, 3008]);
      expect((await client.call("POST", "/links", { code, target: "https://example.com/" })).status).toBe(
        201,
      );
      expect((await visit(`${server.url}/${code}`)).status).toBe(307);
      await client.call("DELETE", `/links/${code}`);
    }
  });

  test("cannot be redirected, overwritten or created through a link's target", async () => {
    const id = await upload("guarded", "x");
    const { code, target, url } = await share("files", id);
    const http = "https://example.com/";
    expect((await client.call("POST", "/links", { code: "shares-own", target })).body.error).toBe(
      "LinkInvalidUrl",
    );
    expect((await client.call("POST", "/links", { code, target: http, force: true })).status).toBe(409);
    expect((await client.call("PUT", `/links/${code}`, { target: http })).status).toBe(409);
    const form = new FormData();
    form.append("file", new Blob([`code,target\n${code},${http}\nshares-other,${target}\n`]), "links.csv");
    form.append("mode", "overwrite");
    const imported = await (await client.fetch("/links/import", { method: "POST", body: form })).json();
    expect(imported).toMatchObject({ data: { total_rows: 2, skipped_count: 1, failed_count: 1 } });
    expect((await visit(url)).status).toBe(200);
    expect((await visit(`${server.url}/shares-other`)).status).toBe(404);
    expect((await visit(url, BROWSER, { method: "POST" })).status).toBe(303);
    expect((await client.call("DELETE", `/links/${code}`)).status).toBe(200);
    expect(await sharesOf(id)).toEqual([]);
  });
});

describe("a shared folder", () => {
  test("is listed with its contents only; names are escaped", async () => {
    const outside = await upload("outside", "x");
    const top = await folder(`top ${HOSTILE}`);
    const sub = await folder("sub <b>", top);
    const file = await upload("inner & file", "inside", sub);
    const shared = await share("folders", top);
    const html = await (await visit(shared.url, PREVIEW)).text();
    expect(html).toContain(`href="?folder=${sub}"`);
    expect(html).toContain("<bdi>sub &lt;b&gt;</bdi>");
    expect(html).not.toMatch(/<img|<b>|<script>alert/);
    const inner = await (await visit(`${shared.url}?folder=${sub}`)).text();
    expect(inner).toContain(`href="?file=${file}&amp;view=1"`);
    const answer = await visit(`${shared.url}?file=${file}`);
    expect(answer.headers.get("content-disposition")).toContain("inner & file");
    expect(await answer.text()).toBe("inside");
    for (const query of [
      `file=${outside}`,
      "file=0",
      "file=x",
      "folder=4711",
      `folder=${file}`,
      `file=${sub}`,
    ]) {
      expect((await visit(`${shared.url}?${query}`)).status).toBe(404);
    }
    expect((await visit(`${shared.url}?after=nonsense`)).status).toBe(400);
    expect((await api("DELETE", `/folders/${top}`)).status).toBe(200);
    expect((await visit(shared.url)).status).toBe(404);
  });
});

describe("a password", () => {
  let addresses = 0;
  /** A visitor without counted attempts. */
  const newAddress = () => ({ "X-Forwarded-For": `2001:db8:${++addresses}::1` });
  beforeAll(async () => {
    const set = await client.call("PUT", "/config/api.trusted_proxies", { value: "127.0.0.1" });
    expect(set.status).toBe(200);
  });

  test("has at least eight characters or is refused", async () => {
    const id = await upload("short.txt", "short");
    for (const password of ["1", "1234567", "🔑🔑🔑🔑"]) {
      const refused = await api("POST", `/files/${id}/share`, { password });
      expect([refused.status, refused.body.code]).toEqual([400, 1000]);
      expect(refused.body.message).toContain("at least 8 characters");
    }
    for (const password of [null, ""])
      expect(await share("files", id, { password })).toMatchObject({ password: null });
    expect(await share("files", id, { password: "12345678" })).toMatchObject({ password: "[REDACTED]" });
  });

  const send = (url: string, password: string) =>
    visit(url, BROWSER, { method: "POST", body: new URLSearchParams({ password }) });

  test("opens only its share, and wrong ones are limited", async () => {
    const id = await upload("secret.txt", "secret");
    const shared = await share("files", id, { password: "open sesame" });
    const other = await share("files", id, { password: "open sesame" });
    const asked = await visit(shared.url);
    const html = await asked.text();
    expect(asked.status).toBe(401);
    expect(html).toContain('<form method="post">');
    expect(html).not.toContain("secret.txt");
    const opened = await send(`${shared.url}?x=1`, "open sesame");
    expect([opened.status, opened.headers.get("location")]).toEqual([303, `/${shared.code}?x=1`]);
    const cookie = opened.headers.getSetCookie()[0]!;
    expect(cookie).toMatch(/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/);
    const headers = { Cookie: cookie.split(";")[0]! };
    expect(await (await visit(shared.url, BROWSER, { headers })).text()).toBe("secret");
    const forged = { Cookie: headers.Cookie.replace(/_\d+=/, `_${Number(/_(\d+)=/.exec(cookie)![1]) + 1}=`) };
    expect((await visit(other.url, BROWSER, { headers: forged })).status).toBe(401);
    const statuses: number[] = [];
    for (let tries = 0; tries < 30 && statuses.at(-1) !== 429; tries++) {
      statuses.push((await send(shared.url, "wrong")).status);
    }
    expect(statuses[0]).toBe(403);
    expect(statuses.at(-1)).toBe(429);
    expect((await visit(shared.url, BROWSER, { headers })).status).toBe(200);
  });

  test("that is right leads to the page, and at an address of bytes to one that starts the download", async () => {
    const page = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const type = (url: string, password: string) =>
      visit(url, BROWSER, {
        method: "POST",
        body: new URLSearchParams({ password }),
        headers: { ...page, ...newAddress() },
      });
    const top = await folder("locked");
    const id = await upload("a & <b>.txt", "secret", top);
    const byFile = await share("files", id, { password: "open sesame" });
    const opened = await type(`${byFile.url}?x="1"`, "open sesame");
    expect([opened.status, opened.headers.get("location")]).toEqual([303, `/${byFile.code}?x=%221%22`]);
    const byFolder = await share("folders", top, { password: "open sesame" });
    for (const [url, href] of [
      [`${byFile.url}?download=1&x="1"`, `/${byFile.code}?download=1&x=%221%22`],
      [`${byFolder.url}?file=${id}`, `/${byFolder.code}?file=${id}`],
    ] as const) {
      const wrong = await type(url, "open sesamy");
      expect(wrong.status).toBe(403);
      expect(await wrong.text()).toContain("This password is wrong.");
      const right = await type(url, "open sesame");
      const html = await right.text();
      expect([right.status, right.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(html).toContain("The password is right.");
      expect(html).not.toContain("wrong");
      expect(html).not.toContain("<form");
      expect(html).toContain("a &amp; &lt;b&gt;.txt");
      expect(html).toContain(`<meta http-equiv="refresh" content="0; url=${href.replace("&", "&amp;")}">`);
      expect(html).toContain(`href="${href.replace("&", "&amp;")}"`);
      const headers = { ...page, Cookie: right.headers.getSetCookie()[0]!.split(";")[0]! };
      const bytes = await visit(server.url + href, BROWSER, { headers });
      expect([bytes.headers.get("content-disposition")?.slice(0, 11), await bytes.text()]).toEqual([
        "attachment;",
        "secret",
      ]);
    }
    expect((await type(byFolder.url, "open sesame")).status).toBe(303);
  });

  test("guessed from many addresses delays its own share only", async () => {
    const id = await upload("guessed.txt", "guessed");
    const [guessed, other] = [
      await share("files", id, { password: "open sesame" }),
      await share("files", id, { password: "open sesame" }),
    ];
    const from = (url: string, password: string) =>
      visit(url, BROWSER, {
        method: "POST",
        body: new URLSearchParams({ password }),
        headers: newAddress(),
      });
    let refused = await from(guessed.url, "wrong");
    // Each wrong attempt doubles the delay, so even on a slow machine one comes too early.
    for (let wrong = 1; refused.status === 403 && wrong < 30; wrong++) {
      refused = await from(guessed.url, "wrong");
    }
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(await refused.text()).toContain("Too many tries.");
    expect((await from(other.url, "open sesame")).status).toBe(303);
    await until(async () => (await from(guessed.url, "open sesame")).status === 303);
    for (let n = 0; n < 4; n++) expect((await from(guessed.url, "wrong")).status).toBe(403);
    expect((await from(guessed.url, "open sesame")).status).toBe(303);
  });
});

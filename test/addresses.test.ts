/** Addresses of links in answers, with the real program: public_url, the request's host, the command line. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { driveClient } from "./support/drive.ts";
import { sendRaw } from "./support/raw-http.ts";
import { type Client, startSignedIn } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn({ WAYMARK__SERVER__WORKERS: "2" }));
});
afterAll(() => installation.remove());

const TARGET = "https://example.com/";
const shortUrl = async (headers: Record<string, string> = {}) =>
  (await client.fetch("/links/a/b", { headers }).then((response) => response.json())).data.short_url;
const publicUrl = (value: string) => client.call("PUT", "/config/features.public_url", { value });

test("every link in an answer has its short_url, which redirects", async () => {
  const made = await client.call("POST", "/links", { code: "a/b", target: TARGET });
  expect(made.body.data.short_url).toBe(`${server.url}/a/b`);
  const visit = await fetch(made.body.data.short_url, { redirect: "manual" });
  expect([visit.status, visit.headers.get("location")]).toEqual([307, TARGET]);
  const put = await client.call("PUT", "/links/a/b", { target: TARGET });
  const list = await client.call("GET", "/links");
  expect([put.body.data.short_url, list.body.data[0].short_url, await shortUrl()]).toEqual(
    Array(3).fill(`${server.url}/a/b`),
  );
});

test("the Host of the request counts, X-Forwarded-Host only from a trusted proxy", async () => {
  const forwarded = { "X-Forwarded-Host": "go.example", "X-Forwarded-Proto": "https" };
  expect(await shortUrl(forwarded)).toBe(`${server.url.replace("http:", "https:")}/a/b`);
  await client.call("PUT", "/config/api.trusted_proxies", { value: "127.0.0.1" });
  expect(await shortUrl(forwarded)).toBe("https://go.example/a/b");
});

test("a request without a Host is answered, with the listening address", async () => {
  const head = `Authorization: Bearer ${client.token}\r\nConnection: close\r\n\r\n`;
  for (const request of ["HTTP/1.0\r\n", "HTTP/1.1\r\nHost:\r\n"]) {
    const answer = await sendRaw(server.url, `GET /admin/v1/links/a%2Fb?domain= ${request}${head}`);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body).data.short_url).toMatch(/^http:\/\/127\.0\.0\.1(?::\d+)?\/a\/b$/);
  }
});

test("public_url applies to links, shares and commands at once, on every worker", async () => {
  expect((await publicUrl("https://go.example/path")).status).toBe(400);
  expect((await publicUrl("HTTPS://Go.Example/")).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 20 }, () => shortUrl({ Connection: "close" })));
  expect(new Set(answers)).toEqual(new Set(["https://go.example/a/b"]));
  const drive = driveClient(server.url, client.token);
  const file = await drive.upload("paper", "text");
  const share = await drive.call("POST", `/files/${file.body.data.id}/share`, { code: "paper" });
  expect(share.body.data).toMatchObject({
    url: "https://go.example/paper",
    short_url: "https://go.example/paper",
  });
  const added = await installation.run(["links", "add", TARGET, "--code", "cli"]);
  expect(added).toMatch(/^SHORT URL +https:\/\/go\.example\/cli$/m);
  expect(JSON.parse(await installation.run(["links", "get", "cli", "--json"]))).toMatchObject({
    short_url: "https://go.example/cli",
  });
  expect((await publicUrl("")).status).toBe(200);
  expect(await shortUrl()).toBe(`${server.url}/a/b`);
  expect(await installation.run(["links", "get", "cli"])).toMatch(/^SHORT URL +http:\/\/127\.0\.0\.1/m);
});

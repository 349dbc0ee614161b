/** Domains with the real program and two workers: API, redirects, reports, CSV and commands. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendRaw } from "./support/raw-http.ts";
import type { Client } from "./support/session.ts";
import { resetSettings, startSharedWorkers } from "./support/shared-server.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startSharedWorkers());
  await client.call("PUT", "/config/click.flush_interval", { value: "1" });
});
afterAll(() => resetSettings(client, ["click.flush_interval"]));

const target = (name: string) => `https://${name}.test/`;
const visit = async (host: string, path: string) => {
  const { head, status } = await sendRaw(
    server.url,
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  );
  return [status, /^location: (.*)$/im.exec(head)?.[1]!.trim()];
};

test("every worker knows a new domain and its links before the request is answered", async () => {
  for (const [at, host] of ["go.test", "b.test"].entries()) {
    const made = await client.call("POST", "/domains", { host, not_found_url: "https://lost.test/" });
    expect([made.status, made.body.data.host]).toEqual([201, host]);
    const link = await client.call("POST", "/links", {
      code: "domains/x",
      domain: host,
      target: target(`t${at}`),
    });
    expect(link.body.data).toMatchObject({
      code: "domains/x",
      domain: host,
      short_url: `http://${host}/domains/x`,
    });
    for (let tries = 0; tries < 10; tries++) {
      expect(await visit(host.toUpperCase(), "/domains/x")).toEqual([307, target(`t${at}`)]);
      expect(await visit(`${host}:81`, "/c")).toEqual([307, "https://lost.test/"]);
    }
  }
  expect((await visit("other.test", "/domains/x"))[0]).toBe(404);
  const twice = "GET /domains/x HTTP/1.1\r\nHost: go.test\r\nHost: b.test\r\nConnection: close\r\n\r\n";
  expect((await sendRaw(server.url, twice)).status).toBe(400);
});

test("the public URL can't have the host of a domain, nor a domain that of the public URL", async () => {
  const key = "/config/features.public_url";
  for (const value of ["https://go.test", "http://GO.test:8443"]) {
    const refused = await client.call("PUT", key, { value });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      "features.public_url: go.test is the host of a domain; remove that domain, or take another host.",
    ]);
  }
  const refused = await installation.cli(["config", "set", "features.public_url", "https://go.test"]);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("go.test is the host")]);
  expect((await client.call("PUT", key, { value: "https://own.test" })).status).toBe(200);
  expect((await client.call("POST", "/domains", { host: "own.test" })).status).toBe(409);
  await client.call("PUT", key, { value: "" });
});

test("each host answers with its documents, on every worker and at once", async () => {
  const text = `{"applinks":${JSON.stringify("ü".repeat(30_000))}}`;
  const name = "apple-app-site-association";
  const made = await client.call("POST", "/domains", {
    host: "apps.test",
    not_found_url: "https://lost.test/",
    well_known: Array.from({ length: 14 }, (_, at) => ({
      name: `m/${at}`,
      text: "x".repeat(65_536),
    })).concat([{ name, text }]),
  });
  expect([made.status, made.body.data.well_known[0].text]).toEqual([201, text]);
  const value = JSON.stringify([{ name, text: "{}" }]);
  expect((await client.call("PUT", "/config/features.well_known", { value })).status).toBe(200);
  const ask = async (host: string) => {
    const url = `${server.url}/.well-known/${name}`;
    const response = await fetch(url, { headers: { Host: host }, keepalive: false });
    return [response.status, response.headers.get("content-type"), await response.text()];
  };
  for (let tries = 0; tries < 6; tries++) {
    expect(await ask("apps.test")).toEqual([200, "application/json", text]);
    expect(await ask("any.test")).toEqual([200, "application/json", "{}"]);
  }
  const { id } = made.body.data;
  const file = join(installation.dataDir, "assetlinks.json");
  writeFileSync(file, "[]");
  const put = await installation.cli(["domains", "put-document", "apps.test", "assetlinks.json", file]);
  expect(put.stdout).toContain("/.well-known/assetlinks.json");
  expect((await client.call("GET", `/domains/${id}`)).body.data.well_known).toHaveLength(16);
  expect((await client.call("PATCH", `/domains/${id}`, { well_known: [] })).body.data.well_known).toEqual([]);
  expect((await ask("apps.test"))[0]).toBe(404);
  await client.call("PUT", "/config/features.well_known", { value: "[]" });
  expect((await ask("any.test"))[0]).toBe(404);
  await client.call("DELETE", `/domains/${id}`);
});

test("a path names the domain in its query", async () => {
  const own = await client.call("POST", "/links", { code: "domains/x", target: target("own") });
  expect(own.body.data.domain).toBeNull();
  const read = async (query: string) => (await client.call("GET", `/links/domains/x${query}`)).body;
  expect((await read("")).data.target).toBe(target("own"));
  expect((await read("?domain=")).data.target).toBe(target("own"));
  expect((await read("?domain=GO.test")).data.target).toBe(target("t0"));
  expect(await read("?domain=x.test")).toMatchObject({
    code: 1000,
    message: expect.stringContaining("x.test"),
  });
  const changed = await client.call("PUT", "/links/domains/x?domain=go.test", { target: target("new") });
  expect(changed.body.data).toMatchObject({ target: target("new"), domain: "go.test" });
  expect(await visit("go.test", "/domains/x")).toEqual([307, target("new")]);
  const moved = await client.call("PUT", "/links/domains/x?domain=go.test", {
    target: target("x"),
    domain: "b.test",
  });
  expect([moved.status, moved.body.message]).toEqual([400, expect.stringContaining("PATCH")]);
});

test("lists, exports and reports show the bare code and the domain", async () => {
  const list = async (query: string) =>
    (await client.call("GET", `/links${query}`)).body.data.map((link: { domain: string }) => link.domain);
  expect(await list("?search=domains/x")).toEqual([null]);
  expect(await list("?domain=b.test")).toEqual(["b.test"]);
  expect(await list("?domain=*&sort=code&search=domains/x")).toEqual([null, "go.test", "b.test"]);
  const csv = await (await client.fetch("/links/export?domain=*")).text();
  expect(csv.split("\n").filter((line) => line.startsWith("domains/x,")).length).toBe(3);
  expect(csv).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  const clicks = async () =>
    ((await client.call("GET", "/analytics/top?limit=100")).body.data as { [key: string]: unknown }[])
      .filter(({ code }) => code === "domains/x")
      .map(({ code, domain, clicks: all }) => ({ code, domain, clicks: all }));
  const wanted = [
    { code: "domains/x", domain: "go.test", clicks: 11 },
    { code: "domains/x", domain: "b.test", clicks: 10 },
  ];
  await until(async () => Bun.deepEquals(await clicks(), wanted));
  const report = await client.call("GET", "/links/domains/x/analytics?domain=b.test");
  expect(report.body.data).toMatchObject({ code: "domains/x", domain: "b.test", total_clicks: 10 });
  const devices = await client.call("GET", "/links/domains/x/analytics/devices?domain=x.test");
  expect(devices.status).toBe(400);
});

test("commands take --domain, and manage domains", async () => {
  const run = (line: string) => installation.run(line.split(" "));
  await run(`links add ${target("cli")} --code domains-cli --domain b.test`);
  expect(await run("links get domains-cli --domain b.test")).toMatch(
    /^SHORT URL +http:\/\/b\.test\/domains-cli$/m,
  );
  expect((await installation.cli(["links", "get", "domains-cli"])).exitCode).toBe(3);
  expect(JSON.parse(await run("links stats domains/x --domain b.test --json"))).toMatchObject({
    total_clicks: 10,
  });
  expect((await installation.cli(["domains", "remove", "b.test"])).exitCode).toBe(4);
  await run("links remove domains-cli domains/x --domain b.test --yes");
  expect(await run("domains update b.test --host c.test --not-found-url ")).toContain("c.test");
  const listed: { host: string }[] = JSON.parse(await run("domains list --json"));
  expect(listed.filter(({ host }) => host.endsWith(".test"))).toMatchObject([
    { host: "c.test", not_found_url: null },
    { host: "go.test", not_found_url: "https://lost.test/" },
  ]);
  expect(await run("domains remove C.test")).toBe("Removed c.test.\n");
  expect((await installation.cli(["domains", "add", "127.0.0.1"])).exitCode).toBe(2);
  await until(async () => (await visit("b.test", "/c"))[0] === 404);
});

test("an invalid id is 404, a domain with links 409", async () => {
  const { data } = (await client.call("GET", "/domains")).body;
  const { id } = data.find(({ host }: { host: string }) => host === "go.test");
  expect((await client.call("DELETE", `/domains/${id}`)).status).toBe(409);
  for (const wrong of ["0", "x", "9007199254740993", "77"]) {
    expect((await client.call("PATCH", `/domains/${wrong}`, {})).status).toBe(404);
  }
  const patched = await client.call("PATCH", `/domains/${id}`, { not_found_url: null });
  expect(patched.body.data).toMatchObject({ id, host: "go.test", not_found_url: null });
  expect((await visit("go.test", "/nothing"))[0]).toBe(404);
});

/** The first start of the real program: its one-time address on the terminal, and what it opens. */
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Envelope, PASSWORD, signIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import { type Installation, install, type Settings } from "./support/waymark.ts";

const installations: Installation[] = [];
afterAll(() => Promise.all(installations.map((made) => made.remove())));

const ADDRESS = /open (\S+)\/set-up#([\w-]{22}) within an hour/;
const CHOICE = {
  password: PASSWORD,
  public_url: "",
  click_details: true,
  click_addresses: false,
  forgive_tails: true,
  link_passwords: true,
};

async function start(settings: Settings = {}) {
  const installation = install(settings);
  installations.push(installation);
  await installation.run(["config", "set", "api.trusted_proxies", "127.0.0.1"]);
  const server = await installation.serve();
  await until(() => server.log().includes("admin API is"));
  return { installation, server };
}

let clients = 0;
/** Over a connection of its own, from an address without earlier tries. */
const post = (url: string, body: object) =>
  fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Connection: "close",
      "X-Forwarded-For": `192.0.2.${++clients}`,
    },
    body: JSON.stringify(body),
  });

test("workers print one address, before and after a reload, and each of them knows it", async () => {
  const { server, installation } = await start({ WAYMARK__SERVER__WORKERS: "2" });
  server.process.kill("SIGHUP");
  await until(() => server.log().includes('"reloaded"'));
  expect(server.log().match(/set-up#/g)).toHaveLength(1);
  const [, panel, secret] = ADDRESS.exec(server.log())!;
  expect(panel).toBe(`${server.url}/panel`);

  const closed = await fetch(`${server.url}/admin/v1/links`);
  const other = await fetch(`${server.url}/admin/v1/set-up`, { method: "POST" });
  for (const answer of [closed, other]) {
    expect([answer.status, await answer.text()]).toEqual([
      404,
      '{"code":1004,"error":"NotFound","message":"There is nothing at this address."}',
    ]);
  }
  for (let connection = 0; connection < 4; connection++) {
    expect((await post(`${panel}/v1/set-up/check`, { secret })).status).toBe(200);
  }
  const short = await post(`${panel}/v1/set-up`, { ...CHOICE, secret, password: "short" });
  expect([short.status, ((await short.json()) as Envelope).message]).toEqual([
    400,
    expect.stringContaining("8"),
  ]);
  expect((await post(`${panel}/v1/set-up`, { ...CHOICE, secret })).status).toBe(200);
  const { call } = await signIn(server.url);
  const details = await call("GET", "/config/analytics.enable_detailed_logging");
  expect(details.body.data).toMatchObject({ value: "false", pending_value: "true" });
  for (const key of ["features.enforce_link_passwords", "links.forgive_tails"])
    expect((await call("GET", `/config/${key}`)).body.data).toMatchObject({ value: "true" });
  expect((await post(`${panel}/v1/set-up/check`, { secret })).status).toBe(404);

  expect(server.log().split(secret!)).toHaveLength(2);
  expect(server.log()).not.toContain(PASSWORD);
  await server.stop();
  const again = await installation.serve({ WAYMARK__SERVER__WORKERS: "1" });
  await until(() => again.log().includes("The admin API is on."));
  expect(again.log()).not.toContain("set-up");
});

test("reset-password ends the address of the running server", async () => {
  const { server, installation } = await start();
  const [, panel, secret] = ADDRESS.exec(server.log())!;
  await installation.run(["reset-password", "--stdin"], PASSWORD);
  expect((await post(`${panel}/v1/set-up`, { ...CHOICE, secret, password: "of somebody else" })).status).toBe(
    404,
  );
  await until(async () => (await fetch(`${server.url}/admin/v1/links`)).status === 401);
  await signIn(server.url);
});

test("without the panel there is no address", async () => {
  const installation = install();
  installations.push(installation);
  await installation.run(["config", "set", "features.enable_admin_panel", "false"]);
  const server = await installation.serve();
  await until(() => server.log().includes("admin API is off"));
  expect(server.log()).not.toContain("set-up");
  const answer = await post(`${server.url}/panel/v1/set-up`, { ...CHOICE, secret: "x" });
  expect([answer.status, ((await answer.json()) as Envelope).message]).toEqual([
    404,
    "There is nothing at this address.",
  ]);
});

test("the public address begins it, and a log file does not hold it", async () => {
  const installation = install();
  installations.push(installation);
  await installation.run(["config", "set", "features.public_url", "https://go.example.com"]);
  const file = join(installation.dataDir, "waymark.log");
  const child = Bun.spawn([join(import.meta.dir, "..", "bin", "waymark"), "serve", "--port", "0"], {
    env: { ...process.env, WAYMARK__DATA__DIR: installation.dataDir, WAYMARK__LOGGING__FILE: file },
    cwd: installation.dataDir,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let terminal = "";
  for await (const chunk of child.stderr) {
    terminal += new TextDecoder().decode(chunk);
    if (ADDRESS.test(terminal)) break;
  }
  const [, panel, secret] = ADDRESS.exec(terminal)!;
  expect(panel).toBe("https://go.example.com/panel");
  await until(() =>
    readFileSync(file, "utf8").includes("The admin API is off until a password is set: run "),
  );
  child.kill();
  await child.exited;
  expect(readFileSync(file, "utf8")).not.toContain(secret!);
});

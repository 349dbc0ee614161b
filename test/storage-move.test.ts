/** `waymark storage`, and its server: who moves, who may, and what a stop leaves. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type DriveClient, driveClient } from "./support/drive.ts";
import { startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation } from "./support/waymark.ts";

let waymark: Installation;
let me: DriveClient;
let from = 0;
let to = 0;

beforeAll(async () => {
  const made = await startSignedIn();
  waymark = made.installation;
  me = driveClient(made.server.url, made.client.token);
  to = JSON.parse(
    await waymark.run(["storage", "add", "elsewhere", "--path", "elsewhere", "--if-missing", "--json"]),
  ).id;
  const { data } = (await me.call("GET", "/admin/policies")).body;
  from = data.find((one: { is_default: boolean }) => one.is_default).id;
  for (const name of ["one", "two", "three"]) await me.upload(name, name.repeat(100));
});
afterAll(() => waymark?.remove());

const move = (...args: string[]) => waymark.cli(["storage", "move", ...args]);

test("a dry run changes nothing, in the API and on the command line", async () => {
  const { status, body } = await me.call("POST", `/admin/policies/${from}/move`, { to, dry_run: true });
  expect([status, body.data]).toEqual([200, { objects: 3, bytes: 1_100 }]);
  expect((await move("local", "elsewhere", "--dry-run")).stdout).toBe(
    "3 objects (1.1 KiB) would move from 'local' to 'elsewhere'.\n",
  );
  expect((await me.call("GET", `/admin/policies/${from}/move`)).status).toBe(404);
});

test("a move with a rate can be stopped, and the command ends it", async () => {
  const started = await me.call("POST", `/admin/policies/${from}/move`, { to, rate: 1 });
  expect([started.status, started.body.data]).toMatchObject([202, { to, state: "running", objects_left: 3 }]);
  const stopped = await move("local", "--stop", "--json");
  expect(JSON.parse(stopped.stdout)).toMatchObject({ state: "stopped", objects_done: 0, objects_left: 3 });
  const { exitCode, stdout } = await move("local", "elsewhere");
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
  expect(stdout).toContain("3 objects (1.1 KiB) moved.");
  await until(async () => (await me.send("/files/1/download")).status === 200);
  const { data } = (await me.call("GET", `/admin/policies/${from}/move`)).body;
  expect(data).toMatchObject({ objects_done: 3, objects_left: 0, objects_failed: 0, bytes_done: 1_100 });
  expect((await waymark.run(["storage", "list"])).split("\n")[1]).toContain("running");
});

test("a policy is added once, and a bucket needs its keys", async () => {
  const add = (...args: string[]) => waymark.cli(["storage", "add", "elsewhere", ...args], "secret");
  expect((await add("--if-missing")).stdout).toBe("The storage policy 'elsewhere' exists already.\n");
  expect((await add("--path", "other")).exitCode).toBe(4);
  const bucket = ["--endpoint", "https://s3.example.com", "--bucket", "files"];
  const { exitCode, stderr } = await add(...bucket);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("--access-key is required for s3")]);
});

test("wrong names, rates and targets have a sentence", async () => {
  expect((await move("nowhere", "elsewhere")).stderr).toContain("There is no storage policy 'nowhere'");
  expect((await move("local")).stderr).toContain("Name the policy that gets the content");
  expect((await move("local", "elsewhere", "--rate", "fast")).stderr).toContain("--rate");
  expect(await me.refusal("POST", `/admin/policies/${from}/move`, { to: from })).toEqual([400, 1000]);
  expect(await me.refusal("POST", `/admin/policies/${from}/move`, { to: 999 })).toEqual([404, 7002]);
  expect(await me.refusal("POST", `/admin/policies/${from}/move`, { to, rate: -1 })).toEqual([400, 1000]);
  expect(await me.refusal("DELETE", `/admin/policies/999/move`)).toEqual([404, 7002]);
});

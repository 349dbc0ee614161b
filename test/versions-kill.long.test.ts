/** A server that is killed at each step of a replacement has the former content, or the new one with the former as a version. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DriveClient } from "./support/drive.ts";
import { type Killed, startToBeKilled } from "./support/restarts.ts";
import type { Installation } from "./support/waymark.ts";

let installation: Installation;
let me: DriveClient;
let restart: Killed["restart"];

beforeAll(async () => {
  const started = await startToBeKilled();
  ({ installation, me, restart } = started);
  await started.client.call("PUT", "/config/files.versions_keep", { value: "1" });
});
afterAll(() => installation?.remove());

const put = (id: number, body: string) => me.send(`/files/${id}/content`, { method: "PUT", body });
const textOf = async (path: string) => (await me.send(`/files/${path}/download`)).text();

// With one version that is kept, each replacement also drops an older one.
test.each([
  ["blob.written", false],
  ["blob.joined", false],
  ["blob.released", false],
  ["blob.after-commit", true],
  ["blob.dead", true],
  ["blob.object-removed", true],
])("at %s", async (point, isReplaced) => {
  const { id } = (await me.upload(`${point}.txt`, `first ${point}`)).body.data;
  await put(id, `second ${point}`);
  await restart({ WAYMARK_FAULT: point });
  expect(await put(id, `third ${point}`).catch(() => "none")).toBe("none");
  await restart();
  const expected = isReplaced ? ["third", "second"] : ["second", "first"];
  const [version, ...others] = (await me.call("GET", `/files/${id}/versions`)).body.data;
  expect(others).toEqual([]);
  const found = [await textOf(`${id}`), await textOf(`${id}/versions/${version.id}`)];
  expect(found).toEqual(expected.map((text) => `${text} ${point}`));
  expect((await put(id, `fourth ${point}`)).status).toBe(200);
  const { stdout, exitCode } = await installation.cli(["doctor", "--storage", "--fix", "--json"]);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
  expect(stdout).not.toContain("wrong_");
});

/** A server that is killed while a folder is copied shows no half of it, counts it whole, and completes it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DriveClient } from "./support/drive.ts";
import { type Killed, startToBeKilled } from "./support/restarts.ts";
import { until } from "./support/until.ts";
import type { Installation } from "./support/waymark.ts";

/** More than two portions. */
const FILES = 2_100;
const IN_EACH = 70;

let installation: Installation;
let me: DriveClient;
let restart: Killed["restart"];

beforeAll(async () => {
  ({ installation, me, restart } = await startToBeKilled());
});
afterAll(() => installation?.remove());

const copy = (id: number, body: object) => me.call("POST", `/folders/${id}/copy`, body);
const names = async () => {
  const { folders } = (await me.call("GET", "/folders")).body.data;
  return folders.map(({ name }: { name: string }) => name).sort();
};
const usedBytes = async () => (await me.call("GET", "/files/usage")).body.data.used_bytes;
const found = async () => (await me.call("GET", "/files/search?q=needle")).body.data.length;
async function expectSound(): Promise<void> {
  const { stdout, exitCode } = await installation.cli(["doctor", "--storage", "--json"]);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
}

test("at each step", async () => {
  const tree = await me.folder("tree");
  const first = await me.folder("0", tree);
  for (let one = 0; one < IN_EACH; one++) await me.upload(`${one}`, "12345", { folder: `${first}` });
  for (let one = 1; one < FILES / IN_EACH; one++) await copy(first, { name: String(one) });
  await me.upload("needle", "12345", { folder: `${tree}` });
  const size = await usedBytes();
  expect(size).toBe(5 * (FILES + 1));
  const steps: [point: string, isBegun: boolean][] = [
    ["copy.noted", false],
    ["copy.begun", true],
    ["copy.portion", true],
    ["copy.portion:2", true],
    ["copy.placed", true],
  ];
  let copies = 0;
  for (const [point, isBegun] of steps) {
    await restart({ WAYMARK_FAULT: point });
    expect(await copy(tree, { name: point }).catch(() => "none")).toBe("none");
    await restart();
    if (isBegun) copies++;
    // The job may have completed it since the start. The needle is in its first portion.
    const seen = await found();
    expect(seen).toBeLessThanOrEqual((await names()).length);
    expect(await usedBytes()).toBe((1 + copies) * size);
    await expectSound();
    await until(async () => (await names()).length === 1 + copies, 8_000);
    expect(await found()).toBe(1 + copies);
    expect(await usedBytes()).toBe((1 + copies) * size);
    await expectSound();
  }
  const { folders } = (await me.call("GET", "/folders")).body.data;
  for (const { id } of folders) {
    const { folders: inner, files } = (await me.call("GET", `/folders/${id}`)).body.data;
    expect([inner.length, files.length]).toEqual([FILES / IN_EACH, 1]);
    for (const one of inner)
      expect((await me.call("GET", `/folders/${one.id}`)).body.data.files).toHaveLength(IN_EACH);
  }
});

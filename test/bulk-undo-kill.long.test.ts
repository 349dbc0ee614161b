/** The undo of a bulk change goes on after its server was killed, and changes each link back once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Killed, startToBeKilled } from "./support/restarts.ts";
import { until } from "./support/until.ts";

const LINKS = 4_000;
const A_BATCH = 2_000;
const TRIES = 60_000;

let killed: Killed;

beforeAll(async () => {
  killed = await startToBeKilled();
  for (let from = 0; from < LINKS; from += A_BATCH) {
    const links = Array.from({ length: A_BATCH }, (_, at) => ({
      code: `many/${from + at}`,
      target: "https://old.example/",
    }));
    expect((await killed.client.call("POST", "/links/batch", { links })).body.data.failed).toEqual([]);
  }
});
afterAll(() => killed?.installation.remove());

test.each([
  ["a change", { action: "update", set: { replace_in_target: { text: "old.example", by: "new.example" } } }],
  ["a deletion", { action: "delete" }],
] as const)("of %s", async (_, action) => {
  const done = await killed.client.call("POST", "/links/batch/query", {
    filter: {},
    confirm: "all",
    ...action,
  });
  const { changed, change } = done.body.data;
  expect(changed).toBe(LINKS);
  const now = async () => (await killed.client.call("GET", `/bulk-changes/${change}`)).body.data;
  expect((await killed.client.call("POST", `/bulk-changes/${change}/undo`)).body.data.state).toBe("undoing");
  await until(async () => (await now()).restored > 0);
  await killed.restart();
  await until(async () => (await now()).state === "undone", TRIES);
  expect(await now()).toMatchObject({ restored: LINKS, failed: 0, undoable: false });
  const old = await killed.client.call("GET", "/links?target=old.example&domain=*");
  expect(old.body.pagination!.total).toBe(LINKS);
});

/** A move under the eyes of visitors: one server process, then two workers, follow without a restart. */
import { expect, test } from "bun:test";
import { createFresh, type DialectName, isLong, serverUrl } from "../src/db/fresh.test-support.ts";
import { until } from "./support/until.ts";
import { install } from "./support/waymark.ts";

async function moveUnderLoad(to: DialectName, workers: string): Promise<void> {
  const fresh = await createFresh(to);
  const installation = install({ WAYMARK__SERVER__WORKERS: workers });
  try {
    await installation.run(["links", "add", "https://example.com/", "--code", "one"]);
    const server = await installation.serve();
    const wrong: string[] = [];
    let [visits, isOver] = [0, false];
    const visiting = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        visits++;
        const answer = await fetch(`${server.url}/one`, { redirect: "manual" }).catch(String);
        if (typeof answer === "string" || answer.status !== 307) wrong.push(String(answer));
        await Bun.sleep(5);
      }
    });
    await until(() => visits > 100);
    const told = JSON.parse(await installation.run(["move", "--stdin", "--json"], fresh.url));
    expect(told).toMatchObject({ rows: expect.any(Number), closed_ms: expect.any(Number) });
    // A command follows at once; servers when they read the feed.
    await installation.run(["links", "add", "https://example.org/", "--code", "after"]);
    const answerOf = async () =>
      (await fetch(`${server.url}/after`, { redirect: "manual" })).headers.get("location");
    await until(async () => (await answerOf()) === "https://example.org/");
    const before = visits;
    await until(() => visits > before + 100);
    isOver = true;
    await Promise.all(visiting);
    expect(wrong).toEqual([]);
    await server.stop();
    // Counts what a process left that was killed by the end of the test.
    const last = await installation.serve();
    const counted = async () =>
      JSON.parse(await installation.run(["links", "get", "one", "--json"])).click_count;
    await until(async () => (await counted()) === visits);
    await last.stop();
  } finally {
    await installation.remove();
    await fresh.drop();
  }
}

if (isLong) test("two workers follow their database to another file", () => moveUnderLoad("sqlite", "2"));
else
  test.skipIf(serverUrl("postgres") === undefined)("one process follows its database to PostgreSQL", () =>
    moveUnderLoad("postgres", "1"),
  );

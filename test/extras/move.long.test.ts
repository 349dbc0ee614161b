/** A move under the eyes of visitors: one server process, then two workers, follow without a restart, whatever is killed. */
import "../support/long.ts";
import "../../src/extras/move/move.ci.test.ts";
import { expect, test } from "bun:test";
import {
  createFresh,
  DIALECT_NAMES,
  type DialectName,
  serverUrl,
} from "../../src/platform/db/fresh.test-support.ts";
import { clientOf, PASSWORD, signIn } from "../support/session.ts";
import { until } from "../support/until.ts";
import { install } from "../support/waymark.ts";

async function moveUnderLoad(to: DialectName, workers: string): Promise<void> {
  const fresh = await createFresh(to);
  const installation = install({ WAYMARK__SERVER__WORKERS: workers });
  try {
    await installation.run(["links", "add", "https://example.com/", "--code", "one"]);
    const limited = ["--code", "limited", "--max-clicks", "1000000"];
    await installation.run(["links", "add", "https://example.com/", ...limited]);
    const server = await installation.serve();
    const wrong: string[] = [];
    let [visits, passed, isOver] = [0, 0, false];
    // The database counts each of these visitors before they pass. While it is closed they are asked to come back.
    const headers = {
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:135.0) Gecko/20100101 Firefox/135.0",
    };
    const pass = async () => (await fetch(`${server.url}/limited`, { redirect: "manual", headers })).status;
    const passing = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const status = await pass();
        if (status === 307) passed++;
        else if (status !== 503) wrong.push(`limited: ${status}`);
        await Bun.sleep(5);
      }
    });
    const visiting = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        visits++;
        const answer = await fetch(`${server.url}/one`, { redirect: "manual" }).catch(String);
        if (typeof answer === "string" || answer.status !== 307) wrong.push(String(answer));
        await Bun.sleep(5);
      }
    });
    await until(() => visits > 100 && passed > 100);
    const told = JSON.parse(await installation.run(["move", "--stdin", "--json"], fresh.url));
    expect(told).toMatchObject({ rows: expect.any(Number), closed_ms: expect.any(Number) });
    // A command follows at once; servers when they read the feed.
    await installation.run(["links", "add", "https://example.org/", "--code", "after"]);
    const answerOf = async () =>
      (await fetch(`${server.url}/after`, { redirect: "manual" })).headers.get("location");
    await until(async () => (await answerOf()) === "https://example.org/");
    const [before, passedBefore] = [visits, passed];
    await until(() => visits > before + 100 && passed > passedBefore + 100);
    isOver = true;
    await Promise.all([...visiting, ...passing]);
    expect(wrong).toEqual([]);
    await installation.run(["links", "update", "limited", "--max-clicks", String(passed + 3)]);
    const later = [await pass(), await pass(), await pass(), await pass(), await pass()];
    expect(later.filter((status) => status === 307)).toHaveLength(3);
    const doctor = await installation.cli(["doctor", "--json"]);
    expect(doctor.stderr).toContain("has moved; using its new address");
    expect(JSON.parse(doctor.stdout)).toContainEqual(
      expect.objectContaining({
        part: "database",
        message: expect.stringMatching(new RegExp(`^${to}\\w* responds`, "i")),
      }),
    );
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

/** In the order of the switch (`src/platform/db/move-switch.ts`). After the last one the new database is the one. */
const KILLED_AT = ["move.told", "move.closed", "move.brought", "move.switched"];

/** The command is killed at each point in turn; running servers, or one that starts, decide which database it is. */
async function killSwitches(from: DialectName, to: DialectName, points: readonly string[]): Promise<void> {
  const fresh = [await createFresh(from), await createFresh(to)];
  const [old, next] = [fresh[0]!.url, fresh[1]!.url];
  const installation = install({ WAYMARK__DATABASE__URL: old });
  try {
    await installation.run(["reset-password", "--stdin"], PASSWORD);
    let server = await installation.serve();
    const { token } = await signIn(server.url);
    const done: string[] = [];
    const add = async (code: string): Promise<void> => {
      await until(async () => {
        const link = { code, target: "https://example.com/" };
        const { status } = await clientOf(server.url, token).call("POST", "/links", link);
        expect(status).toBeOneOf([201, 503]);
        return status === 201;
      });
      done.push(code);
    };
    for (const [at, point] of points.entries()) {
      await add(`before-${at}`);
      const { signalCode } = await installation.cli(["move", "--stdin"], next, { WAYMARK_FAULT: point });
      expect([point, signalCode]).toEqual([point, "SIGKILL"]);
      if (at % 2 === 1) {
        await server.kill();
        server = await installation.serve();
      }
      await add(`after-${at}`);
    }
    const where = await installation.cli(["move", "--stdin"], next);
    expect(where.stderr).toContain("is the database in use");
    await server.stop();
    const listed = JSON.parse(await installation.run(["links", "list", "--json"])).links;
    expect(listed.map(({ code }: { code: string }) => code).toSorted()).toEqual(done.toSorted());
  } finally {
    await installation.remove();
    await Promise.all(fresh.map((one) => one.drop()));
  }
}

for (const [at, from] of DIALECT_NAMES.entries()) {
  const to = DIALECT_NAMES[(at + 1) % DIALECT_NAMES.length]!;
  const isThere = [from, to].every((name) => name === "sqlite" || serverUrl(name) !== undefined);
  test.skipIf(!isThere)(`a switch from ${from} to ${to} that is killed leaves one database open`, () =>
    killSwitches(from, to, KILLED_AT),
  );
}

test("two workers follow their database to another file", () => moveUnderLoad("sqlite", "2"));
test.skipIf(serverUrl("postgres") === undefined)("one process follows its database to PostgreSQL", () =>
  moveUnderLoad("postgres", "1"),
);

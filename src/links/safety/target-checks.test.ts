import { beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { OutboundFailure, type OutboundRequest } from "../../lib/outbound.ts";
import { DAY, type LinksRoom, NOW, openLinks } from "../links.test-support.ts";
import { linkQueryOf } from "../list/query.ts";
import { createChecksRepository } from "./repository.ts";
import { createTargetChecks } from "./target-checks.ts";

forEachDialect((dialect) => {
  let room: LinksRoom;
  let job: ReturnType<typeof createTargetChecks>;
  /** Statuses by method and URL; a text: why it fails. 200 for others. */
  const responses = new Map<string, number | string>();
  const requests: string[] = [];
  let isEnabled = true;
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }));
    job = createTargetChecks({
      repository: createChecksRepository(room.database),
      changes: room.changes,
      record: room.events.add,
      async outbound({ url, method }: OutboundRequest) {
        requests.push(`${method} ${url}`);
        const status = responses.get(`${method} ${url}`) ?? responses.get(url) ?? 200;
        if (status === "refused") throw new OutboundFailure("refused", "not public");
        if (typeof status === "string") throw new OutboundFailure("failed", status);
        return { url, status, headers: new Headers(), body: Buffer.alloc(0) };
      },
      isEnabled: () => isEnabled,
      isOwn: (url) => url.startsWith("https://own.example/"),
      clock: room.clock,
      restMs: 0,
    });
  });
  beforeEach(async () => {
    await room.clear();
    await room.database.write.deleteFrom("target_rounds").execute();
    responses.clear();
    requests.length = 0;
    isEnabled = true;
  });

  const run = (signal = new AbortController().signal) => job.run(signal);
  const dead = async () =>
    (await room.links.list(linkQueryOf({ only_dead: "true" }, NOW))).links.map(({ code }) => code);
  const recorded = async (action: string) =>
    (
      await room.database.read.selectFrom("events").select("after").where("action", "=", action).execute()
    ).map(({ after }) => JSON.parse(after!) as unknown);

  test("a target that fails for days is dead, until it responds or the link leads elsewhere", async () => {
    const [gone, back] = ["https://gone.example/", "https://back.example/"];
    for (const [code, target] of Object.entries({
      gone,
      back,
      moved: `${gone}2`,
      fine: "https://fine.example/",
    })) {
      await room.links.create({ code, target });
    }
    responses.set(gone, 404).set(`${gone}2`, "the host is not found").set(back, 503);
    for (let day = 0; day < 3; day++) {
      expect(await dead()).toEqual([]);
      await run();
      await run();
      room.clock.time += DAY;
    }
    expect(requests.filter((one) => one.endsWith("fine.example/"))).toHaveLength(3);
    expect((await dead()).sort()).toEqual(["back", "gone", "moved"]);
    expect((await room.links.get("gone")).deadSince).toBe(NOW);
    expect(await recorded("link.target_dead")).toContainEqual({ target: gone, problem: "the answer is 404" });
    responses.set(back, 200);
    await room.links.patch("moved", { target: "https://fine.example/" });
    await room.links.patch("gone", { title: "still dead" });
    await run();
    expect(await dead()).toEqual(["gone"]);
    expect(await recorded("link.target_alive")).toEqual([{ target: back }]);
    expect(await recorded("link.target_dead")).toHaveLength(3);
  });

  test("a wrong response to HEAD is tried again by GET; guarded pages and refused addresses are not dead", async () => {
    const targets = {
      head: { "HEAD https://head.example/": 405, "GET https://head.example/": 200 },
      cut: { "HEAD https://cut.example/": "the connection failed", "GET https://cut.example/": 301 },
      login: { "https://login.example/": 401 },
      busy: { "https://busy.example/": 429 },
      inner: { "https://inner.example/": "refused" },
    };
    for (const [code, given] of Object.entries(targets)) {
      await room.links.create({ code, target: `https://${code}.example/` });
      for (const [url, status] of Object.entries(given)) responses.set(url, status);
    }
    for (let day = 0; day < 4; day++) {
      await run();
      room.clock.time += DAY;
    }
    expect(await dead()).toEqual([]);
    expect(requests).toContain("GET https://head.example/");
    expect(requests).not.toContain("GET https://inner.example/");
  });

  test("own, expired and held links are not checked; a stopped round goes on where it was", async () => {
    await room.links.create({ code: "own", target: "https://own.example/x" });
    await room.links.create({
      code: "old",
      target: "https://old.example/",
      expires_at: "2020-01-01T00:00:00Z",
    });
    await room.links.create({ code: "down", target: "https://down.example/" });
    await room.links.safety.review({ name: "root", via: "api", accountId: 0, ownOnly: false }, "down", {
      action: "take_down",
      reason: null,
      updatedAt: null,
    });
    await room.links.batch.create(
      Array.from({ length: 150 }, (_, at) => ({ code: `l${at}`, target: `https://h${at}.example/` })),
    );
    isEnabled = false;
    await run();
    expect(requests).toEqual([]);
    isEnabled = true;
    const stop = new AbortController();
    const { push } = requests;
    requests.push = (...ones) => {
      if (ones[0]?.includes("//h80.")) stop.abort();
      return push.apply(requests, ones);
    };
    await run(stop.signal);
    requests.push = push;
    const first = requests.length;
    expect(first).toBeLessThan(150);
    await run();
    expect(requests.length - first).toBeLessThan(60);
    expect(new Set(requests).size).toBe(150);
    await run();
    expect(new Set(requests).size).toBe(150);
    expect(requests.some((one) => /own|old|down/.test(one))).toBe(false);
  });
});

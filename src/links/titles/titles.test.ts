import { beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { OutboundFailure, type OutboundRequest } from "../../lib/outbound.ts";
import { type LinksRoom, openLinks } from "../links.test-support.ts";
import { createTitleRepository } from "./repository.ts";
import { createTitles } from "./titles.ts";

forEachDialect((dialect) => {
  let room: LinksRoom;
  let job: ReturnType<typeof createTitles>;
  let isEnabled = true;
  /** Runs while a page is requested. */
  let meanwhile: (url: string) => Promise<unknown> = async () => {};
  const requests: string[] = [];

  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }), { fetchesTitles: () => isEnabled });
    job = createTitles({
      repository: createTitleRepository(room.database),
      links: room.repository,
      changes: room.changes,
      record: room.events.add,
      async outbound({ url }: OutboundRequest) {
        requests.push(url);
        await meanwhile(url);
        if (url.includes("refused")) throw new OutboundFailure("refused", "not public");
        const headers = new Headers({ "Content-Type": "text/html", "Transfer-Encoding": "chunked" });
        const page = `<title>Page of ${url}</title>`;
        const body = Buffer.from(`${page.length.toString(16)}\r\n${page}\r\n0\r\n\r\n`);
        return { url, status: url.includes("missing") ? 404 : 200, headers, body };
      },
      isEnabled: () => isEnabled,
      isOwn: (url) => url.startsWith("https://own.example/"),
      clock: room.clock,
      restMs: 0,
    });
  });
  beforeEach(async () => {
    await room.clear();
    requests.length = 0;
    isEnabled = true;
    meanwhile = async () => {};
  });

  const run = () => job.run(new AbortController().signal);
  const titleOf = async (code: string) => (await room.links.get(code)).title;

  test("a link without a title gets that of its page, once, with an event", async () => {
    await room.links.create({ code: "a", target: "https://a.example/" });
    await room.links.create({ code: "own", target: "https://a.example/2", title: "Mine" });
    await room.links.batch.create([{ code: "b", target: "https://b.example/" }]);
    expect(await titleOf("a")).toBeNull();
    room.clock.time += 5_000;
    await run();
    await run();
    expect(requests.sort()).toEqual(["https://a.example/", "https://b.example/"]);
    expect(await Promise.all(["a", "own", "b"].map(titleOf))).toEqual([
      "Page of https://a.example/",
      "Mine",
      "Page of https://b.example/",
    ]);
    expect((await room.links.get("a")).updatedAt).toBe(room.clock.time);
    const events = await room.database.read
      .selectFrom("events")
      .select(["actor", "subject", "after"])
      .where("action", "=", "link.update")
      .where("subject", "=", "a")
      .execute();
    expect(events).toEqual([
      { actor: "system", subject: "a", after: JSON.stringify({ title: "Page of https://a.example/" }) },
    ]);
    // A title that no person gave leaves the link reusable.
    const { id } = await room.links.get("a");
    expect(await room.links.create({ target: "https://a.example/", reuse: true })).toMatchObject({ id });
  });

  test("a title or target that a person gives meanwhile stays", async () => {
    await room.links.create({ code: "a", target: "https://a.example/" });
    await room.links.create({ code: "b", target: "https://b.example/" });
    await room.links.create({ code: "c", target: "https://c.example/" });
    meanwhile = async (url) => {
      if (url.includes("a.example")) await room.links.patch("a", { title: "By hand" });
      if (url.includes("b.example")) await room.links.patch("b", { target: "https://other.example/" });
      if (url.includes("c.example")) await room.links.remove("c");
    };
    await run();
    expect([await titleOf("a"), await titleOf("b")]).toEqual(["By hand", null]);
    expect(requests).toHaveLength(3);
    await run();
    expect(requests).toHaveLength(3);
  });

  test("what fails, is refused, ours, of another scheme or switched off is left alone", async () => {
    isEnabled = false;
    await room.links.create({ code: "off", target: "https://off.example/" });
    isEnabled = true;
    for (const code of ["refused", "missing", "own"])
      await room.links.create({ code, target: `https://${code}.example/` });
    await run();
    await run();
    expect(requests.sort()).toEqual(["https://missing.example/", "https://refused.example/"]);
    for (const code of ["off", "refused", "missing", "own"]) expect(await titleOf(code)).toBeNull();
    await room.links.create({ code: "later", target: "https://later.example/" });
    isEnabled = false;
    await run();
    isEnabled = true;
    await run();
    expect(await titleOf("later")).toBe("Page of https://later.example/");
  });

  test("a failure in between requests no page again", async () => {
    await room.links.create({ code: "a", target: "https://a.example/" });
    meanwhile = () => Promise.reject(new Error("killed"));
    await expect(run()).rejects.toThrow("killed");
    meanwhile = async () => {};
    await run();
    expect(requests).toEqual(["https://a.example/"]);
    expect(await titleOf("a")).toBeNull();
  });

  test("many links of one host keep no others waiting", async () => {
    const many = Array.from({ length: 250 }, (_, at) => ({
      code: `m${at}`,
      target: `https://many.example/${at}`,
    }));
    await room.links.batch.create(many);
    await room.links.create({ code: "z", target: "https://z.example/" });
    await run();
    expect(await titleOf("z")).not.toBeNull();
    expect(requests).toHaveLength(21);
  });
});

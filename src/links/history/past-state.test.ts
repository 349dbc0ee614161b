/** Every state of a link's history comes back whole, though events contain only what changed. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import { createLinkCsv } from "../csv/service.ts";
import type { LinkView, PatchInput } from "../link/link.ts";
import { viewOfLink } from "../link/link.ts";
import { type LinksRoom, NOW, openLinks, refusal, TARGET } from "../links.test-support.ts";

forEachDialect(({ openDb }) => {
  let room: LinksRoom;
  beforeAll(async () => void (room = await openLinks(await openDb())));
  afterAll(() => room?.database.close());
  beforeEach(() => room.clear());

  /** What restoring restores: all but code, password and times. */
  async function held(code: string) {
    const view: Partial<LinkView> = viewOfLink(await room.links.get(code), "https://go.example", () => null);
    for (const name of ["code", "short_url", "password", "updated_at"] as const) delete view[name];
    return view;
  }
  /** Event of a link. */
  const newest = async () => {
    const { events } = await room.events.page({}, null, 5);
    return events.find(({ action }) => action.startsWith("link."))!.id;
  };

  test("whatever changed since, by any way of writing", async () => {
    const csv = createLinkCsv({
      database: room.database,
      changes: room.changes,
      events: room.events,
      routePrefixes: () => [],
      domains: room.links.domains,
      hashPassword: async (plain) => plain,
      clock: room.clock,
    });
    let code = "a";
    await room.links.create({ code, target: TARGET, title: "first", tags: ["x", "y"], max_clicks: 5 });
    const states = [{ id: await newest(), state: await held(code) }];
    const change = (patch: PatchInput) => () => room.links.patch(code, patch);
    const steps: (() => Promise<unknown>)[] = [
      change({ title: null, note: "a note" }),
      change({ target: `${TARGET}2` }),
      change({ tags: ["z"] }),
      change({ starts_at: "2026-01-01T00:00:00Z", fallback_url: "https://fall.example/", max_clicks: null }),
      change({ code: "b", title: "renamed" }),
      () => room.links.batch.update([{ code: "b", payload: { target: `${TARGET}3`, add_tags: ["w"] } }]),
      () => csv.import(Buffer.from("code,target\nb,https://imported.example/\n"), { mode: "overwrite" }),
      () => room.links.create({ code: "b", target: `${TARGET}4`, force: true, redirect_status: 308 }),
      change({ forward_query: true, expires_at: "2099-01-01T00:00:00Z" }),
      () => room.links.queryBatch({ filter: {}, action: "update", set: { title: "all" }, confirm: "all" }),
    ];
    for (const step of steps) {
      room.clock.time += 1_000;
      await step();
      if (code === "a" && (await room.links.find("b")) !== null) code = "b";
      states.push({ id: await newest(), state: await held(code) });
    }
    const known = states.length;
    expect(new Set(states.map(({ state }) => JSON.stringify(state))).size).toBe(known);
    // In an order that mixes old and new, each restoration being one more change.
    for (let round = 0; round < 2 * known; round++) {
      const at = (round * 7) % known;
      const side = round % 2 === 0 || at === 0 ? "after" : "before";
      await room.links.revert(code, states[at]!.id, side);
      const expected = states[side === "after" ? at : at - 1]!.state;
      expect([at, side, await held(code)]).toEqual([at, side, expected]);
    }
  });

  test("a tag that was renamed or removed everywhere comes back", async () => {
    await room.links.create({ code: "a", target: TARGET, tags: ["old", "gone"] });
    await room.links.patch("a", { title: "titled" });
    const id = await newest();
    await room.links.tags.rename("old", "new");
    await room.links.tags.remove("gone");
    await room.links.patch("a", { title: "other" });
    await room.links.revert("a", id, "after");
    expect(await held("a")).toMatchObject({ title: "titled", tags: ["gone", "old"] });
  });

  test("a restored link can go back to states before its deletion", async () => {
    await room.links.create({ code: "a", target: TARGET, note: "kept", title: "one" });
    await room.links.patch("a", { title: "two" });
    const id = await newest();
    await room.links.patch("a", { title: "three", note: null });
    await room.links.remove("a");
    const { links } = await room.links.deleted.page(COMMAND, null, 1);
    await room.links.deleted.restore(COMMAND, links[0]!.id, null);
    await room.links.patch("a", { note: "another" });
    await room.links.revert("a", id, "after");
    expect(await held("a")).toMatchObject({ title: "two", note: "kept" });
    await room.links.revert("a", id, "before");
    expect(await held("a")).toMatchObject({ title: "one", note: "kept" });
  });

  test("an event with the whole state, as older versions wrote it, can be restored", async () => {
    await room.links.create({ code: "a", target: TARGET, title: "one" });
    const { id: subjectId } = await room.links.get("a");
    const whole = (title: string) => ({ code: "a", target: TARGET, title, tags: ["t"] });
    const event = { at: NOW, actor: COMMAND, action: "link.update", subject: "a", subjectId };
    await room.database.transaction((tx) =>
      room.events.add(tx, [{ ...event, before: { ...whole("one"), note: "n" }, after: whole("two") }]),
    );
    const id = await newest();
    await room.links.patch("a", { title: "three", note: "m" });
    await room.links.revert("a", id, "before");
    expect(await held("a")).toMatchObject({ title: "one", note: "n", tags: ["t"] });
    await room.links.revert("a", id, "after");
    expect(await held("a")).toMatchObject({ title: "two", note: null, tags: ["t"] });
  });

  test("reads more events than one portion, and only those of the link", async () => {
    await room.links.create({ code: "a", target: TARGET, title: "first", note: "old" });
    await room.links.create({ code: "b", target: TARGET, title: "b" });
    const created = (await room.events.page({ subject: "a" }, null, 1)).events[0]!.id;
    await room.links.patch("a", { expires_at: "2099-01-01T00:00:00Z" });
    const id = await newest();
    const { id: subjectId } = await room.links.get("a");
    const noise = { at: NOW, actor: COMMAND, action: "link.update", subject: "a", subjectId };
    await room.database.transaction((tx) =>
      room.events.add(
        tx,
        Array.from({ length: 2_100 }, (_, n) => ({
          ...noise,
          before: { target: `${TARGET}${n}` },
          after: { target: `${TARGET}${n + 1}` },
        })),
      ),
    );
    await room.links.patch("b", { title: "not a's", note: "not a's" });
    await room.links.patch("a", { title: "last", note: "new" });
    await room.links.revert("a", id, "after");
    expect(await held("a")).toMatchObject({ target: `${TARGET}0`, title: "first", note: "old" });
    await room.links.revert("a", created, "after");
    expect(await held("a")).toMatchObject({ target: TARGET, expires_at: null });
    const ofB = (await room.events.page({ subject: "b" }, null, 1)).events[0]!.id;
    expect(await refusal(room.links.revert("a", ofB, "after"))).toBe("NotFound");
  });
});

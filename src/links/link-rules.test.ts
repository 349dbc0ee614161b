/** Rules as a field of links; what they decide is tested in redirect/rules.test.ts. */
import { parseBulkId } from "./bulk-id.ts";
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../platform/db/for-each-dialect.test-support.ts";
import { type Actor, COMMAND } from "../lib/actor.ts";
import { asciiLower } from "../lib/ascii-lower.ts";
import { AppError } from "../lib/errors.ts";
import { validated } from "../lib/validated.ts";
import { createLinkCsv } from "./csv/service.ts";
import { codeBelow } from "./fallback/loops.ts";
import { createSchema, patchSchema, viewOfLink } from "./link/link.ts";
import { type LinksRoom, openLinks, TARGET } from "./links.test-support.ts";
import { internalTarget } from "./link/internal-target.ts";
import { type QueryBatchInput } from "./query-batch/query-batch.ts";

const ANNA: Actor = { ...COMMAND, name: "anna", accountId: 5, ownOnly: true };
const own = (code: string) => `https://go.example/${code}`;
const MOBILE = { if: { device: "mobile" }, target: "https://m.example/" };

const messageOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "no error",
    (error: unknown) => (error instanceof AppError ? error.message : error),
  );

forEachDialect((dialect) => {
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }), {
      ownCode: (url) => codeBelow("https://go.example", url),
    });
  });
  beforeEach(() => room.clear());

  const create = (code: string, rules: unknown, by = ANNA, more: object = {}) =>
    room.links.by(by).create(validated(createSchema, { code, target: TARGET, rules, ...more }, "The link"));
  const patch = (code: string, change: object, by = ANNA) =>
    room.links.by(by).patch(code, validated(patchSchema, change, "The change"));
  const rulesOf = async (code: string) =>
    viewOfLink(await room.links.get(code), "http://localhost", () => null).rules;
  /** What its code serves is of another room. */
  async function share(code: string, ownerId: number): Promise<void> {
    await room.links.create({ code, target: TARGET });
    const set = { target: internalTarget("folder", 1), owner_id: ownerId };
    await room.database.write.updateTable("links").set(set).where("code", "=", code).execute();
  }

  test("an event tells of rules that changed, and of no others; a change can be reverted", async () => {
    const both = [MOBILE, { if: { language: ["DE", "de-CH"] }, target: "https://de.example/" }];
    await create("a", both);
    expect(await rulesOf("a")).toEqual([
      MOBILE,
      { if: { language: ["de", "de-ch"] }, target: "https://de.example/" },
    ]);
    await patch("a", { title: "t", rules: both });
    await patch("a", { rules: [MOBILE] });
    await patch("a", { rules: [] });
    expect(await rulesOf("a")).toBeNull();
    const { events } = await room.events.page({}, null, 10);
    const recorded = events.map(({ before, after }) =>
      [before, after].map((state) => state && JSON.parse(state)),
    );
    expect(recorded.slice(0, 3)).toMatchObject([
      [{ rules: [MOBILE] }, { rules: null }],
      [{ rules: [{}, {}] }, { rules: [MOBILE] }],
      [{ title: null }, { title: "t" }],
    ]);
    expect(recorded[2]![1]).toEqual({ title: "t" });
    await room.links.revert("a", events[1]!.id, "before");
    expect(await rulesOf("a")).toHaveLength(2);
  });

  const to = (code: string) => [MOBILE, { if: { percent: 50 }, target: `share:${code}` }];
  const NOT_OWN = "rules.1.target must name a share or drop box of the account that owns the link.";
  const NO_ACCOUNT =
    "rules.1.target can't name a share, because the link belongs to no account; give the short URL of the share.";
  const ELSEWHERE =
    "rules.1.target can't name a share, because the link is not on the default domain; give the short URL of the share.";

  test("a rule may name a share of the link's account, and no other", async () => {
    await share("annas", 5);
    await share("bens", 6);
    await room.links.create({ code: "link", target: TARGET });
    expect(await messageOf(create("a", to("annas")))).toBe("no error");
    for (const code of ["bens", "link", "nothing"]) {
      expect(await messageOf(create("b", to(code)))).toBe(NOT_OWN);
      expect(await messageOf(patch("a", { rules: to(code) }))).toBe(NOT_OWN);
      const { create: createMany, update } = room.links.by(ANNA).batch;
      const made = await createMany([{ code: "b", target: TARGET, rules: to(code) }]);
      const changed = await update([{ code: "a", payload: { target: TARGET, rules: to(code) } }]);
      expect([...made.failed, ...changed.failed].map(({ error }) => error)).toEqual([NOT_OWN, NOT_OWN]);
    }
    // The account of the link counts, not that of who changes it.
    const admin = { ...ANNA, name: "admin", accountId: 0, ownOnly: false };
    await patch("a", { rules: [MOBILE] });
    expect(await messageOf(patch("a", { rules: to("annas"), code: "renamed" }, admin))).toBe("no error");
    expect(await messageOf(patch("renamed", { rules: to("bens") }, admin))).toBe(NOT_OWN);
    expect(await messageOf(create("renamed", to("annas"), admin, { force: true }))).toBe("no error");
    expect(await messageOf(create("c", to("annas"), COMMAND))).toBe(NO_ACCOUNT);
    // Rules that stay are not validated again.
    await room.links.remove("link");
    await room.database.write
      .updateTable("links")
      .set({ code: "moved" })
      .where("code", "=", "annas")
      .execute();
    expect(await messageOf(patch("renamed", { rules: to("annas"), title: "t" }))).toBe("no error");
    expect(await messageOf(patch("renamed", { code: "again" }))).toBe("no error");
  });

  test("shares are on the default domain, and so are links with rules that name them", async () => {
    const { id } = await room.links.domainService.create({ host: "other.example" }, COMMAND);
    await share("annas", 5);
    const domain = "other.example";
    expect(await messageOf(create("a", to("annas"), ANNA, { domain }))).toBe(ELSEWHERE);
    await create("b", to("annas"));
    expect(await messageOf(patch("b", { domain }))).toBe(ELSEWHERE);
    const moving: QueryBatchInput = { filter: { codes: ["b"] }, action: "update", set: { domain } };
    expect(await room.links.by(ANNA).queryBatch(moving)).toMatchObject({
      changed: 0,
      first_error: ELSEWHERE,
    });
    await patch("b", { rules: [MOBILE] });
    expect(await messageOf(patch("b", { domain }))).toBe("no error");
    await room.clear();
    await room.links.domainService.remove(id, COMMAND);
  });

  test("an import asks for the account of the link, too", async () => {
    await share("annas", 5);
    await share("bens", 6);
    await create("mine", [MOBILE]);
    const row = (code: string, shared: string) =>
      `${code},${TARGET},"${JSON.stringify(to(shared)).replaceAll('"', '""')}"\n`;
    const file = Buffer.from(
      `code,target,rules\n${row("mine", "annas")}${row("mine", "bens")}${row("new", "annas")}`,
    );
    const csvOf = (stored: (key: string) => string) =>
      createLinkCsv({
        database: room.database,
        changes: room.changes,
        events: room.events,
        routePrefixes: () => ["/admin"],
        domains: { ...room.links.domains, stored },
        hashPassword: async (plain) => plain,
        clock: room.clock,
      });
    const csv = csvOf((key) => key);
    for (const dryRun of [true, false]) {
      const { failed_items: failed } = await csv.import(file, { mode: "overwrite", dryRun });
      expect(failed.map(({ row: line, code, error }) => [line, code, error])).toEqual([
        [3, "mine", NOT_OWN],
        [4, "new", NO_ACCOUNT],
      ]);
    }
    expect(await rulesOf("mine")).toEqual(to("annas"));
    expect((await csv.import(file, { mode: "skip" })).skipped_count).toBe(2);
    const inCapitals = Buffer.from(`code,target,rules\n${row("mine", "ANNAS")}`);
    const failures = (one: typeof csv) =>
      one.import(inCapitals, { mode: "overwrite" }).then(({ failed_items: failed }) => failed.length);
    expect([await failures(csv), await failures(csvOf(asciiLower))]).toEqual([1, 0]);
  });

  test("undo, history and trash bring no rule back that names a share of somebody else", async () => {
    await share("annas", 5);
    await create("a", to("annas"));
    await create("b", to("annas"));
    const { id: deleted } = await room.links.get("b");
    const changing: QueryBatchInput = { filter: { codes: ["a"] }, action: "update", set: { rules: null } };
    const { change } = await room.links.by(ANNA).queryBatch(changing);
    const [event] = (await room.events.page({}, null, 1)).events;
    await room.links.remove("b");
    const { write } = room.database;
    await write.updateTable("links").set({ owner_id: 6 }).where("code", "=", "annas").execute();
    const { failed } = await room.links.by(ANNA).undoBatch(parseBulkId(change!), 0);
    expect(failed.map(({ code, error }) => [code, error.message])).toEqual([["a", NOT_OWN]]);
    expect(await messageOf(room.links.by(ANNA).revert("a", event!.id, "before"))).toBe(NOT_OWN);
    expect(await messageOf(room.links.deleted.restore(ANNA, deleted, null))).toBe(NOT_OWN);
    // Without the share, visitors see that nothing is there.
    await write.deleteFrom("links").where("code", "=", "annas").execute();
    expect(await messageOf(room.links.deleted.restore(ANNA, deleted, null))).toBe("no error");
  });

  test("no rule may lead back to its link through a fallback", async () => {
    const rules = [{ if: { percent: 1 }, target: own("a") }];
    await create("a", null, ANNA, { fallback_url: own("b") });
    expect(await messageOf(create("b", rules))).toBe(
      "The rules.0.target leads back to this link through the fallback_url of another link; choose another page.",
    );
    expect(await messageOf(create("c", rules))).toBe("no error");
    expect(await messageOf(create("d", null, ANNA, { fallback_url: own("c") }))).toBe("no error");
    expect(await messageOf(patch("a", { fallback_url: own("c") }))).toBe(
      "The fallback_url leads back to this link; choose a page that is no short link.",
    );
  });
});

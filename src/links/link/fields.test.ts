import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { AppError } from "../../lib/errors.ts";
import { validated } from "../../lib/validated.ts";
import { codeBelow } from "../fallback/loops.ts";
import { parseLinkFields } from "./field-values.ts";
import { createSchema, updateSchema, viewOfLink } from "./link.ts";
import { type LinksRoom, NOW, openLinks, refusal, TARGET } from "../links.test-support.ts";

const ALL = {
  title: "Überschrift 😀",
  note: "One.\nTwo.",
  starts_at: "1d",
  max_clicks: 9_007_199_254_740_991,
  fallback_url: "https://example.com/over",
  redirect_status: 308,
  forward_query: true,
} as const;
const SHOWN = { ...ALL, starts_at: "2026-11-21T13:00:00.000Z" };
const NONE = {
  title: null,
  note: null,
  starts_at: null,
  max_clicks: null,
  fallback_url: null,
  redirect_status: 307,
  forward_query: false,
};

describe("input", () => {
  const refused = (fields: object): string => {
    try {
      parseLinkFields(validated(createSchema, { target: TARGET, ...fields }, "The link"), {
        now: NOW,
        schemes: [],
      });
      return "no error";
    } catch (error) {
      if (error instanceof AppError) return error.name;
      throw error;
    }
  };

  test.each([
    [{ max_clicks: 0 }],
    [{ max_clicks: -1 }],
    [{ max_clicks: 2 ** 53 }],
    [{ max_clicks: 1.5 }],
    [{ max_clicks: "1" }],
    [{ redirect_status: 303 }],
    [{ redirect_status: "301" }],
    [{ forward_query: "yes" }],
    [{ title: "x".repeat(201) }],
    [{ title: "😀".repeat(201) }],
    [{ title: "a\nb" }],
    [{ title: "a\u0000b" }],
    [{ title: "\ud800" }],
    [{ title: "exe.\u202egpj" }],
    [{ title: "a\u2066b" }],
    [{ title: "\u200b\u2060" }],
    [{ title: "\u200f\u061c" }],
    [{ title: "\u2800 \u00ad" }],
    [{ note: "x".repeat(2001) }],
    [{ note: "a\u0000b" }],
    [{ title: 1 }],
  ])("%j is refused", (fields) => expect(refused(fields)).toBe("BadRequest"));

  test.each([
    ["InvalidDateFormat", { starts_at: "soon" }],
    ["InvalidDateFormat", { starts_at: "9999-12-31T23:59:59-01:00" }],
    ["LinkInvalidUrl", { fallback_url: "javascript:alert(1)" }],
    ["LinkInvalidUrl", { fallback_url: "waymark:link/{}" }],
    ["LinkInvalidUrl", { fallback_url: "https://u:p@example.com/" }],
    ["LinkInvalidUrl", { fallback_url: `https://example.com/${"x".repeat(8192)}` }],
    ["no error", { title: "😀".repeat(200), note: "\tä\r\n".repeat(500) }],
    ["no error", { title: "👩\u200d👧 تقرير", note: "\u202b" }],
    ["no error", { title: " \u00a0" }],
    ["no error", { max_clicks: 1, starts_at: " 2001-01-01T00:00:00Z " }],
  ])("%s for %j", (name, fields) => expect(refused(fields)).toBe(name));
});

forEachDialect((dialect) => {
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }), {
      ownCode: (url) => codeBelow("https://go.example", url),
    });
  });
  beforeEach(() => room.clear());
  const shown = async (code: string) =>
    viewOfLink(await room.links.get(code), "http://localhost", () => null);
  const update = (body: object) =>
    room.links.update("a", validated(updateSchema, { target: TARGET, ...body }, "It"));

  test("a create stores all fields, and records by whom", async () => {
    await room.links.create({ code: "a", target: TARGET, ...ALL });
    expect(await shown("a")).toMatchObject({ ...SHOWN, created_by: "cli" });
    await room.links.create({ code: "b", target: TARGET });
    expect(await shown("b")).toMatchObject({ ...NONE, created_by: "cli" });
  });

  test("an update of a client that does not know the fields keeps them", async () => {
    await room.links.create({ code: "a", target: TARGET, ...ALL });
    await update({ target: "https://example.com/other", expires_at: "2d" });
    expect(await shown("a")).toMatchObject({ ...SHOWN, target: "https://example.com/other" });
  });

  test("an update sets what is there and clears what is null or empty", async () => {
    await room.links.create({ code: "a", target: TARGET, ...ALL });
    await update({ title: "b", max_clicks: 3, starts_at: "", note: null });
    expect(await shown("a")).toMatchObject({
      ...SHOWN,
      title: "b",
      max_clicks: 3,
      starts_at: null,
      note: null,
    });
    await update({
      title: "",
      max_clicks: null,
      fallback_url: "",
      redirect_status: null,
      forward_query: null,
    });
    expect(await shown("a")).toMatchObject(NONE);
  });

  test("an overwrite replaces all", async () => {
    await room.links.create({ code: "a", target: TARGET, ...ALL });
    await room.links.create({ code: "a", target: TARGET, force: true, max_clicks: 4 });
    expect(await shown("a")).toMatchObject({ ...NONE, max_clicks: 4 });
  });

  test("batches take the fields", async () => {
    const { batch } = room.links;
    const created = await batch.create([
      { code: "a", target: TARGET, ...ALL },
      { code: "b", target: TARGET, max_clicks: 0 },
    ]);
    expect([created.success, created.failed.map(({ code }) => code)]).toEqual([["a"], ["b"]]);
    await batch.update([{ code: "a", payload: { target: TARGET, max_clicks: null, title: "t" } }]);
    expect(await shown("a")).toMatchObject({ ...SHOWN, max_clicks: null, title: "t" });
  });

  test("a fallback that leads back through short links of ours is refused", async () => {
    const { links } = room;
    const own = (code: string) => `https://go.example/${code}?x#y`;
    const withFallback = (code: string, to: string) =>
      refusal(links.create({ code, target: TARGET, fallback_url: own(to) }));
    expect(await withFallback("a", "a")).toBe("LinkInvalidUrl");
    expect(await withFallback("a", "%61")).toBe("LinkInvalidUrl");
    expect(await withFallback("b", "a")).toBe("no error");
    await links.create({ code: "c", target: own("b") });
    expect(await withFallback("a", "c")).toBe("LinkInvalidUrl");
    expect(await withFallback("d", "c")).toBe("no error");
    const { failed } = await links.batch.create([{ code: "a", target: TARGET, fallback_url: own("c") }]);
    expect(failed.map(({ error_code }) => error_code)).toEqual([3002]);
    await links.create({ code: "a", target: TARGET });
    expect(await refusal(links.update("a", { target: TARGET, fallback_url: own("d") }))).toBe(
      "LinkInvalidUrl",
    );
    expect(
      await refusal(links.update("a", { target: TARGET, fallback_url: "https://go.example:81/a" })),
    ).toBe("no error");
  });

  test("no write may close a loop through the fallback of another link", async () => {
    const { links } = room;
    const own = (code: string) => `https://go.example/${code}`;
    await links.create({ code: "a", target: TARGET, fallback_url: own("b") });
    const closing = { target: own("a") };
    expect(await refusal(links.create({ code: "b", ...closing }))).toBe("LinkInvalidUrl");
    await links.create({ code: "b", target: TARGET });
    for (const write of [
      () => links.update("b", closing),
      () => links.patch("b", closing),
      () => links.patch("b", { fallback_url: own("a") }),
      () => links.create({ code: "b", ...closing, force: true }),
    ]) {
      expect(await refusal(write())).toBe("LinkInvalidUrl");
    }
    const { failed } = await links.batch.update([{ code: "b", payload: closing }]);
    expect(failed.map(({ error }) => error)).toEqual([
      "The target leads back to this link through the fallback_url of another link; choose another page.",
    ]);
    const set = { target: own("a") };
    const matched = await links.queryBatch({ filter: { search: "b" }, action: "update", set });
    expect(matched).toMatchObject({ matched: 1, changed: 0 });
    await links.create({ code: "c", ...closing });
    expect(await refusal(links.patch("c", { code: "b2" }))).toBe("no error");
    await links.remove("b");
    expect(await refusal(links.patch("b2", { code: "b" }))).toBe("LinkInvalidUrl");
    expect(await refusal(links.patch("b2", { title: "any" }))).toBe("no error");
  });

  test("targets alone may form a loop", async () => {
    const { links } = room;
    const own = (code: string) => `https://go.example/${code}`;
    await links.create({ code: "a", target: own("b"), fallback_url: TARGET });
    expect(await refusal(links.create({ code: "b", target: own("a") }))).toBe("no error");
    expect(await refusal(links.update("b", { target: own("b") }))).toBe("no error");
  });

  test("a chain of our links is followed to its bound only", async () => {
    const { links } = room;
    for (let at = 0; at < 20; at++)
      await links.create({ code: `l${at}`, target: `https://go.example/l${at + 1}` });
    expect(
      await refusal(links.create({ code: "a", target: TARGET, fallback_url: "https://go.example/l0" })),
    ).toBe("LinkInvalidUrl");
    expect(
      await refusal(links.create({ code: "a", target: TARGET, fallback_url: "https://go.example/l9" })),
    ).toBe("no error");
  });
});

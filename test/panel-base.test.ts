/** Parts of the panel that need no browser. */
import { Glob } from "bun";
import { afterEach, expect, setSystemTime, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { i18n as panelTexts, type Messages, setupI18n } from "@lingui/core";
import { I18nProvider, Trans } from "@lingui/react";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { createCountLead } from "../panel/src/ui/lists/count-lead.ts";
import { dateLocale } from "../panel/src/base/date-locale.ts";
import { isolateNames } from "../panel/src/base/isolated-names.ts";
import { hasTargets, partsIn, wordsIn } from "../panel/src/base/targets.ts";
import { noteServerTime, serverNow } from "../panel/src/base/server-clock.ts";
import { contrast } from "../src/lib/accent.ts";
import { COLOURS, GREYS, SERIES } from "../src/lib/tokens.ts";

// A page without settings of the server: the panel's own, which count in UTC.
const page = { querySelector: () => null, baseURI: "http://localhost/panel/" };
Object.defineProperty(globalThis, "document", { value: page, configurable: true });
const { spanOf } = await import("../panel/src/clicks/range.ts");
Reflect.deleteProperty(globalThis, "document");

afterEach(() => void setSystemTime());

test("a name that is read from right to left, or turns the direction, is isolated in sentences", () => {
  const messages: Messages = { moved: [["name"], " is in ", ["folder"], "."] };
  const i18n = setupI18n({ locale: "en", messages: { en: messages } });
  isolateNames(i18n);
  const said = (name: string, folder: string) => i18n._("moved", { name, folder });
  expect(said("photo (2).jpg", "数")).toBe("photo (2).jpg is in 数.");
  expect(said("תמונה 12.jpg", "a")).toBe("\u2068תמונה 12.jpg\u2069 is in a.");
  expect(i18n.t({ id: "moved", values: { name: "a", folder: "\u202Egpj.exe" } })).toBe(
    "a is in \u2068\u202Egpj.exe\u2069.",
  );
  expect(i18n._("moved", { name: 1, folder: "صورة" })).toBe("1 is in \u2068صورة\u2069.");
});

test("a tag in a name stays text in a sentence with elements", () => {
  const messages: Messages = { opens: [["name"], " opens <0>", ["folder"], "</0>."] };
  const i18n = setupI18n({ locale: "en", messages: { en: messages } });
  isolateNames(i18n);
  const textOf = (values: Record<string, unknown>) => {
    const sentence = createElement(Trans, { id: "opens", values, components: { 0: createElement("b") } });
    const whole = createElement(I18nProvider, { i18n }, sentence);
    return renderToStaticMarkup(whole).replaceAll("\u2060", "");
  };
  expect(textOf({ name: "<b>fat</b> <0/> a<b", folder: "<0>x</0>" })).toBe(
    "&lt;b&gt;fat&lt;/b&gt; &lt;0/&gt; a&lt;b opens <b>&lt;0&gt;x&lt;/0&gt;</b>.",
  );
  expect(textOf({ name: createElement("i", null, "one"), folder: 1 })).toBe("<i>one</i> opens <b>1</b>.");
});

test("lists are separated as any keyboard writes them, URLs stay whole", () => {
  expect(partsIn("a b, c;d，e；f、 g,")).toEqual(["a b", "c", "d", "e", "f", "g"]);
  expect(wordsIn("a@b.test， c@d.test；\ne@f.test、g@h.test i@j.test")).toHaveLength(5);
  expect(hasTargets("https://a.test/?q=1，2")).toBe(false);
});

test("ranges end with the server's hour and day, however wrong the clock of the browser's machine is", () => {
  const real = Date.parse("2026-11-20T13:00:30Z");
  const answer = () => new Response(null, { headers: { Date: new Date(real).toUTCString() } });
  for (const wrong of [-3 * 86_400_000, 40 * 60_000, 0]) {
    setSystemTime(real + wrong);
    noteServerTime(answer(), Date.now() - 200);
    expect(Math.abs(serverNow() - real)).toBeLessThanOrEqual(1_200);
    expect(spanOf({ range: "24h" }).end).toBe(Date.parse("2026-11-20T14:00:00Z"));
    expect(spanOf({}).end).toBe(Date.parse("2026-11-21T00:00:00Z"));
  }
  noteServerTime(new Response(), 0);
  expect(Math.abs(serverNow() - real)).toBeLessThanOrEqual(1_200);
});

test("dates have the panel's language and the customs of the browser's region", () => {
  panelTexts.loadAndActivate({ locale: "en", messages: {} });
  const had = Object.getOwnPropertyDescriptor(navigator, "languages");
  const localeFor = (...languages: string[]) => {
    Object.defineProperty(navigator, "languages", { value: languages, configurable: true });
    return dateLocale();
  };
  expect(localeFor("en-US@posix", "de-AT", "en-GB", "en-US")).toBe("en-AT");
  expect(localeFor("de", "en-US", "en")).toBe("en-DE");
  expect(localeFor("en", "en-GB")).toBe("en-GB");
  expect(localeFor("c@posix")).toBe("en");
  if (had === undefined) Reflect.deleteProperty(navigator, "languages");
  else Object.defineProperty(navigator, "languages", had);
});

test("a count that the stream leads takes no click twice, whatever comes first", () => {
  const lead = createCountLead(100);
  lead.arrived();
  lead.arrived();
  expect(lead.shown(100)).toBe(102);
  // The server has counted both, and three more that the stream names later.
  expect(lead.shown(105)).toBe(105);
  for (let at = 0; at < 3; at++) lead.arrived();
  expect(lead.shown(105)).toBe(105);
  lead.arrived();
  expect(lead.shown(105)).toBe(106);
  expect(lead.shown(106)).toBe(106);
  // The clicks were reset.
  expect(lead.shown(0)).toBe(0);
});

test("graphics have the colours of the tokens, and are seen against both grounds", () => {
  const folder = join(import.meta.dir, "../panel/src/clicks");
  const files = [...new Glob("**/*.{ts,tsx,css}").scanSync(folder)];
  expect(files.length).toBeGreaterThan(20);
  const own = files.filter((file) => /#[\da-f]{6}\b/i.test(readFileSync(join(folder, file), "utf8")));
  expect(own).toEqual([]);
  for (const scheme of ["light", "dark"] as const) {
    const { ground, card, amber, soft, right } = COLOURS[scheme];
    // The last is a switch that is off.
    const off = { light: GREYS.light[6], dark: GREYS.dark[3] }[scheme];
    for (const color of [...Object.values(SERIES[scheme]), amber, soft, right, off])
      for (const under of [ground, card])
        expect([color, under, contrast(color, under) >= 3]).toEqual([color, under, true]);
  }
});

import { expect, test } from "bun:test";
import { LANGUAGES } from "../../lib/language.ts";
import { createVisitorPages } from "../../visitors/look.ts";
import { text } from "../../visitors/page.ts";
import { pageOfStored, type StoredSettings, storedThings } from "./stored.ts";

const SETTINGS: StoredSettings = {
  details: true,
  sampleRate: 1,
  addresses: "full",
  referrers: true,
  agents: true,
  places: true,
  located: false,
  campaigns: true,
  signals: false,
  unique: true,
  copied: false,
  retention: true,
  logDays: 30,
  hourlyDays: 7,
  dailyDays: 365,
  sessionDays: 8,
  eventDays: 364,
  restoreDays: 29,
  trashDays: 28,
  versionDays: 45,
};
const detailsBy = (settings: Partial<StoredSettings>) =>
  storedThings({ ...SETTINGS, ...settings }).find(({ name }) => name === "Details of clicks")!;

test("what is stored follows the settings", () => {
  expect(detailsBy({})).toMatchObject({ retention_days: 30, kept_until: null });
  expect(detailsBy({}).fields).toEqual(
    expect.arrayContaining(["IP address", "User-Agent", "country and city", "campaign (utm_…)"]),
  );
  expect(detailsBy({ addresses: "truncated" }).fields).not.toContain("IP address");
  expect(detailsBy({ addresses: "truncated" }).fields.join()).toContain("/24 of IPv4");
  expect(detailsBy({ addresses: "none" }).fields.join()).not.toMatch(/address|city/);
  expect(detailsBy({ addresses: "none", located: true }).fields).toContain("country and city");
  const least = {
    addresses: "none",
    referrers: false,
    agents: false,
    places: false,
    campaigns: false,
  } as const;
  expect(detailsBy(least).fields).toEqual(["link and time"]);
  expect(detailsBy({ details: false }).fields).toEqual([]);
  expect(detailsBy({ sampleRate: 0 }).fields).toEqual([]);
  expect(detailsBy({ signals: true }).purpose).toContain("Sec-GPC");
  expect(detailsBy({}).purpose).not.toContain("ClickHouse");
  expect(detailsBy({ copied: true }).purpose).toContain("ClickHouse");
  expect(detailsBy({ retention: false })).toMatchObject({
    retention_days: null,
    kept_until: "an administrator deletes it",
  });
});

test("the page shows all of it in the visitor's language", () => {
  const { look } = createVisitorPages({
    name: () => "Links & Co",
    accentColor: () => "#3355bb",
    logo: () => null,
    imprint: () => "",
    notice: () => "",
  });
  for (const language of LANGUAGES) {
    const things = storedThings(SETTINGS, language);
    const { html } = pageOfStored(
      look(new Request("http://a/", { headers: { "accept-language": language } })),
      things,
    );
    expect(html).toContain(`<html lang="${language}">`);
    for (const { name, fields, purpose, kept_until: until } of things)
      for (const said of [name, ...fields, purpose, until ?? ""]) expect(html).toContain(text(said));
    for (const days of [30, 8, 364, 29, 28])
      expect(html).toMatch(new RegExp(`>${days}\\s(days|Tage|jours|天|日)<`));
    if (language === "en") continue;
    const english = storedThings(SETTINGS);
    expect(things.filter(({ purpose }, at) => purpose === english[at]!.purpose)).toEqual([]);
  }
});

import { expect, test } from "bun:test";
import { pageOfStored, type StoredSettings, storedThings } from "./stored.ts";

const SETTINGS: StoredSettings = {
  details: true,
  sampleRate: 1,
  addresses: "full",
  referrers: true,
  agents: true,
  places: true,
  campaigns: true,
  signals: false,
  retention: true,
  logDays: 30,
  hourlyDays: 7,
  dailyDays: 365,
  sessionDays: 8,
  eventDays: 364,
  restoreDays: 29,
  trashDays: 28,
};
const detailsBy = (settings: Partial<StoredSettings>) =>
  storedThings({ ...SETTINGS, ...settings }).find(({ name }) => name === "Details of clicks")!;

test("what is stored follows the settings", () => {
  expect(detailsBy({})).toMatchObject({ days: 30, until: null });
  expect(detailsBy({}).holds).toEqual(
    expect.arrayContaining(["IP address", "User-Agent", "country and city", "campaign (utm_…)"]),
  );
  expect(detailsBy({ addresses: "truncated" }).holds).not.toContain("IP address");
  expect(detailsBy({ addresses: "truncated" }).holds.join()).toContain("/24 of IPv4");
  expect(detailsBy({ addresses: "none" }).holds.join()).not.toMatch(/address|city/);
  const least = {
    addresses: "none",
    referrers: false,
    agents: false,
    places: false,
    campaigns: false,
  } as const;
  expect(detailsBy(least).holds).toEqual(["link and time"]);
  expect(detailsBy({ details: false }).holds).toEqual([]);
  expect(detailsBy({ sampleRate: 0 }).holds).toEqual([]);
  expect(detailsBy({ signals: true }).purpose).toContain("Sec-GPC");
  expect(detailsBy({ retention: false })).toMatchObject({ days: null, until: "an administrator deletes it" });
});

test("the page says all of it", () => {
  const things = storedThings(SETTINGS);
  const page = pageOfStored(things);
  for (const { name, holds } of things)
    for (const text of [name, ...holds]) expect(page).toContain(Bun.escapeHTML(text));
  for (const days of [30, 8, 364, 29, 28]) expect(page).toContain(`${days} days`);
});

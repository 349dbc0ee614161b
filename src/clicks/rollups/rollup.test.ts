import { expect, test } from "bun:test";
import { UTC } from "./calendar.ts";
import { LINK_DAY_VALUES, OTHER, TOTAL_VALUES } from "./dimensions.ts";
import { createDayRollup, type DetailedClick } from "./rebuild-day.ts";
import { HOUR_MS } from "./time-buckets.ts";

const click = (linkId: number, referrer: string, atMs = 0, isAutomated = false): DetailedClick => ({
  linkId,
  atMs,
  isAutomated,
  values: { source: referrer },
});

function rollupOf(clicks: readonly DetailedClick[]) {
  const rollup = createDayRollup(UTC);
  for (const one of clicks) rollup.add(one);
  return rollup.finish();
}

test("a day without clicks has no rows", () => {
  expect(rollupOf([])).toEqual({ clicks: 0, automated: 0, days: [], hours: [], dimDays: [], dimHours: [] });
});

test("clicks, and automated ones, are counted for their link and for all links", () => {
  const { clicks, automated, days, hours, dimDays, dimHours } = rollupOf([
    click(7, "a"),
    click(8, "a", HOUR_MS, true),
    click(8, "b", HOUR_MS),
  ]);
  expect([clicks, automated]).toEqual([3, 1]);
  expect(days.sort((a, b) => a.linkId - b.linkId)).toEqual([
    { linkId: 0, clicks: 3, automated: 1 },
    { linkId: 7, clicks: 1, automated: 0 },
    { linkId: 8, clicks: 2, automated: 1 },
  ]);
  expect(hours).toHaveLength(4);
  expect(hours).toContainEqual({ hour: 1, linkId: 0, clicks: 2, automated: 1 });
  expect(dimDays).toContainEqual({ linkId: 0, dimension: "source", value: "a", clicks: 2, automated: 1 });
  expect(dimDays).toHaveLength(5);
  expect(dimHours).toContainEqual({ hour: 1, dimension: "source", value: "b", clicks: 1, automated: 0 });
});

test("beyond the bounds the rarest values are merged", () => {
  const clicks = Array.from({ length: TOTAL_VALUES + 50 }, (_, at) => click(1, `value ${at}`));
  clicks.push(click(1, "value 1049", 0, true), click(1, OTHER, 0, true));
  const { dimDays, dimHours } = rollupOf(clicks);
  const ofLink = dimDays.filter((row) => row.linkId === 1);
  expect(ofLink).toHaveLength(LINK_DAY_VALUES + 1);
  expect(ofLink[0]).toMatchObject({ value: "value 1049", clicks: 2, automated: 1 });
  expect(ofLink.at(-1)).toMatchObject({
    value: OTHER,
    clicks: clicks.length - LINK_DAY_VALUES - 1,
    automated: 1,
  });
  for (const total of [dimDays.filter((row) => row.linkId === 0), dimHours]) {
    expect(total).toHaveLength(TOTAL_VALUES + 1);
    expect(total.reduce((sum, row) => sum + row.clicks, 0)).toBe(clicks.length);
  }
});

import { expect, test } from "bun:test";
import { deviceShares, percentage, sharesOf } from "./report.ts";
import { OTHER } from "../rollups/dimensions.ts";

test("percentages have two decimals; a total of zero has none", () => {
  expect([percentage(1, 3), percentage(2, 3), percentage(5, 5), percentage(0, 7), percentage(0, 0)]).toEqual([
    33.33, 66.67, 100, 0, 0,
  ]);
});

test("duplicate values are merged", () => {
  const values = [
    { value: OTHER, clicks: 3, automated: 1 },
    { value: "a", clicks: 2, automated: 0 },
    { value: OTHER, clicks: 1, automated: 1 },
  ];
  const other = { clicks: 4, automated: 2 };
  const a = { clicks: 2, automated: 0 };
  expect(sharesOf({ values, visitors: "all" }, 8)).toEqual([
    { value: OTHER, clicks: 4, percentage: 50, both: other },
    { value: "a", clicks: 2, percentage: 25, both: a },
  ]);
  expect(sharesOf({ values, visitors: "human" }, 4)).toEqual([
    { value: OTHER, clicks: 2, percentage: 50, both: other },
    { value: "a", clicks: 2, percentage: 50, both: a },
  ]);
});

test("profiles are split; those unlisted or unknown count as others", () => {
  const values = [
    { value: "Chrome\tWindows\tdesktop\t0", clicks: 4, automated: 0 },
    { value: "Chrome\tAndroid\tmobile\t0", clicks: 3, automated: 0 },
    { value: "Googlebot\tOther\tbot\t1", clicks: 2, automated: 0 },
    { value: OTHER, clicks: 1, automated: 0 },
  ];
  expect(deviceShares({ values, total: 20, visitors: "all" }, 3)).toEqual({
    browsers: [
      { name: OTHER, clicks: 11, percentage: 55 },
      { name: "Chrome", clicks: 7, percentage: 35 },
      { name: "Googlebot", clicks: 2, percentage: 10 },
    ],
    systems: [
      { name: OTHER, clicks: 11, percentage: 55 },
      { name: "Windows", clicks: 4, percentage: 20 },
      { name: "Android", clicks: 3, percentage: 15 },
    ],
    devices: [
      { name: "other", clicks: 11, percentage: 55 },
      { name: "desktop", clicks: 4, percentage: 20 },
      { name: "mobile", clicks: 3, percentage: 15 },
    ],
    botPercentage: 10,
    total: 20,
  });
});

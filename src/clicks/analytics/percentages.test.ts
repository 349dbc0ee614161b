import { expect, test } from "bun:test";
import { deviceShares, percentage, sharesOf } from "./percentages.ts";
import { OTHER } from "../rollups/dimensions.ts";

test("percentages have two decimals; a total of zero has none", () => {
  expect([percentage(1, 3), percentage(2, 3), percentage(5, 5), percentage(0, 7), percentage(0, 0)]).toEqual([
    33.33, 66.67, 100, 0, 0,
  ]);
});

test("duplicate values are merged", () => {
  const values = [
    { value: OTHER, clicks: 3 },
    { value: "a", clicks: 2 },
    { value: OTHER, clicks: 1 },
  ];
  expect(sharesOf({ values }, 8)).toEqual([
    { value: OTHER, clicks: 4, percentage: 50 },
    { value: "a", clicks: 2, percentage: 25 },
  ]);
});

test("profiles are split; those unlisted or unknown count as others", () => {
  const values = [
    { value: "Chrome\tWindows\tdesktop\t0", clicks: 4 },
    { value: "Chrome\tAndroid\tmobile\t0", clicks: 3 },
    { value: "Googlebot\tOther\tbot\t1", clicks: 2 },
    { value: OTHER, clicks: 1 },
  ];
  expect(deviceShares({ values, total: 20 }, 3)).toEqual({
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

import { expect, test } from "bun:test";
import { queryIn, queryLine } from "../panel/src/links/form/condition-value.ts";
import { rankedOptions } from "../panel/src/ui/forms/ranked-options.ts";

test("parameters of a query are read and written in one line", () => {
  const line = "ref=mail&lang&a%20b=x%26y";
  const query = { ref: "mail", lang: true as const, "a b": "x&y" };
  expect(queryIn(line)).toEqual(query);
  expect(queryIn(`?${line}&`)).toEqual(query);
  expect(queryLine(query)).toBe(line);
  expect(queryIn(" ")).toEqual({});
});

const found = (search: string, labels: readonly string[], limit = 10) =>
  rankedOptions({ options: labels.map((label) => ({ value: label, label })), search, limit }).map((one) =>
    "label" in one ? one.label : one,
  );

test("names that begin with what is typed stand before those that contain it", () => {
  expect(found("india", ["British Indian Ocean Territory", "India"])).toEqual([
    "India",
    "British Indian Ocean Territory",
  ]);
  expect(found("French", ["Canadian French", "French", "French Guiana"])).toEqual([
    "French",
    "French Guiana",
    "Canadian French",
  ]);
  expect(found("land", ["Poland", "Åland Islands", "Land of Oz", "My-land"])).toEqual([
    "Land of Oz",
    "My-land",
    "Poland",
    "Åland Islands",
  ]);
});

test("accents don't count, a code finds its name, and nothing typed keeps the order", () => {
  expect(found("reun", ["Réunion"])).toEqual(["Réunion"]);
  expect(found("", ["b", "a", "c"], 2)).toEqual(["b", "a"]);
  const options = [
    { value: "DK", label: "Denmark" },
    { value: "DE", label: "Germany" },
    { value: "BD", label: "Bangladesh" },
  ];
  expect(rankedOptions({ options, search: "de", limit: 10 })).toEqual(options);
});

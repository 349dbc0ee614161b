import { expect, test } from "bun:test";
import { withUtm } from "./utm.ts";

const pass = (location: string, request: string): string => {
  const url = `http://host/code${request}`;
  return withUtm(location, url, "http://host/code".length);
};

const CASES: [what: string, location: string, request: string, expected: string][] = [
  ["a target without a query gets one", "https://t/", "?utm_source=a", "https://t/?utm_source=a"],
  ["a query of the target is extended", "https://t/?x=1", "?utm_source=a", "https://t/?x=1&utm_source=a"],
  ["an empty query is extended", "https://t/?", "?utm_source=a", "https://t/?utm_source=a"],
  [
    "a query that ends with & gets no second &",
    "https://t/?x=1&",
    "?utm_source=a",
    "https://t/?x=1&utm_source=a",
  ],
  ["a query that ends with ? is not empty", "https://t/?x=?", "?utm_source=a", "https://t/?x=?&utm_source=a"],
  ["a target without a path gets a query", "https://t", "?utm_source=a", "https://t?utm_source=a"],
  ["the fragment stays last", "https://t/#f?g", "?utm_source=a", "https://t/?utm_source=a#f?g"],
  ["an empty fragment is kept", "https://t/?x#", "?utm_source=a", "https://t/?x&utm_source=a#"],
  [
    "the five keys are passed in their order, others not",
    "https://t/",
    "?a=1&utm_term=t&utm_content=c&utm_id=9&utm_source=s&b&utm_medium=m&utm_campaign=k",
    "https://t/?utm_term=t&utm_content=c&utm_source=s&utm_medium=m&utm_campaign=k",
  ],
  [
    "values are passed byte for byte",
    "https://t/",
    "?utm_source=a%20b+c%2Bd%zz=e&utm_term=%",
    "https://t/?utm_source=a%20b+c%2Bd%zz=e&utm_term=%",
  ],
  [
    "empty values and keys without = are passed",
    "https://t/",
    "?utm_source&utm_term=",
    "https://t/?utm_source&utm_term=",
  ],
  [
    "repeated keys are passed",
    "https://t/",
    "?utm_source=a&utm_source=b",
    "https://t/?utm_source=a&utm_source=b",
  ],
  ["a key of the target is kept", "https://t/?utm_source=own", "?utm_source=a", "https://t/?utm_source=own"],
  [
    "other keys are passed beside a key of the target",
    "https://t/?utm_source#f",
    "?utm_source=a&utm_term=b",
    "https://t/?utm_source&utm_term=b#f",
  ],
  [
    "a key in the target's fragment does not count",
    "https://t/#utm_source=x",
    "?utm_source=a",
    "https://t/?utm_source=a#utm_source=x",
  ],
  [
    "an escaped key equals the plain key",
    "https://t/?utm%5Fsource=own",
    "?utm_source=a&utm%5fterm=b",
    "https://t/?utm%5Fsource=own&utm%5fterm=b",
  ],
  ["keys are case-sensitive", "https://t/", "?UTM_SOURCE=a&utm_Source=b", "https://t/"],
  [
    "similar keys are not passed",
    "https://t/",
    "?xutm_source=a&utm_sources=b&utm_=c&utm_source%=d",
    "https://t/",
  ],
  [
    "key names in values are ignored",
    "https://t/",
    "?x=utm_source&y=&utm_source=b",
    "https://t/?utm_source=b",
  ],
  ["a request without a query changes nothing", "https://t/", "", "https://t/"],
  ["an empty query of the request changes nothing", "https://t/", "?", "https://t/"],
  ["characters beyond ASCII are escaped", "https://t/", "?utm_source=é", "https://t/?utm_source=%C3%A9"],
];

for (const [what, location, request, expected] of CASES) {
  test(what, () => {
    expect(pass(location, request)).toBe(expected);
  });
}

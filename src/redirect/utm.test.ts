import { expect, test } from "bun:test";
import { withUtm } from "./utm.ts";

const pass = (location: string, request: string): string => {
  const url = `http://host/code${request}`;
  return withUtm(location, url, "http://host/code".length);
};

const CASES: [what: string, location: string, request: string, expected: string][] = [
  ["a target without a query gets one", "https://t/", "?utm_source=a", "https://t/?utm_source=a"],
  ["a target with one gets more", "https://t/?x=1", "?utm_source=a", "https://t/?x=1&utm_source=a"],
  ["an empty query is filled", "https://t/?", "?utm_source=a", "https://t/?utm_source=a"],
  ["a query that ends with & goes on", "https://t/?x=1&", "?utm_source=a", "https://t/?x=1&utm_source=a"],
  ["a query that ends with ? is not empty", "https://t/?x=?", "?utm_source=a", "https://t/?x=?&utm_source=a"],
  ["a host alone gets a query too", "https://t", "?utm_source=a", "https://t?utm_source=a"],
  ["the fragment stays last", "https://t/#f?g", "?utm_source=a", "https://t/?utm_source=a#f?g"],
  ["an empty fragment stays", "https://t/?x#", "?utm_source=a", "https://t/?x&utm_source=a#"],
  [
    "all five, in their order, nothing else",
    "https://t/",
    "?a=1&utm_term=t&utm_content=c&utm_id=9&utm_source=s&b&utm_medium=m&utm_campaign=k",
    "https://t/?utm_term=t&utm_content=c&utm_source=s&utm_medium=m&utm_campaign=k",
  ],
  [
    "values go on byte for byte",
    "https://t/",
    "?utm_source=a%20b+c%2Bd%zz=e&utm_term=%",
    "https://t/?utm_source=a%20b+c%2Bd%zz=e&utm_term=%",
  ],
  [
    "empty values and keys without = too",
    "https://t/",
    "?utm_source&utm_term=",
    "https://t/?utm_source&utm_term=",
  ],
  ["repeated keys too", "https://t/", "?utm_source=a&utm_source=b", "https://t/?utm_source=a&utm_source=b"],
  [
    "a key of the target is left to it",
    "https://t/?utm_source=own",
    "?utm_source=a",
    "https://t/?utm_source=own",
  ],
  [
    "and only that key",
    "https://t/?utm_source#f",
    "?utm_source=a&utm_term=b",
    "https://t/?utm_source&utm_term=b#f",
  ],
  [
    "a key in its fragment is not its own",
    "https://t/#utm_source=x",
    "?utm_source=a",
    "https://t/?utm_source=a#utm_source=x",
  ],
  [
    "an escaped key is the key",
    "https://t/?utm%5Fsource=own",
    "?utm_source=a&utm%5fterm=b",
    "https://t/?utm%5Fsource=own&utm%5fterm=b",
  ],
  ["keys are case-sensitive", "https://t/", "?UTM_SOURCE=a&utm_Source=b", "https://t/"],
  [
    "similar keys are others",
    "https://t/",
    "?xutm_source=a&utm_sources=b&utm_=c&utm_source%=d",
    "https://t/",
  ],
  ["values are no keys", "https://t/", "?x=utm_source&y=&utm_source=b", "https://t/?utm_source=b"],
  ["the request's fragment is not its query", "https://t/", "?x=1#&utm_source=a", "https://t/"],
  ["nor is what stands behind # without ?", "https://t/", "#?utm_source=a", "https://t/"],
  ["no query", "https://t/", "", "https://t/"],
  ["an empty query", "https://t/", "?", "https://t/"],
  ["characters beyond ASCII are escaped", "https://t/", "?utm_source=é", "https://t/?utm_source=%C3%A9"],
];

for (const [what, location, request, expected] of CASES) {
  test(what, () => {
    expect(pass(location, request)).toBe(expected);
  });
}

import { expect, test } from "bun:test";
import { toLocation } from "./cached-link.ts";

const CASES: [target: string, location: string][] = [
  ["https://example.com/a%20b?q=%C3%BC&x=<>|^`{}'\"#f", "https://example.com/a%20b?q=%C3%BC&x=<>|^`{}'\"#f"],
  ["https://example.com", "https://example.com"],
  [
    "https://example.com/ü/€?q=日本#ende–",
    "https://example.com/%C3%BC/%E2%82%AC?q=%E6%97%A5%E6%9C%AC#ende%E2%80%93",
  ],
  ["https://münchen.example:8443/ä", "https://xn--mnchen-3ya.example:8443/%C3%A4"],
  ["HTTPS://MÜNCHEN.example", "HTTPS://xn--mnchen-3ya.example"],
  ["http://%C3%BC.example/", "http://xn--tda.example/"],
  ["https://m%c3%bcnchen.example:8443/%41?a%20b", "https://xn--mnchen-3ya.example:8443/%41?a%20b"],
  ["https://m%C3%BCnchen%2eexample/ä", "https://xn--mnchen-3ya.example/%C3%A4"],
  ["https://%65xample.com", "https://example.com"],
  ["https://example.com/a b", "https://example.com/a%20b"],
  ["https://example.com/\r\nSet-Cookie: x=1", "https://example.com/%0D%0ASet-Cookie:%20x=1"],
  ["https://example.com/\ud800x😀", "https://example.com/%EF%BF%BDx%F0%9F%98%80"],
  ["ünknown", "%C3%BCnknown"],
  ["", ""],
];

for (const [target, location] of CASES) {
  test(`${JSON.stringify(target)} is sent in ASCII`, () => {
    expect(toLocation(target)).toBe(location);
    expect(toLocation(location)).toBe(location);
  });
}

import { expect, test } from "bun:test";
import { endOfPath } from "./path-code.ts";
import { arrivalAt } from "./redirects.test-support.ts";
import { createAddressOf, createVisits, utmSource } from "./visit.ts";

const NOW = Date.parse("2026-11-20T13:00:00Z");

function setUp({ refused = null as "full" | null, logsAddresses = true, hasProxies = false } = {}) {
  const plain: unknown[] = [];
  const detailed: unknown[][] = [];
  let asked = 0;
  const visits = createVisits({
    clicks: {
      detailRefusal: () => refused,
      recordRefused: (linkId, _, reason, isAutomated) => void plain.push([linkId, reason, isAutomated]),
      recordDetails: (...details) => void detailed.push(details),
    },
    logsAddresses: () => logsAddresses,
    addressOf: createAddressOf(
      () => hasProxies,
      (peer, forwarded) => `${peer} for ${forwarded}`,
    ),
  });
  function record(url: string, headers: Record<string, string> = {}, peer: string | null = "192.0.2.7") {
    const request = arrivalAt(url, { headers });
    const peers = {
      requestIP() {
        asked += 1;
        return peer === null ? null : { address: peer };
      },
    };
    visits.record(5, { request, peers, pathEnd: endOfPath(request.path), now: NOW, rule: null }, true);
  }
  return { plain, detailed, asked: () => asked, record };
}

test("headers, utm_source and the peer address are recorded", () => {
  const { record, detailed } = setUp();
  record("http://s/a?x=1&utm_source=mail&y", { Referer: "https://a/", "User-Agent": "curl/8" });
  expect(detailed).toEqual([[5, NOW, "https://a/", "mail", "curl/8", "192.0.2.7", true]]);
});

test("missing headers are null", () => {
  const { record, detailed } = setUp();
  record("http://s/a", {}, null);
  expect(detailed).toEqual([[5, NOW, null, null, null, "unix", true]]);
});

test("the peer address is not read without address logging", () => {
  const { record, detailed, asked } = setUp({ logsAddresses: false, hasProxies: true });
  record("http://s/a", { "X-Forwarded-For": "198.51.100.1" });
  expect(detailed[0]!.at(-2)).toBe("");
  expect(asked()).toBe(0);
});

test("X-Forwarded-For is used only with trusted proxies", () => {
  const forged = { "X-Forwarded-For": "198.51.100.1" };
  const direct = setUp();
  direct.record("http://s/a", forged);
  expect(direct.detailed[0]!.at(-2)).toBe("192.0.2.7");
  const behind = setUp({ hasProxies: true });
  behind.record("http://s/a", forged);
  expect(behind.detailed[0]!.at(-2)).toBe("192.0.2.7 for 198.51.100.1");
});

test("a click with refused details is recorded with the reason, and headers are not read", () => {
  const { record, plain, detailed, asked } = setUp({ refused: "full" });
  record("http://s/a", { Referer: "https://a/" });
  expect(plain).toEqual([[5, "full", true]]);
  expect(detailed).toEqual([]);
  expect(asked()).toBe(0);
});

test.each([
  ["?utm_source=a", "a"],
  ["?utm_source=", ""],
  ["?x&utm_source=a%20b+c&utm_source=second", "a%20b+c"],
  ["?xutm_source=a", null],
  ["?x=utm_source=a", null],
  ["?utm_source", null],
  ["?utm_source=a#utm_source=b", "a"],
  ["#?utm_source=a", null],
  ["", null],
])("the utm_source of %s is %p", (rest, expected) => {
  expect(utmSource(`http://s/a${rest}`, "http://s/a".length)).toBe(expected);
});

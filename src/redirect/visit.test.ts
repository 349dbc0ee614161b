import { expect, test } from "bun:test";
import type { ClickPrivacy } from "../clicks/details/privacy.ts";
import { NO_DETAILS } from "../clicks/clicks.test-support.ts";
import { endOfPath } from "./path-code.ts";
import { arrivalAt } from "./redirects.test-support.ts";
import { utmSource } from "../clicks/details/utm-pairs.ts";
import { createAddressOf, createVisits } from "./visit.ts";

const EVERYTHING: ClickPrivacy = {
  addresses: "full",
  referrers: true,
  agents: true,
  places: true,
  located: false,
  campaigns: true,
  signals: false,
};
const NOW = Date.parse("2026-11-20T13:00:00Z");

function setUp({
  refused = null as "full" | null,
  privacy = {} as Partial<ClickPrivacy>,
  hasProxies = false,
} = {}) {
  const plain: unknown[] = [];
  const detailed: unknown[][] = [];
  let lookups = 0;
  const visits = createVisits({
    clicks: {
      detailRefusal: (isSignalled) => (isSignalled ? "signal" : refused),
      recordRefused: (linkId, _, reason, isAutomated) => void plain.push([linkId, reason, isAutomated]),
      recordDetails: (...details) => void detailed.push(details),
    },
    privacy: () => ({ ...EVERYTHING, ...privacy }),
    addressOf: createAddressOf(
      () => hasProxies,
      (peer, forwarded) => `${peer} for ${forwarded}`,
    ),
  });
  function record(
    url: string,
    headers: Record<string, string> = {},
    peer: string | null = "192.0.2.7",
    { location = null as string | null, rule = null as number | null } = {},
  ) {
    const request = arrivalAt(url, { headers });
    const peers = {
      requestIP() {
        lookups += 1;
        return peer === null ? null : { address: peer };
      },
    };
    const visit = { request, peers, pathEnd: endOfPath(request.path), now: NOW, rule, beyond: "" };
    visits.record(5, visit, true, location);
  }
  return { plain, detailed, lookups: () => lookups, record };
}

test("without proxies every 64th visit shows whether one sends the client's address", () => {
  const { record, detailed } = setUp();
  for (let at = 0; at < 128; at++) record("http://s/a", { "X-Forwarded-For": "10.9.8.7" });
  const read = detailed.flatMap((details, at) =>
    JSON.stringify(details).includes("for 10.9.8.7") ? at : [],
  );
  expect(read).toEqual([63, 127]);
});

test("headers, UTM pairs, the rule and the peer address are recorded", () => {
  const { record, detailed } = setUp();
  const headers = { Referer: "https://a/", "User-Agent": "curl/8", "Accept-Language": "de-AT,de;q=0.9" };
  record("http://s/a?x=1&utm_source=mail&y&utm_term=a%20b", headers, "192.0.2.7", {
    location: "https://e.com/?utm_source=own&utm_id=7#utm_term=no",
    rule: 2,
  });
  const sent = {
    referrer: "https://a/",
    utmSource: "mail",
    userAgent: "curl/8",
    address: "192.0.2.7",
    language: "de-AT,de;q=0.9",
    campaign: "utm_source=mail&utm_term=a%20b&utm_source=own&utm_id=7",
    rule: 3,
    visitor: 0,
  };
  expect(detailed).toEqual([[5, NOW, sent, true]]);
});

test("missing headers are null", () => {
  const { record, detailed } = setUp();
  record("http://s/a", {}, null);
  expect(detailed).toEqual([[5, NOW, { ...NO_DETAILS, address: "unix" }, true]]);
});

test("the peer address is not read without address logging", () => {
  const { record, detailed, lookups } = setUp({ privacy: { addresses: "none" }, hasProxies: true });
  record("http://s/a", { "X-Forwarded-For": "198.51.100.1" });
  expect(detailed[0]![2]).toMatchObject({ address: "" });
  expect(lookups()).toBe(0);
});

test("X-Forwarded-For is used only with trusted proxies", () => {
  const forged = { "X-Forwarded-For": "198.51.100.1" };
  const direct = setUp();
  direct.record("http://s/a", forged);
  expect(direct.detailed[0]![2]).toMatchObject({ address: "192.0.2.7" });
  const behind = setUp({ hasProxies: true });
  behind.record("http://s/a", forged);
  expect(behind.detailed[0]![2]).toMatchObject({ address: "192.0.2.7 for 198.51.100.1" });
});

test("a click with refused details is recorded with the reason, and headers are not read", () => {
  const { record, plain, detailed, lookups } = setUp({ refused: "full" });
  record("http://s/a", { Referer: "https://a/" });
  expect(plain).toEqual([[5, "full", true]]);
  expect(detailed).toEqual([]);
  expect(lookups()).toBe(0);
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

test.each([
  ["https://e.com/", null],
  ["https://e.com/?a=1", null],
  ["https://e.com/?a=1&utm_source=b&c&utm_medium=d", "utm_source=b&utm_medium=d"],
  ["https://e.com/utm_source=a?x", null],
  ["https://e.com/?xutm_source=a&x=utm_term=1", null],
  ["https://e.com/?utm_source=a#?utm_term=b", "utm_source=a"],
  ["https://e.com/#?utm_source=a", null],
])("the pairs of the target %s are %p", (location, campaign) => {
  const { record, detailed } = setUp();
  record("http://s/a", {}, null, { location });
  expect(detailed[0]![2]).toMatchObject({ utmSource: null, campaign });
});

test("what the settings don't keep is not recorded, and signals leave nothing but the click", () => {
  const headers = {
    Referer: "https://a/",
    "User-Agent": "curl/8",
    "Accept-Language": "de",
    "Sec-GPC": "1",
    DNT: "1",
  };
  const ask = (privacy: Partial<ClickPrivacy>, sent: Record<string, string> = headers) => {
    const { record, detailed, plain } = setUp({ privacy });
    record("http://s/a?utm_source=mail", sent);
    return detailed[0]?.[2] ?? plain[0];
  };
  const all = ask({}) as object;
  expect(ask({ referrers: false })).toEqual({ ...all, referrer: null });
  expect(ask({ agents: false })).toEqual({ ...all, userAgent: null, language: null });
  expect(ask({ campaigns: false })).toEqual({ ...all, utmSource: null, campaign: null });
  expect(ask({ addresses: "truncated" })).toEqual(all);
  expect(ask({ addresses: "none", located: true })).toEqual({ ...all, address: "~192.0.2.7" });
  expect(ask({ signals: true })).toEqual([5, "signal", true]);
  expect(ask({ signals: true }, { DNT: "1" })).toEqual([5, "signal", true]);
  expect(ask({ signals: true }, { ...headers, "Sec-GPC": "0", DNT: "0" })).toEqual(all);
});

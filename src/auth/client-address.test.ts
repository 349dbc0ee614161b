import { describe, expect, test } from "bun:test";
import { addressGroup } from "../lib/ip-address.ts";
import { clientAddress, createClientAddress, parseTrustedProxies } from "./client-address.ts";

const PROXIES = parseTrustedProxies(["10.0.0.0/8", "2001:db8:aa::/48", "unix"]);
const NONE = parseTrustedProxies([]);

describe("the client's address", () => {
  test.each([
    ["an untrusted peer is the client", "198.51.100.7", "1.2.3.4", "198.51.100.7"],
    ["a trusted peer without the header is the client", "10.0.0.1", null, "10.0.0.1"],
    ["a trusted peer with an empty header is the client", "10.0.0.1", "", "10.0.0.1"],
    ["one hop is the client", "10.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["entries of the client itself are ignored", "10.0.0.1", "6.6.6.6, 198.51.100.7", "198.51.100.7"],
    ["trusted proxies are skipped", "10.0.0.1", "198.51.100.7, 10.9.9.9,10.8.8.8", "198.51.100.7"],
    ["among trusted proxies only, the first is the client", "10.0.0.1", "10.3.3.3, 10.2.2.2", "10.3.3.3"],
    ["an unreadable last entry leaves the peer", "10.0.0.1", "1.2.3.4, unknown", "10.0.0.1"],
    ["an unreadable entry leaves the last proxy", "10.0.0.1", "1.2.3.4, x, 10.2.2.2", "10.2.2.2"],
    ["a port is removed", "10.0.0.1", "198.51.100.7:4711", "198.51.100.7"],
    ["a port of an IPv6 address is removed", "10.0.0.1", "[2001:DB8::7]:4711", "2001:db8::7"],
    ["IPv4-mapped addresses are read as IPv4", "::ffff:10.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"],
    ["an IPv6 proxy is trusted by range", "2001:db8:aa::1", "2001:db8:bb::1", "2001:db8:bb::1"],
    ["a unix socket is trusted", "unix", "198.51.100.7", "198.51.100.7"],
  ])("%s", (_, peer, header, expected) => {
    expect(clientAddress(peer, header, PROXIES)).toBe(expected);
  });

  test("no peer is trusted by default, not even a unix socket", () => {
    expect(clientAddress("127.0.0.1", "1.2.3.4", NONE)).toBe("127.0.0.1");
    expect(clientAddress("unix", "1.2.3.4", NONE)).toBe("unix");
  });

  test("only the last 64 hops are read", () => {
    const header = `198.51.100.7, ${Array.from({ length: 5000 }, () => "10.1.1.1").join(",")}`;
    expect(clientAddress("10.0.0.1", header, PROXIES)).toBe("10.1.1.1");
  });

  test("a change of the setting applies at once", () => {
    let value: string[] = [];
    const { clientAddress: address, isTrustedProxy } = createClientAddress(() => value);
    expect([address("10.0.0.1", "1.2.3.4"), isTrustedProxy("10.0.0.1")]).toEqual(["10.0.0.1", false]);
    value = ["10.0.0.1"];
    expect([address("10.0.0.1", "1.2.3.4"), isTrustedProxy("10.0.0.1")]).toEqual(["1.2.3.4", true]);
    expect([isTrustedProxy("::ffff:10.0.0.1"), isTrustedProxy("unix")]).toEqual([true, false]);
  });
});

describe("the setting", () => {
  test("refuses wrong entries and names them", () => {
    expect(() => parseTrustedProxies(["10.0.0.0/8", "proxy.internal"])).toThrow("proxy.internal");
    expect(() => parseTrustedProxies(["10.0.0.0/99"])).toThrow("10.0.0.0/99");
    expect(() => parseTrustedProxies(Array.from({ length: 300 }, () => "::1"))).toThrow("256");
  });

  test("accepts addresses, ranges and unix", () => {
    expect(parseTrustedProxies(["10.0.0.0/8", "unix", "::1"])).toMatchObject({
      unix: true,
      ranges: [{}, {}],
    });
    for (const entry of ["", "proxy", "10.0.0.0/33", "010.0.0.1"]) {
      expect(() => parseTrustedProxies([entry])).toThrow();
    }
  });
});

test("an IPv6 client is its /64", () => {
  expect(addressGroup("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
  expect(addressGroup("2001:db8:1:2::9")).toBe("2001:db8:1:2::/64");
  expect(addressGroup("2001:db8:1:3::9")).toBe("2001:db8:1:3::/64");
  expect(addressGroup("198.51.100.7")).toBe("198.51.100.7");
  expect(addressGroup("unix")).toBe("unix");
});

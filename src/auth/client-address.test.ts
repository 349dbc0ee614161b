import { describe, expect, test } from "bun:test";
import { addressGroup } from "../lib/ip-address.ts";
import { createClientAddress, findClient, parseTrustedProxies } from "./proxies.ts";

const PROXIES = parseTrustedProxies(["10.0.0.0/8", "2001:db8:aa::/48", "unix"]);
const NONE = parseTrustedProxies([]);

describe("the client's address", () => {
  test.each<[string, string, string | null, string, number | null]>([
    ["an untrusted peer is the client", "198.51.100.7", "1.2.3.4", "198.51.100.7", null],
    ["a trusted peer without the header is the client", "10.0.0.1", null, "10.0.0.1", 0],
    ["a trusted peer with an empty header is the client", "10.0.0.1", "", "10.0.0.1", 0],
    ["one hop is the client", "10.0.0.1", "198.51.100.7", "198.51.100.7", 0],
    ["entries of the client itself are ignored", "10.0.0.1", "6.6.6.6, 198.51.100.7", "198.51.100.7", 0],
    ["trusted proxies are skipped", "10.0.0.1", "198.51.100.7, 10.9.9.9,10.8.8.8", "198.51.100.7", 2],
    ["among trusted proxies only, the first is the client", "10.0.0.1", "10.3.3.3, 10.2.2.2", "10.3.3.3", 1],
    ["an unreadable last entry leaves the peer", "10.0.0.1", "1.2.3.4, unknown", "10.0.0.1", 0],
    ["an unreadable entry leaves the last proxy", "10.0.0.1", "1.2.3.4, x, 10.2.2.2", "10.2.2.2", 1],
    ["a port is removed", "10.0.0.1", "198.51.100.7:4711", "198.51.100.7", 0],
    ["a port of an IPv6 address is removed", "10.0.0.1", "[2001:DB8::7]:4711", "2001:db8::7", 0],
    ["IPv4-mapped addresses are read as IPv4", "::ffff:10.0.0.1", "::ffff:198.51.100.7", "198.51.100.7", 0],
    ["an IPv6 proxy is trusted by range", "2001:db8:aa::1", "2001:db8:bb::1", "2001:db8:bb::1", 0],
    ["a unix socket is trusted", "unix", "198.51.100.7", "198.51.100.7", 0],
  ])("%s", (_, peer, header, address, hop) => {
    expect(findClient(peer, header, PROXIES)).toEqual({ address, hop });
  });

  test("no peer is trusted by default, not even a unix socket", () => {
    expect(findClient("127.0.0.1", "1.2.3.4", NONE)).toEqual({ address: "127.0.0.1", hop: null });
    expect(findClient("unix", "1.2.3.4", NONE)).toEqual({ address: "unix", hop: null });
  });

  test("only the last 64 hops are read", () => {
    const header = `198.51.100.7, ${Array.from({ length: 5000 }, () => "10.1.1.1").join(",")}`;
    expect(findClient("10.0.0.1", header, PROXIES)).toEqual({ address: "10.1.1.1", hop: 63 });
  });

  test("a change of the setting applies at once", () => {
    let value: string[] = [];
    const ignored: string[] = [];
    const { clientAddress, trustedHop } = createClientAddress(
      () => value,
      (peer) => ignored.push(peer),
    );
    const look = (peer: string) => [clientAddress(peer, "1.2.3.4"), trustedHop(peer, "1.2.3.4")];
    expect(look("10.0.0.1")).toEqual(["10.0.0.1", null]);
    value = ["10.0.0.1"];
    expect(look("10.0.0.1")).toEqual(["1.2.3.4", 0]);
    expect(look("::ffff:10.0.0.1")).toEqual(["1.2.3.4", 0]);
    expect(look("unix")).toEqual(["unix", null]);
    expect(clientAddress("10.0.0.2", null)).toBe("10.0.0.2");
    expect(ignored).toEqual(["10.0.0.1", "unix"]);
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

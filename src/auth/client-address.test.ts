import { describe, expect, test } from "bun:test";
import { addressGroup, clientAddress, createClientAddress, parseTrustedProxies } from "./client-address.ts";

const PROXIES = parseTrustedProxies(["10.0.0.0/8", "2001:db8:aa::/48", "unix"]);
const NONE = parseTrustedProxies([]);

describe("the client's address", () => {
  test.each([
    ["an untrusted peer is the client, whatever it claims", "198.51.100.7", "1.2.3.4", "198.51.100.7"],
    ["a trusted peer without the header", "10.0.0.1", null, "10.0.0.1"],
    ["a trusted peer with an empty header", "10.0.0.1", "", "10.0.0.1"],
    ["one hop", "10.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["what the client wrote itself is ignored", "10.0.0.1", "6.6.6.6, 198.51.100.7", "198.51.100.7"],
    ["proxies of ours are skipped", "10.0.0.1", "198.51.100.7, 10.9.9.9,10.8.8.8", "198.51.100.7"],
    ["only proxies of ours: the first of them", "10.0.0.1", "10.3.3.3, 10.2.2.2", "10.3.3.3"],
    ["garbage at the right end", "10.0.0.1", "1.2.3.4, unknown", "10.0.0.1"],
    ["garbage behind a proxy", "10.0.0.1", "1.2.3.4, x, 10.2.2.2", "10.2.2.2"],
    ["ports", "10.0.0.1", "198.51.100.7:4711", "198.51.100.7"],
    ["ports of IPv6", "10.0.0.1", "[2001:DB8::7]:4711", "2001:db8::7"],
    ["a mapped peer", "::ffff:10.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"],
    ["an IPv6 proxy", "2001:db8:aa::1", "2001:db8:bb::1", "2001:db8:bb::1"],
    ["a unix socket", "unix", "198.51.100.7", "198.51.100.7"],
  ])("%s", (_, peer, header, expected) => {
    expect(clientAddress(peer, header, PROXIES)).toBe(expected);
  });

  test("nobody is trusted by default, unix sockets neither", () => {
    expect(clientAddress("127.0.0.1", "1.2.3.4", NONE)).toBe("127.0.0.1");
    expect(clientAddress("unix", "1.2.3.4", NONE)).toBe("unix");
  });

  test("a header of thousands of hops is read from the right, up to a bound", () => {
    const header = `198.51.100.7, ${Array.from({ length: 5000 }, () => "10.1.1.1").join(",")}`;
    expect(clientAddress("10.0.0.1", header, PROXIES)).toBe("10.1.1.1");
  });

  test("follows the setting", () => {
    let value: string[] = [];
    const address = createClientAddress(() => value);
    expect(address("10.0.0.1", "1.2.3.4")).toBe("10.0.0.1");
    value = ["10.0.0.1"];
    expect(address("10.0.0.1", "1.2.3.4")).toBe("1.2.3.4");
  });
});

describe("the setting", () => {
  test("names what is wrong", () => {
    expect(() => parseTrustedProxies(["10.0.0.0/8", "proxy.internal"])).toThrow("proxy.internal");
    expect(() => parseTrustedProxies(["10.0.0.0/99"])).toThrow("10.0.0.0/99");
    expect(() => parseTrustedProxies(Array.from({ length: 300 }, () => "::1"))).toThrow("256");
  });

  test("takes addresses, ranges and unix", () => {
    expect(parseTrustedProxies(["10.0.0.0/8", "unix", "::1"])).toMatchObject({
      unix: true,
      ranges: [{}, {}],
    });
    for (const entry of ["", "proxy", "10.0.0.0/33", "010.0.0.1"]) {
      expect(() => parseTrustedProxies([entry])).toThrow();
    }
  });
});

test("one client commands a /64", () => {
  expect(addressGroup("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
  expect(addressGroup("2001:db8:1:2::9")).toBe("2001:db8:1:2::/64");
  expect(addressGroup("2001:db8:1:3::9")).toBe("2001:db8:1:3::/64");
  expect(addressGroup("198.51.100.7")).toBe("198.51.100.7");
  expect(addressGroup("unix")).toBe("unix");
});

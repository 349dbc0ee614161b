import { describe, expect, test } from "bun:test";
import { formatIp, isInRange, isIpv4, parseIp, parseIpRange } from "./ip-address.ts";

describe("addresses", () => {
  test.each([
    ["1.2.3.4", "1.2.3.4"],
    ["::ffff:1.2.3.4", "1.2.3.4"],
    ["::FFFF:0102:0304", "1.2.3.4"],
    ["::", "::"],
    ["::1", "::1"],
    ["1::", "1::"],
    ["2001:0DB8:0:0:8:0:0:0", "2001:db8:0:0:8::"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:2:3:4:5:6:0:8", "1:2:3:4:5:6:0:8"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
    ["fe80::1%eth0", "fe80::1"],
  ])("%s reads as %s", (text, canonical) => {
    expect(formatIp(parseIp(text)!)).toBe(canonical);
  });

  test.each([
    "",
    "unknown",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "0x7f.0.0.1",
    "256.1.1.1",
    "1.2.3.4%eth0",
    "1.2.3.4 ",
    ":",
    ":::",
    "1:::2",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "12345::",
    "1.2.3.4::",
    "1.2.3.4:1::",
    "g::",
    "[::1]",
    `${"0".repeat(50)}::`,
  ])("%p is not an address", (text) => {
    expect(parseIp(text)).toBeNull();
  });

  test("distinguishes IPv4 from IPv6", () => {
    expect(isIpv4(parseIp("::ffff:9.9.9.9")!)).toBe(true);
    expect(isIpv4(parseIp("::9.9.9.9")!)).toBe(false);
  });
});

const holds = (range: string, address: string) => isInRange(parseIp(address)!, parseIpRange(range)!);

describe("ranges", () => {
  test("end at their prefix", () => {
    expect(holds("10.0.0.0/8", "10.255.255.255")).toBe(true);
    expect(holds("10.0.0.0/8", "11.0.0.0")).toBe(false);
    expect(holds("192.168.4.0/22", "192.168.7.255")).toBe(true);
    expect(holds("192.168.4.0/22", "192.168.8.0")).toBe(false);
    expect(holds("2001:db8::/33", "2001:db8:7fff::")).toBe(true);
    expect(holds("2001:db8::/33", "2001:db8:8000::")).toBe(false);
    expect(holds("10.1.2.3", "10.1.2.3")).toBe(true);
    expect(holds("10.1.2.3", "10.1.2.2")).toBe(false);
  });

  test("of IPv4 contain mapped addresses only", () => {
    expect(holds("10.0.0.0/8", "::ffff:10.1.1.1")).toBe(true);
    expect(holds("0.0.0.0/0", "::1")).toBe(false);
    expect(holds("::/0", "10.1.1.1")).toBe(true);
  });

  test.each(["10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/-1", "a/8", "/8", "fe80::%1/64"])(
    "%p is not a range",
    (text) => {
      expect(parseIpRange(text)).toBeNull();
    },
  );
});

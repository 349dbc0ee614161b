import { expect, test } from "bun:test";
import { keptAddress, truncatedAddress } from "./kept-address.ts";

test("addresses are cut to their networks", () => {
  for (const [address, network] of [
    ["203.0.113.77", "203.0.113.0"],
    ["::ffff:203.0.113.77", "203.0.113.0"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::"],
    ["unix", null],
    ["", null],
  ] as const) {
    expect([address, truncatedAddress(address)]).toEqual([address, network]);
    expect(keptAddress(address, "truncated")).toBe(network);
  }
  expect([
    keptAddress("203.0.113.77", "none"),
    keptAddress("203.0.113.77", "full"),
    keptAddress(null, "full"),
  ]).toEqual([null, "203.0.113.77", null]);
});

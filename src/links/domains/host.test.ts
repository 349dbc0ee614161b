import { describe, expect, test } from "bun:test";
import { checkHost } from "./domain.ts";

describe("a host", () => {
  test.each([
    ["go.example.com", "go.example.com"],
    [" Go.EXAMPLE.com ", "go.example.com"],
    ["localhost", "localhost"],
    ["a-b.x1.example", "a-b.x1.example"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["XN--BCHER-KVA.example", "xn--bcher-kva.example"],
    // Cyrillic а: shown as what it is.
    ["аpple.example", "xn--pple-43d.example"],
    ["go。example", "go.example"],
    [`${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
  ])("%j is stored as %j", (text, host) => {
    expect(checkHost(text)).toBe(host);
    expect(checkHost(host)).toBe(host);
  });

  test.each([
    ["", "empty"],
    ["  ", "empty"],
    ["https://go.example", "scheme"],
    ["go.example:8080", "port"],
    ["go.example:", "port"],
    ["go.example/a", "path"],
    ["go.example?a", "path"],
    ["go.example#a", "path"],
    ["go.example\\a", "path"],
    ["u@go.example", "user"],
    ["go.example.", "dot"],
    ["go.example。", "dot"],
    ["127.0.0.1", "IP address"],
    ["1.2", "IP address"],
    ["0x7f.1", "IP address"],
    ["[::1]", "IP address"],
    ["::1", "IP address"],
    ["2001:db8::1", "IP address"],
    ["go..example", "valid name"],
    [".example", "valid name"],
    ["-go.example", "valid name"],
    ["go-.example", "valid name"],
    ["go_1.example", "valid name"],
    ["*.example", "valid name"],
    ["go .example", "valid name"],
    ["go\n.example", "valid name"],
    ["go\t.example", "valid name"],
    ["%61.example", "valid name"],
    ["xn--a.example", "valid name"],
    [`${"a".repeat(64)}.example`, "valid name"],
    ["a.".repeat(127) + "example", "253"],
  ])("%j is refused", (text, reason) => {
    expect(checkHost(text)).toEqual({ error: expect.stringContaining(reason) });
  });
});

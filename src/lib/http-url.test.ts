import { describe, expect, test } from "bun:test";
import { checkHttpUrl, HTTP_URL_MAX_BYTES } from "./http-url.ts";

describe("checkHttpUrl", () => {
  const accepted = [
    "https://example.com",
    "http://example.com/a b?q=%zz#f",
    "HTTPS://EXAMPLE.COM/",
    "http://127.0.0.1:8080/x",
    "http://[::1]/",
    "http://localhost",
    "https://例え.jp/パス",
    "https://example.com/@user",
    "https://example.com/?mail=a:b@c",
  ];
  test.each(accepted)("keeps %p as it is", (url) => {
    expect(checkHttpUrl(url)).toBe(url);
  });

  test("trims blanks only", () => {
    expect(checkHttpUrl(" \thttps://Example.com/%41 \r\n")).toBe("https://Example.com/%41");
  });

  const refused = [
    "",
    "   ",
    "example.com",
    "/path",
    "//example.com/",
    "ftp://example.com",
    "javascript:alert(1)",
    "data:text/html,x",
    "http:example.com",
    "http:/example.com",
    "http:///example.com",
    "http:\\\\example.com",
    "http://",
    "http://?q",
    "http://#f",
    "http://exa mple.com",
    "http://example.com:99999/",
    "http://[::1/",
    "http://user@example.com/",
    "http://user:pass@example.com/",
    "http://:@example.com/",
    "http://@example.com/",
    "https://example.com/\r\nSet-Cookie: a=b",
    "https://example.com/\u0000",
    "https://example.com/a\tb",
    "https://example.com/\u007f",
    "https://example.com/\u0085",
    "https://example.com/\ud800",
  ];
  test.each(refused)("refuses %p with a sentence", (url) => {
    const result = checkHttpUrl(url);
    expect(result).toEqual({ error: expect.stringMatching(/^The URL.*\.$/) });
  });

  test("counts bytes, not characters, up to the limit", () => {
    const base = "https://example.com/";
    const longest = base + "a".repeat(HTTP_URL_MAX_BYTES - base.length);
    expect(checkHttpUrl(longest)).toBe(longest);
    expect(checkHttpUrl(`${longest}a`)).toEqual({ error: "The URL is longer than 8192 bytes." });
    expect(checkHttpUrl(base + "é".repeat(HTTP_URL_MAX_BYTES / 2))).toHaveProperty("error");
  });
});

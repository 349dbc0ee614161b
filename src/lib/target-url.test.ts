import { describe, expect, test } from "bun:test";
import { HTTP_URL_MAX_BYTES } from "./http-url.ts";
import { checkScheme, checkTargetUrl, isHttpUrl } from "./target-url.ts";

const SCHEMES = ["mailto", "tel", "sms", "whatsapp", "ftp", "sip"];

describe("schemes", () => {
  test.each([
    [" MailTo ", "mailto"],
    ["tel:", "tel"],
    ["whatsapp://", "whatsapp"],
    ["web+maps", "web+maps"],
  ])("%j is %s", (text, scheme) => expect(checkScheme(text)).toBe(scheme));

  test.each([
    ..."javascript vbscript data file blob view-source filesystem about JavaScript: data://".split(" "),
    ..."http https waymark share 1a a:b a/b ü".split(" "),
    "",
    "a b",
    "a".repeat(33),
  ])("%j is refused", (text) => expect(checkScheme(text)).toEqual({ error: expect.any(String) }));
});

describe("targets", () => {
  test.each([
    "https://example.com/",
    " mailto:press@example.com?subject=Hello%20you ",
    "MAILTO:press@example.com",
    "tel:+49-30-123456",
    "sms:+4930123456?body=hi",
    "whatsapp://send?text=hi",
    "ftp://example.com/file",
    "sip:anna@example.com",
  ])("%j is accepted, trimmed", (text) => expect(checkTargetUrl(text, SCHEMES)).toBe(text.trim()));

  test.each([
    ..."javascript:alert(1) JaVaScRiPt:alert(1) data:text/html,x file:///etc/passwd blob:https://a/b".split(
      " ",
    ),
    ..."view-source:https://a.example mail:x waymark:file/1 share:code mailto: tel:// ftp://a:b@c.example".split(
      " ",
    ),
    ..."mailto java\nscript:alert(1) \u200bmailto:a@b.example".split(" "),
    "mailto:a@b.example\r\nX: y",
    "tel:1\u0000",
    "mailto:\ud800",
    `mailto:${"a".repeat(HTTP_URL_MAX_BYTES)}`,
    "https://user@example.com/",
    "",
  ])("%j is refused", (text) => expect(checkTargetUrl(text, SCHEMES)).toEqual({ error: expect.any(String) }));

  test("a dangerous scheme is refused even where it is listed", () => {
    for (const text of ["javascript:alert(1)", "data:text/html,x", "view-source:https://a.example"])
      expect(checkTargetUrl(text, ["javascript", "data", "view-source"])).toEqual({
        error: expect.any(String),
      });
  });

  test("without further schemes the message is that of http", () => {
    expect(checkTargetUrl("mailto:a@b.example", [])).toEqual({
      error: "The URL must be absolute and begin with http:// or https:// and a host.",
    });
    expect(checkTargetUrl("fax:1", ["tel", "sms"])).toEqual({
      error: "The URL must begin with http:// or https:// and a host, or with one of tel:, sms:.",
    });
  });

  test("http is told from others", () => {
    expect(["HTTP://a", "https://a", "httpx://a", "mailto:https://a", "a"].map(isHttpUrl)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

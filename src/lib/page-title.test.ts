import { describe, expect, test } from "bun:test";
import { pageTitle } from "./page-title.ts";

const titleOf = (html: string, type: string | null = "text/html") => pageTitle(Buffer.from(html), type);

describe("the title", () => {
  test.each([
    ["<title>Hello</title>", "Hello"],
    ["<!DOCTYPE html><HTML><HEAD><TITLE lang=en>\n  A  \t b </TITLE>", "A b"],
    [
      "<title>Tom &amp; &quot;Jerry&quot; &#8211; &#xfc; &unknown; &copy</title>",
      'Tom & "Jerry" – ü &unknown; ©',
    ],
    ["<!-- <title>no</title> --><title>yes</title>", "yes"],
    ["<script>'<title>no</title>'</script><style><title>no</title></style><title>yes</title>", "yes"],
    ["<svg><title>icon</title></svg><title>yes</title>", "yes"],
    ["<titles>no</titles><title/>yes</title>", "yes"],
    ["<title>a <b>bold</b> title</title>", "a <b>bold</b> title"],
    ["<title>\u202eevil\u2066 x</title>", "evil x"],
    [`<title>${"ü".repeat(300)}</title>`, `${"ü".repeat(199)}…`],
  ])("%j is %j", (html, title) => expect(titleOf(html)).toBe(title));

  test.each([
    "",
    "<title></title>",
    "<title> &nbsp; \n</title>",
    "<title>never closed",
    "<body><title>late</title>",
    "<!-- <title>no</title>",
    "<script><title>no</title>",
    "<p>text</p>",
  ])("%j has none", (html) => expect(titleOf(html)).toBeNull());

  test("only of pages", () => {
    expect(titleOf("<title>x</title>", "application/xhtml+xml; charset=utf-8")).toBe("x");
    expect(titleOf("<title>x</title>", null)).toBe("x");
    for (const type of ["application/pdf", "text/plain", "image/svg+xml"])
      expect(titleOf("<title>x</title>", type)).toBeNull();
  });

  test("in the encoding of header, mark or declaration", () => {
    const latin = Buffer.from("<meta charset=iso-8859-1><title>caf\u00e9</title>", "latin1");
    expect(pageTitle(latin, "text/html")).toBe("café");
    expect(
      pageTitle(Buffer.from("<title>caf\u00e9</title>", "latin1"), "text/html; charset=windows-1252"),
    ).toBe("café");
    expect(titleOf("\ufeff<meta charset=latin1><title>café</title>")).toBe("café");
    const meta = '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">';
    const japanese = Buffer.concat([
      Buffer.from(`${meta}<title>`),
      Buffer.from([0x93, 0xfa]),
      Buffer.from("</title>"),
    ]);
    expect(pageTitle(japanese, "text/html")).toBe("日");
    expect(titleOf("<meta charset=unknown><title>é</title>")).toBe("é");
  });

  test("hostile pages of 64 KiB take linear time", () => {
    for (const piece of [
      "<",
      "<!--",
      "<svg",
      "<script ",
      "<title",
      "&",
      "&#",
      "<meta charset",
      "<title>",
      "</",
    ]) {
      const page = piece.repeat(Math.floor(65_536 / piece.length));
      expect([titleOf(page), titleOf(`<title>${page}</title>`)].length).toBe(2);
    }
  });
});

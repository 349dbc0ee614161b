import { describe, expect, test } from "bun:test";
import { checkedAddress, parseEndpoint } from "./endpoint.ts";
import { partBytes } from "./parts.ts";
import { elementsOf, textOf } from "./xml.ts";
import { escapeXml } from "../../../lib/escape-xml.ts";

describe("endpoints", () => {
  test.each([
    ["https://s3.example.com", "https:", "s3.example.com"],
    ["s3.example.com", "https:", "s3.example.com"],
    ["HTTP://LocalHost:9000/", "http:", "localhost:9000"],
    ["http://127.0.0.1:9000", "http:", "127.0.0.1:9000"],
    ["http://10.1.2.3", "http:", "10.1.2.3"],
    ["http://[::1]:9000", "http:", "[::1]:9000"],
    ["https://s3.example.com:443", "https:", "s3.example.com"],
  ])("%s is taken", (text, protocol, host) => {
    expect(parseEndpoint(text)).toMatchObject({ protocol, host } as object);
  });

  test.each([
    "",
    "http://",
    "ftp://s3.example.com",
    "file:///etc/passwd",
    "https://user:password@s3.example.com",
    "https://s3.example.com/bucket",
    "https://s3.example.com/?x",
    "https://s3.example.com/#x",
  ])("%j is refused", (text) => {
    expect(() => parseEndpoint(text)).toThrow("endpoint:");
  });

  test.each([
    "http://169.254.169.254",
    "http://169.254.169.254.",
    "http://2852039166",
    "http://0xa9fea9fe",
    "http://0xA9.0xFE.0xA9.0xFE",
    "http://0251.0376.0251.0376",
    "http://169.16689662",
    "http://169.254.43518",
    "http://%31%36%39.254.169.254",
    "http://①⑥⑨.254.169.254",
    "http://169。254。169。254",
    "http://[::ffff:169.254.169.254]",
    "http://[::ffff:a9fe:a9fe]",
    "http://[::169.254.169.254]",
    "http://[64:ff9b::169.254.169.254]",
    "http://[2002:a9fe:a9fe::1]",
    "http://[64:ff9b:1::a9fe:a9fe]",
    "http://[64:ff9b:1:a9fe:00a9:fe00::]",
    "http://[64:ff9b:1:a9:00fe:a9fe::]",
    "http://[64:ff9b:1:0:00a9:fea9:fe00:0]",
    "http://[fe80::1]",
    "http://[febf::1]",
    "http://[fd00:ec2::254]",
    "http://[fd20:ce::254]",
    "http://100.100.100.200",
    "http://168.63.129.16:80",
    "http://192.0.0.192",
    "https://169.254.1.1",
  ])("%s is a metadata or link-local address", (text) => {
    expect(() => parseEndpoint(text)).toThrow("metadata address");
  });

  test.each([
    "http://[::ffff:127.0.0.1]:9000",
    "http://[::ffff:a00:1]",
    "http://[0:0:0:0:0:ffff:8.8.8.8]",
    "http://[::ffff:0:a9fe:a9fe]",
    "http://[::ffff:0:127.0.0.1]",
    "http://[2001::1]",
    "http://[2001:0:4136:e378:8000:63bf:5601:5601]",
  ])("%s is an IPv4 address in the form of an IPv6 one", (text) => {
    expect(() => parseEndpoint(text)).toThrow("the IPv4 address itself");
  });

  test("a name with such an address is refused before a connection", async () => {
    const endpoint = parseEndpoint("http://s3.example.com");
    for (const address of ["169.254.169.254", "::ffff:10.0.0.1", "::ffff:0:10.0.0.1", "2001::1"]) {
      const resolve = () => Promise.resolve(["10.0.0.1", address]);
      await expect(checkedAddress(endpoint, resolve)).rejects.toThrow("endpoint:");
    }
    expect(await checkedAddress(endpoint, async () => ["10.0.0.1", "2001:db8::1"])).toBe("10.0.0.1");
  });
});

test("parts grow, are never too small for S3, and suffice for large files", () => {
  let total = 0;
  for (let number = 1; number <= 10_000; number++) {
    expect(partBytes(number)).toBeGreaterThanOrEqual(5 * 1024 * 1024);
    total += partBytes(number);
  }
  expect(total).toBeGreaterThan(380 * 2 ** 30);
});

test("XML is parsed and escaped", () => {
  const xml = '<?xml version="1.0"?><A xmlns="x"><B>1 &lt; &amp;#50; &#x1F511;&#33;</B><B/><B>2</B></A>';
  expect(elementsOf(xml, "B")).toEqual(["1 &lt; &amp;#50; &#x1F511;&#33;", "2"]);
  expect(textOf(xml, "B")).toBe("1 < &#50; 🔑!");
  expect(textOf(xml, "C")).toBeUndefined();
  const nasty = `<>&"'x]]>`;
  expect(textOf(`<T>${escapeXml(nasty)}</T>`, "T")).toBe(nasty);
});

test("elements of XML are found among names that begin alike, and in any text within moments", () => {
  const xml = '<Keys><Key a="1">one</Key><KeyCount>2</KeyCount><Key\n>two</Key></Keys><Key>';
  expect(elementsOf(xml, "Key")).toEqual(["one", "two"]);
  const begun = performance.now();
  for (const text of ["<Key>", "<Key ", "<KeyCount>", "<Key></"])
    expect(elementsOf(text.repeat(100_000), "Key")).toEqual([]);
  // With a regular expression it was a minute.
  expect(performance.now() - begun).toBeLessThan(3_000);
});

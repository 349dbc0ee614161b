import { expect, test } from "bun:test";
import { createOrigins } from "./origins.ts";

const LISTENING = { host: "127.0.0.1", port: 8080, unixSocket: null, tlsCert: null, acme: false };

function originOf(
  url: string,
  headers: Record<string, string> = {},
  { publicUrl = "", hop = null as number | null } = {},
): string {
  const origins = createOrigins({ publicUrl: () => publicUrl, trustedHop: () => hop, server: LISTENING });
  // Bun's requests may have a bare path as URL.
  const request = { url, headers: new Headers(headers) } as Request;
  return origins.ofRequest(request, () => "192.0.2.1");
}

test("public_url wins over the request", () => {
  const forged = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https" };
  expect(originOf("http://a.example/x", forged, { publicUrl: "https://go.example", hop: 0 })).toBe(
    "https://go.example",
  );
});

test("without it the request decides", () => {
  expect(originOf("http://A.example:8080/x?y")).toBe("http://a.example:8080");
  expect(originOf("http://a.example/x", { "X-Forwarded-Proto": "https" })).toBe("https://a.example");
  expect(originOf("http://[::1]:81/x")).toBe("http://[::1]:81");
  // Without a Host.
  expect(originOf("/x")).toBe("http://127.0.0.1:8080");
  expect(originOf("/x", { "X-Forwarded-Host": "a.example" })).toBe("http://127.0.0.1:8080");
});

test("X-Forwarded-Host counts from trusted proxies only", () => {
  const at = (host: string, trusted: boolean) =>
    originOf(
      "http://inner:8080/x",
      { "X-Forwarded-Host": host, "X-Forwarded-Proto": "https" },
      { hop: trusted ? 0 : null },
    );
  expect(at("go.example", false)).toBe("https://inner:8080");
  expect(at("go.example", true)).toBe("https://go.example");
  expect(at("go.example:444", true)).toBe("https://go.example:444");
  for (const bad of ["a/b", "u@h", "a b", "h:x", "", "a".repeat(300)]) {
    expect(at(bad, true)).toBe("https://inner:8080");
  }
});

test("of lists the entry of the outermost trusted proxy counts", () => {
  const at = (hop: number | null, proto: string, host = "x.example, go.example, inner") =>
    originOf("http://own/x", { "X-Forwarded-Proto": proto, "X-Forwarded-Host": host }, { hop });
  expect(at(1, "https,http")).toBe("https://go.example");
  expect(at(0, "https,http")).toBe("http://inner");
  expect(at(1, "http, HTTPS ,http")).toBe("https://go.example");
  // A proxy that replaces the header leaves one entry.
  expect(at(5, "HTTPS", "go.example")).toBe("https://go.example");
  // Whoever is not trusted speaks for its own response only.
  expect(at(null, "https,http")).toBe("https://own");
});

test("X-Forwarded-Prefix counts from trusted proxies only", () => {
  const at = (prefix: string, hop: number | null) => {
    const origins = createOrigins({ publicUrl: () => "", trustedHop: () => hop, server: LISTENING });
    const request = new Request("http://a.example/x", { headers: { "X-Forwarded-Prefix": prefix } });
    return origins.prefixOf(request, () => "192.0.2.1");
  };
  expect([at("/go", 0), at("/go/", 0), at("/x, /go", 0), at("/go, /in", 1)]).toEqual(Array(4).fill("/go"));
  expect([at("/go", null), at("", 0), at("//evil", 0), at("/a b", 0)]).toEqual(Array(4).fill(""));
});

test.each([
  [{}, "http://127.0.0.1:8080"],
  [{ acme: false, tlsCert: "cert.pem", port: 443 }, "https://127.0.0.1"],
  [{ host: "0.0.0.0" }, "http://localhost:8080"],
  [{ host: "::", port: 80 }, "http://localhost"],
  [{ host: "2001:db8::1" }, "http://[2001:db8::1]:8080"],
  [{ host: "go.example" }, "http://go.example:8080"],
  [{ unixSocket: "/run/waymark.sock" }, "http://localhost"],
])("commands name the listening address: %j", (change, expected) => {
  const server = { ...LISTENING, ...change };
  const { ofServer } = createOrigins({ publicUrl: () => "", trustedHop: () => null, server });
  expect(ofServer()).toBe(expected);
});

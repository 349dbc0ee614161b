import { expect, test } from "bun:test";
import { keepsSecureCookies } from "./secure-cookies.ts";

const keeps = (url: string, headers: Record<string, string> = {}) =>
  keepsSecureCookies({ url, headers: new Headers(headers) });

test("browsers keep Secure cookies over HTTPS and from their own machine", () => {
  for (const url of [
    "https://go.test/a",
    "http://localhost:8080/a",
    "http://panel.localhost/a",
    "http://127.0.0.1:8080/",
    "http://127.9.0.1/",
    "http://[::1]:8080/",
  ]) {
    expect([url, keeps(url)]).toEqual([url, true]);
  }
  for (const url of [
    "http://go.test/a",
    "http://192.168.1.5:8080/",
    "http://localhost.test/",
    "http://notlocalhost/",
    "http://127.0.0.1.test/",
    "http://[::2]/",
    "http://[::ffff:7f00:1]/",
  ]) {
    expect([url, keeps(url)]).toEqual([url, false]);
  }
});

test("a proxy, or the browser itself, says that it is HTTPS", () => {
  expect(keeps("http://go.test/a", { "X-Forwarded-Proto": "https" })).toBe(true);
  expect(keeps("http://go.test/a", { "X-Forwarded-Proto": "HTTPS,http" })).toBe(true);
  expect(keeps("http://go.test/a", { "X-Forwarded-Proto": "http" })).toBe(false);
  expect(keeps("http://go.test/a", { "Sec-Fetch-Site": "same-origin" })).toBe(true);
});

test("a request without a Host comes from no browser", () => {
  expect(keeps("/a")).toBe(true);
});

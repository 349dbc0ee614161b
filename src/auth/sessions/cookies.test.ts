import { expect, test } from "bun:test";
import type { Config } from "../../platform/config/config.service.ts";
import type { ConfigValues } from "../../platform/config/definitions.ts";
import { clearedCookies, deviceCookie, readCookies, sessionCookies } from "./cookies.ts";

const config = (settings: Partial<ConfigValues> = {}): Config => {
  const all = {
    "routes.admin_prefix": "/admin",
    "api.cookie_secure": true,
    "api.cookie_same_site": "Lax",
    "api.cookie_domain": "",
    ...settings,
  } as ConfigValues;
  return { get: (key) => all[key] } as Config;
};
const VALUES = {
  access: "a.b.c",
  accessMaxAge: 900,
  refresh: "d.e.f",
  refreshMaxAge: 604_799.9,
  csrf: "g",
};

test("cookies have the specified names and attributes", () => {
  expect(sessionCookies(config(), VALUES)).toEqual([
    "svc_access=a.b.c; Path=/; Max-Age=900; HttpOnly; Secure; SameSite=Lax",
    "svc_refresh=d.e.f; Path=/admin/v1/auth; Max-Age=604800; HttpOnly; Secure; SameSite=Lax",
    "csrf_token=g; Path=/; Max-Age=604800; Secure; SameSite=Lax",
  ]);
  expect(deviceCookie(config(), { value: "h.i.j", maxAge: 31_536_000 })).toBe(
    "waymark_device=h.i.j; Path=/admin/v1/auth; Max-Age=31536000; HttpOnly; Secure; SameSite=Lax",
  );
});

test("attributes follow the settings", () => {
  const settings = config({
    "routes.admin_prefix": "/my/api",
    "api.cookie_secure": false,
    "api.cookie_same_site": "Strict",
    "api.cookie_domain": "example.com",
  });
  expect(sessionCookies(settings, VALUES)[1]).toBe(
    "svc_refresh=d.e.f; Path=/my/api/v1/auth; Domain=example.com; Max-Age=604800; HttpOnly; SameSite=Strict",
  );
});

test("cookies are cleared with the path and domain they were set with", () => {
  expect(clearedCookies(config({ "api.cookie_domain": "example.com" }))).toEqual([
    "svc_access=; Path=/; Domain=example.com; Max-Age=0; HttpOnly; Secure; SameSite=Lax",
    "svc_refresh=; Path=/admin/v1/auth; Domain=example.com; Max-Age=0; HttpOnly; Secure; SameSite=Lax",
    "csrf_token=; Path=/; Domain=example.com; Max-Age=0; Secure; SameSite=Lax",
  ]);
});

test("cookies are read by exact name, up to a bound", () => {
  const header = "x_svc_access=0; svc_access=1;svc_access=2; svc_accessory=3; svc_access; svc_access=a=b";
  expect(readCookies(header, "svc_access")).toEqual(["1", "2", "a=b"]);
  expect(readCookies("svc_access=x;".repeat(1000), "svc_access")).toHaveLength(4);
  expect(readCookies(undefined, "svc_access")).toEqual([]);
});

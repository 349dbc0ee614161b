import { expect, test } from "bun:test";
import { createRouteTest } from "./path-code.ts";

const isRouted = createRouteTest(["/admin", "/a/b", "/health", "/files"]);

const YES = [
  "/admin",
  "/admin/",
  "/admin/v1/links",
  "/admin?x",
  "/a/b",
  "/a/b/c",
  "/files?x/y",
  "/health/live",
];
const NO = [
  "/",
  "",
  "/a",
  "/a/",
  "/a/bc",
  "/adminx",
  "/admi",
  "/Admin",
  "//admin",
  "/x/admin",
  "/?/admin",
  "/%61dmin",
  "/é",
  "/files-x",
];

test("paths at or below a prefix belong to endpoints, others are codes", () => {
  for (const host of ["http://h", "http://admin:8080", "http://[::1]", ""]) {
    expect(YES.filter((path) => !isRouted(host + path))).toEqual([]);
    expect(NO.filter((path) => isRouted(host + path))).toEqual([]);
  }
});

test("a prefix may be one letter, and several may begin with the same", () => {
  const isShort = createRouteTest(["/a", "/ab/c", "/abd"]);
  const routed = ["/a", "/a/x", "/ab/c", "/abd?x"].filter((path) => !isShort(`http://h${path}`));
  expect(routed).toEqual([]);
  expect(["/ab", "/ax", "/abdx", "/ab/cx"].filter((path) => isShort(`http://h${path}`))).toEqual([]);
});

test("without prefixes every path is a code", () => {
  expect(createRouteTest([])("http://h/admin")).toBe(false);
});

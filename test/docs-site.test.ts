/** The site of the documents: every page has a place in the navigation, and no link leads nowhere. */
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { collect, sidebarOf, siteText } from "../scripts/docs.ts";

const { pages, files } = collect();

test("every page of docs/ is in the navigation once", () => {
  const links = sidebarOf(pages).flatMap(({ items = [] }) => items.map(({ link }) => link!));
  const names = readdirSync(join(import.meta.dir, "../docs")).filter((name) => name.endsWith(".md"));
  const missing = names
    .map((name) => `/${name.replace(/\.md$/, "")}`)
    .filter((link) => !links.includes(link));
  expect(missing).toEqual([]);
  expect(links.toSorted()).toEqual([...new Set(links)].toSorted());
});

test("links between pages lead to pages of the site, files of the repository are texts", () => {
  const place = (path: string) => siteText(pages.find((page) => page.path === path)!);
  expect(place("docs/proxies.md")).toContain("](/https)");
  expect(place("README.md")).toContain("](/proxies)");
  expect(place("docs/proxies.md")).toContain("](/deploy/nginx/waymark.conf.txt)");
  expect(files.has("deploy/nginx/waymark.conf")).toBe(true);
  for (const page of pages) expect(siteText(page)).not.toMatch(/\]\((\.\.?\/|docs\/)/);
});

/**
 * Each page as it is loaded: how much script it takes, in how many files, and from where; its name, which the tab shows
 * and which is announced; a bound on its fields.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Pack } from "../../src/platform/panel/panel.ts";
import { PANEL_ROUTES } from "../support/panel-routes.ts";
import { CHROMIUM } from "../support/chromium.ts";
import { signInToPanel, startPanel, unboundedFields } from "../support/panel.ts";

/** Bytes of the route that somebody opens first, and of what every other loads in addition. */
const MOST_FIRST = 183_500;
const MOST_MORE = 197_600;
/** Of the list of links, the same. */
const MOST_LINKS = 39_960;
/** Files of the same. */
const MOST_FIRST_FILES = 4;
const MOST_MORE_FILES = 30;
const MOST_LINKS_FILES = 4;
const FIRST = "sign-in";
let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  await panel.client.call("POST", "/links", { code: "long/code", target: "https://example.com/" });
});
afterAll(() => panel.stop());

/** Bytes by name, compressed by gzip. */
async function scriptSizes(): Promise<Map<string, number>> {
  const file = Bun.file(join(import.meta.dir, "../../panel/dist/panel.pack"));
  const { files } = (await file.json()) as Pack;
  return new Map(
    Object.entries(files)
      .filter(([name]) => name.endsWith(".js"))
      .map(([name, { gzip }]) => [name, Buffer.from(gzip, "base64").length]),
  );
}

test.skipIf(!CHROMIUM)(
  "pages load little script from this server alone, have names, and bounds on their fields",
  async () => {
    const sizes = await scriptSizes();
    const { page, complaints, close } = await panel.open(`/panel/${FIRST}`);
    const loaded = async (shown: Page, open: () => Promise<unknown>): Promise<Set<string>> => {
      const names = new Set<string>();
      const foreign: string[] = [];
      shown.on("request", (request) => {
        const { origin, pathname, protocol } = new URL(request.url());
        if (origin !== panel.origin && protocol.startsWith("http")) foreign.push(request.url());
        const name = pathname.slice("/panel/".length);
        if (sizes.has(name)) names.add(name);
      });
      await open();
      // On a busy machine the network rests before the page has asked for its parts.
      await shown.getByRole("heading", { level: 1 }).waitFor();
      await shown.waitForLoadState("networkidle");
      shown.removeAllListeners("request");
      expect(foreign).toEqual([]);
      return names;
    };
    // What the page needs to show itself, without what it loads when it has come to rest.
    await page.addInitScript(() => (window.requestIdleCallback = () => 0));
    const total = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + sizes.get(name)!, 0);

    const first = await loaded(page, () => page.reload());
    expect(first.size).toBeGreaterThan(0);
    await signInToPanel(page);
    const over: string[] = [];
    const check = (path: string, names: ReadonlySet<string>, most: number, mostFiles: number): void => {
      const bytes = total(names);
      if (process.env["WAYMARK_TEST_SIZES"] !== undefined) console.log(path, names.size, bytes);
      if (bytes > most) over.push(`${path}: ${bytes} of ${most} bytes`);
      if (names.size > mostFiles) over.push(`${path}: ${names.size} of ${mostFiles} files`);
    };
    check(FIRST, first, MOST_FIRST, MOST_FIRST_FILES);
    for (const path of PANEL_ROUTES) {
      const names = await loaded(page, () => page.goto(`${panel.origin}/panel/${path}`));
      const [most, mostFiles] =
        path === "links" ? [MOST_LINKS, MOST_LINKS_FILES] : [MOST_MORE, MOST_MORE_FILES];
      check(path, names.difference(first), most, mostFiles);
      const name = (await page.getByRole("heading", { level: 1 }).textContent())!;
      await page.waitForFunction((title) => document.title === title, `${name} · Waymark`);
      await page.getByRole("status").filter({ hasText: name }).waitFor({ state: "attached" });
      // Values of settings have none.
      if (path !== "settings") expect([path, ...(await unboundedFields(page))]).toEqual([path]);
    }
    expect(over).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  },
);

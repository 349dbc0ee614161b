/** The panel as an app on a phone: its bar, its sheets, its worker, and what other apps share with it. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { PANEL_ROUTES } from "../support/panel-routes.ts";
import { turnTo } from "../support/panel-turns.ts";
import { expectAccessible, NARROW, once, startPanel } from "../support/panel.ts";
import { soon } from "../support/until.ts";

const LEAST_TARGET = 44;

/** Tests the sums too. */
const UNZIP = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    for name in sorted(z.namelist()): print(name, z.read(name)[:4].decode())`;

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  await panel.client.call("POST", "/links", { code: "long/code", target: "https://example.com/long" });
});
afterAll(() => panel.stop());

/** Elements at the end of the page that lie behind the bar. */
const behindBar = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const bar = document.querySelector('nav[aria-label="Main menu"]')!.getBoundingClientRect();
    const main = document.querySelector("main")!;
    window.scrollTo(0, document.documentElement.scrollHeight);
    const shown = [...main.querySelectorAll<HTMLElement>("button, a, input, select, p, h2, h3")].filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true }) && element.closest("iframe") === null,
    );
    // What scrolls in a frame of its own ends above the bar.
    const end = main.getBoundingClientRect().bottom;
    return [
      ...(end > bar.top + 1 ? [`the page ends at ${end}, the bar begins at ${bar.top}`] : []),
      ...shown.flatMap((element) => {
        const { bottom, top, height } = element.getBoundingClientRect();
        const isSticky = getComputedStyle(element.parentElement!).position === "sticky";
        return isSticky && height > 0 && top < bar.bottom && bottom > bar.top + 1 ? [element.outerHTML] : [];
      }),
    ];
  });

once("on a phone a bar leads to the main pages, is for thumbs, and hides nothing", async () => {
  const { page, complaints, close } = await panel.enter("/panel/settings", { size: NARROW });
  const bar = page.getByRole("navigation", { name: "Main menu" });
  const names = ["Overview", "Analytics", "Links", "Files", "Shares"];
  expect(await bar.getByRole("link").allTextContents()).toEqual(names);
  for (const box of await bar.getByRole("link").all()) {
    const { width, height } = (await box.boundingBox())!;
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(LEAST_TARGET);
  }
  for (const path of PANEL_ROUTES) {
    await turnTo(page, path);
    expect([path, ...(await behindBar(page))]).toEqual([path]);
  }
  await bar.getByRole("link", { name: "Shares" }).click();
  await page.waitForURL(/\/panel\/shares/);
  expect(await bar.locator("[aria-current]").allTextContents()).toEqual(["Shares"]);
  expect(complaints).toEqual([]);
  await close();
});

once("on a phone the fields of a report and the filters of links are in a sheet", async () => {
  const { page, complaints, close } = await panel.enter("/panel/analytics", { size: NARROW });
  const sheet = page.getByRole("dialog");
  await page.getByRole("button", { name: "Time and visitors: 30 days · Human clicks" }).click();
  await sheet.getByLabel("Time", { exact: true }).selectOption("7d");
  await sheet.getByLabel("Visitors", { exact: true }).selectOption("all");
  // What is behind the sheet is dim until it is of seven days.
  await page.locator("main [data-stale]").first().waitFor({ state: "detached" });
  await expectAccessible(page, "the sheet of a report");
  await sheet.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Time and visitors: 7 days · Humans and bots" }).waitFor();
  expect(await page.getByLabel("Time", { exact: true }).count()).toBe(0);

  await page.goto(`${panel.origin}/panel/links`);
  await page.getByRole("button", { name: "Filter" }).click();
  await sheet.getByLabel("State").waitFor();
  await page.goBack();
  await sheet.waitFor({ state: "hidden" });
  expect(complaints).toEqual([]);
  await close();
});

/** As a phone does when somebody shares with an app. */
const share = (page: Page, said: Record<string, string>, files: readonly string[] = []): Promise<void> =>
  page.evaluate(
    ([fields, names]) => {
      const form = document.createElement("form");
      Object.assign(form, {
        method: "post",
        enctype: "multipart/form-data",
        action: `${document.baseURI}shared`,
      });
      for (const [name, value] of Object.entries(fields))
        form.append(Object.assign(document.createElement("input"), { name, value }));
      const input = Object.assign(document.createElement("input"), {
        name: "files",
        type: "file",
        multiple: true,
      });
      const given = new DataTransfer();
      for (const name of names)
        given.items.add(new File(["content of the file"], name, { type: "text/plain" }));
      input.files = given.files;
      form.append(input);
      document.body.append(form);
      form.submit();
    },
    [said, files] as const,
  );

once("the installed app takes a shared URL and shared files, and says when the server is away", async () => {
  const { page, context, complaints, close } = await panel.enter("/panel/", { size: NARROW, worker: true });
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);

  const target = "https://example.com/seen?on=phone";
  await share(page, { title: "A page", text: `Look at this: ${target}` });
  await page.getByText(target).waitFor();
  await expectAccessible(page, "a shared URL");
  await page.getByRole("button", { name: "Create link" }).click();
  await page.waitForURL(/\/panel\/links/);
  await soon(async () => {
    const { body } = await panel.client.call("GET", "/links?search=on=phone");
    expect(body.data.length).toBe(1);
  });

  await page.goto(`${panel.origin}/panel/`);
  await share(page, {}, ["Größe <b>.txt", "b.txt"]);
  await page.getByText("Größe <b>.txt").waitFor();
  await page.getByRole("button", { name: "Upload 2 files" }).click();
  await page.waitForURL(/\/panel\/files/);
  await page.getByRole("row").filter({ hasText: "Größe <b>.txt" }).waitFor();
  // Once only.
  expect(await page.evaluate(() => caches.has("waymark-shared"))).toBe(false);
  const kept = await page.evaluate(async () => Promise.all((await caches.keys()).map(String)));
  expect(kept).toEqual([]);

  expect(complaints).toEqual([]);
  await context.setOffline(true);
  await page.reload().catch(() => {});
  await page.getByRole("heading", { name: "You are offline" }).waitFor();
  await context.setOffline(false);
  await page.getByRole("link", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Files" }).waitFor();
  await close();
});

once("the bookmarklet opens the panel to shorten the page that one looks at", async () => {
  const { page, context, close } = await panel.enter("/panel/links");
  await page.getByRole("button", { name: /Account menu/ }).click();
  await page.getByRole("menuitem", { name: "On this device" }).click();
  const code = await page.getByRole("link", { name: "Shorten with Waymark" }).getAttribute("href");
  await expectAccessible(page, "the panel on this device");
  const other = await context.newPage();
  await other.goto(`${panel.origin}/robots.txt?a=1&b=2#c`);
  const opened = context.waitForEvent("page");
  await other.evaluate(decodeURIComponent(code!.slice("javascript:".length)));
  await (await opened).getByText(`${panel.origin}/robots.txt?a=1&b=2#c`).waitFor();
  await close();
});

once("the QR codes of selected links come as a sheet for the printer, and as a ZIP file", async () => {
  const flyer = { code: "flyer", target: "https://example.com/flyer", title: "The flyer" };
  await panel.client.call("POST", "/links", flyer);
  const { page, complaints, close } = await panel.enter("/panel/links");
  for (const code of ["long/code", "flyer"])
    await page.getByRole("row").filter({ hasText: code }).getByRole("checkbox").check();
  await page.getByRole("button", { name: "QR codes" }).click();
  const sheet = page.getByRole("dialog", { name: "QR codes" });
  await sheet.getByText("The flyer").waitFor();
  await expectAccessible(page, "QR codes");
  await page.emulateMedia({ media: "print" });
  const printed = await page.locator("body").innerText();
  expect(printed.split("\n").filter(Boolean).toSorted()).toEqual(
    [
      expect.stringMatching(/flyer$/),
      expect.stringMatching(/\/long\/code$/),
      "The flyer",
    ].toSorted() as string[],
  );
  await page.emulateMedia({ media: null });
  const coming = page.waitForEvent("download");
  await sheet.getByRole("button", { name: "SVG files (ZIP)" }).click();
  const path = await (await coming).path();
  const listed = Bun.spawnSync(["python3", "-c", UNZIP, path]).stdout.toString();
  expect(listed).toBe("flyer.svg <svg\nlong code.svg <svg\n");
  expect(complaints).toEqual([]);
  await close();
});

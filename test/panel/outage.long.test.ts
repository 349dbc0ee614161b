/** A panel whose server dies, starts again or has a newer panel, and a browser without a network. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { CHROMIUM } from "../support/chromium.ts";
import { expectAccessible, expectAccessibleInAllLooks, startPanel, WIDE } from "../support/panel.ts";
import { soon } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  await panel.client.call("POST", "/links", { code: "before", target: "https://example.com/" });
});
afterAll(() => panel.stop());

test.skipIf(!CHROMIUM)(
  "kill -9 and a new start are told, healed without a reload, and lose nothing typed",
  async () => {
    const { page, close } = await panel.enter("/panel/links");
    await page.getByRole("row").filter({ hasText: "before" }).waitFor();
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await page.getByRole("button", { name: "New link" }).click();
    const form = page.getByRole("region", { name: "New link" });
    const looked = page.waitForResponse(/links\/available/);
    await form.getByLabel("Code", { exact: true }).fill("typed");
    await looked;
    await panel.server.kill();
    await form.getByLabel("Target").fill("https://example.com/typed");
    await page.getByRole("button", { name: "Create link" }).click();
    const bar = page.getByRole("status").filter({ hasText: "The server can't be reached" });
    await bar.waitFor();
    await expectAccessibleInAllLooks(page, "server away");
    await page.setViewportSize(WIDE);

    await panel.startAgain();
    await bar.waitFor({ state: "detached" });
    // Pressed while the server was away, it may have been refused or may have waited.
    const made = page.getByRole("heading", { name: /\/typed$/ });
    await soon(async () => {
      if (await made.isVisible()) return;
      await page
        .getByRole("button", { name: "Create link" })
        .click({ timeout: 2_000 })
        .catch(() => {});
      expect(await made.isVisible()).toBe(true);
    });
    expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
    await close();
  },
);

test.skipIf(!CHROMIUM)("a save during a restart is tried again when the server answers", async () => {
  const { page, close } = await panel.enter("/panel/links?q=before");
  await page.getByRole("row").filter({ hasText: "before" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("F2");
  const form = page.getByRole("form", { name: "Edit before" });
  await form.getByLabel("Title").fill("Saved over a restart");
  await panel.server.kill();
  await page.keyboard.press("Enter");
  await page.getByText("The server can't be reached. The panel continues").waitFor();
  await panel.startAgain();
  await form.waitFor({ state: "detached" });
  await page.getByRole("row").filter({ hasText: "Saved over a restart" }).waitFor();
  await close();
});

test.skipIf(!CHROMIUM)("a page that is opened while the network is away shows when it is back", async () => {
  const { page, context, close } = await panel.enter("/panel/links");
  await page.getByRole("row").filter({ hasText: "before" }).waitFor();
  await context.setOffline(true);
  await page.getByText("No network.").waitFor();
  await page.getByRole("link", { name: "Domains" }).click();
  await panel.client.call("POST", "/domains", { host: "made.example.com" });
  await context.setOffline(false);
  await page.getByRole("row").filter({ hasText: "made.example.com" }).waitFor();
  await page.getByText("No network.").waitFor({ state: "detached" });
  await close();
});

test.skipIf(!CHROMIUM)("styles that fail to load at first are there at the second try", async () => {
  const { page, context, close } = await panel.enter("/panel/links");
  const refused = new Set<string>();
  await context.route(/assets\/[^/]*\.css$/, (route) => {
    const address = route.request().url();
    if (refused.has(address)) return route.continue();
    refused.add(address);
    return route.abort();
  });
  await page.reload();
  const row = page.getByRole("row").filter({ hasText: "before" });
  await row.waitFor();
  const display = () => row.evaluate((element) => getComputedStyle(element).display);
  while ((await display()) !== "grid") await page.waitForTimeout(50);
  expect(refused.size).toBeGreaterThan(0);
  await close();
});

test.skipIf(!CHROMIUM)("a proxy that answers for a server that is away counts as an outage", async () => {
  const { page, context, close } = await panel.enter("/panel/domains");
  await page.getByRole("row").filter({ hasText: "made.example.com" }).waitFor();
  const failing = { status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" };
  await context.route(/\/(?:panel|admin)\//, (route) => route.fulfill(failing));
  await page.getByRole("link", { name: "Accounts" }).click();
  await page.getByText("The server can't be reached. The panel continues").waitFor();
  await context.unroute(/\/(?:panel|admin)\//);
  await page.getByText("There are no other accounts yet.").waitFor();
  await close();
});

test.skipIf(!CHROMIUM)(
  "files that a newer panel replaced are told, and a page whose file is gone reloads once",
  async () => {
    const { page, context, close } = await panel.enter("/panel/links");
    await page.getByRole("row").filter({ hasText: "before" }).waitFor();
    let documents = 0;
    page.on("request", (request) => (documents += request.isNavigationRequest() ? 1 : 0));
    // Until the page is loaded anew.
    await context.route(/settings-page/, (route) =>
      documents === 0 ? route.fulfill({ status: 404, body: "" }) : route.fallback(),
    );
    await context.route(/command-window/, (route) => route.fulfill({ status: 404, body: "" }));
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Settings", exact: true }).waitFor();
    await page.waitForURL((url) => url.pathname === "/panel/settings");
    expect(documents).toBe(1);

    const reload = async () => {
      const loaded = page.waitForEvent("load");
      await page.getByRole("button", { name: "Reload" }).click();
      await loaded;
      await page.getByRole("heading", { name: "Settings", exact: true }).waitFor();
      expect(await page.getByText("A new version of the panel is there.").count()).toBe(0);
    };
    // A part of a page that is gone takes nothing else along.
    await page.getByLabel("Search settings").fill("typed");
    await page.keyboard.press("Control+k");
    await page.getByText("A new version of the panel is there.").waitFor();
    expect(await page.getByLabel("Search settings").inputValue()).toBe("typed");
    await context.unroute(/command-window/);
    await reload();

    await context.route(/\/panel\/$/, async (route) => {
      const answer = await route.fetch();
      const newer = (await answer.text()).replace(/index-[\w-]+\.js/, "index-newer.js");
      await route.fulfill({ response: answer, body: newer });
    });
    // The browser's word is checked by asking the server.
    await context.setOffline(true);
    await page.getByText("A new version of the panel is there.").waitFor();
    await expectAccessible(page, "a newer panel");
    await context.setOffline(false);
    await context.unroute(/\/panel\/$/);
    await reload();
    await close();
  },
);

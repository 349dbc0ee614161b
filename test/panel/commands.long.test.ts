/** The commands (⌘K), and URLs pasted anywhere. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/chromium.ts";
import { expectAccessibleInAllLooks, focused, signInToPanel, startPanel } from "../support/panel.ts";
import { PASSWORD } from "../support/session.ts";
import { soon } from "../support/until.ts";

const HOSTILE = '"><img src=x onerror=alert(1)>';

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

const paste = (page: Page, text: string, selector = "body") =>
  page.evaluate(
    ([pasted, where]) => {
      const data = new DataTransfer();
      data.setData("text/plain", pasted!);
      const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      return document.querySelector(where!)!.dispatchEvent(event);
    },
    [text, selector],
  );

/** Anew: pressed again before it is closed, the key would leave it open as it is. */
async function openCommands(page: Page): Promise<void> {
  await page.locator("[cmdk-input]").waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await focused(page.locator("[cmdk-input]"));
}

test.skipIf(!CHROMIUM)(
  "report pages, linked folders, moves of storage, zones and case are found",
  async () => {
    const { page, complaints, close } = await panel.enter("/panel/tokens");
    for (const [typed, found, address] of [
      ["report page", "Report pages", /\/analytics\/pages/],
      ["linked folder", "Storage", /\/policies/],
      ["move files", "Storage", /\/policies/],
      ["lower case", "Domains", /\/domains/],
      ["time zone", "Time zone", /\/settings\?.*time_zone/],
      ["campaign", "Analytics", /\/analytics$/],
      ["replace", "Replace in the targets of links", /\/links$/],
      ["drop box", "New drop box", /\/shares\/new\?drop=true/],
    ] as const) {
      await openCommands(page);
      await page.keyboard.type(typed);
      await page.getByRole("option", { name: found }).first().click();
      await page.waitForURL(address);
    }
    await page.getByRole("radio", { name: "Drop box", checked: true }).waitFor({ state: "attached" });
    // Settings have long descriptions, by which everything would be found.
    await openCommands(page);
    await page.keyboard.type("drop box");
    await page.getByRole("option", { name: "New drop box", selected: true }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await page.getByRole("option").filter({ hasText: "Passwords of shares" }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  },
);

test.skipIf(!CHROMIUM)("⌘K finds links, files, shares, settings, pages and actions by keyboard", async () => {
  const { client, origin } = panel;
  await client.call("POST", "/links", {
    target: "https://example.com/a",
    code: "spring/flyer",
    title: HOSTILE,
  });
  const form = new FormData();
  form.set("file", new File(["x"], `spring ${HOSTILE.replaceAll("/", "")}.txt`));
  const headers = { Authorization: `Bearer ${client.token}` };
  const stored = await fetch(`${panel.server.url}/files/upload`, { method: "POST", headers, body: form });
  const { data: file } = (await stored.json()) as { data: { id: number } };
  const share = await fetch(`${panel.server.url}/files/${file.id}/share`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ code: "spring-share" }),
  });
  expect(share.status).toBe(201);

  const { page, complaints, close } = await panel.enter("/panel/tokens");
  await page.getByRole("button", { name: "New token" }).focus();
  await openCommands(page);
  const commands = page.getByRole("dialog", { name: "Commands" });
  const options = commands.getByRole("option");
  const chosen = (text: string) =>
    options.filter({ hasText: text }).and(page.locator("[aria-selected=true]")).waitFor();
  await page.keyboard.type("spring");
  await options.filter({ hasText: "spring/flyer" }).waitFor();
  await options.filter({ hasText: ".txt" }).first().waitFor();
  await commands.getByRole("group", { name: "Shares" }).waitFor();
  await expectAccessibleInAllLooks(page, "commands");

  await page.keyboard.press("Escape");
  await commands.waitFor({ state: "detached" });
  await focused(page.getByRole("button", { name: "New token" }));

  await openCommands(page);
  await page.keyboard.type("default_url");
  await chosen("features.default_url");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${origin}/panel/settings?q=features.default_url`);

  await openCommands(page);
  await page.keyboard.type("spring/fly");
  await chosen("spring/flyer");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${origin}/panel/link/spring/flyer`);

  await openCommands(page);
  await page.keyboard.type("new tok");
  await chosen("New token");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "New token" }).getByLabel("Name").waitFor();

  await page.goto(`${origin}/panel/tokens`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await openCommands(page);
  await page.keyboard.type("change password");
  await chosen("Change the password");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Change the password" }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("opened before their script is there, the commands give the focus back", async () => {
  const { page, close } = await panel.enter("/panel/tokens");
  const held = Promise.withResolvers<void>();
  await page.route(/command-window/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.reload();
  const button = page.getByRole("button", { name: "New token" });
  await button.focus();
  await page.keyboard.press("Control+k");
  const commands = page.getByRole("dialog", { name: "Commands" });
  await commands.getByRole("textbox").and(page.locator(":focus")).waitFor();
  await page.keyboard.type("spr");
  held.resolve();
  await commands.getByRole("combobox").and(page.locator(":focus")).waitFor();
  expect(await commands.getByRole("combobox").inputValue()).toBe("spr");
  await page.keyboard.press("Escape");
  await commands.waitFor({ state: "detached" });
  await focused(button);
  await close();
});

test.skipIf(!CHROMIUM)(
  "of the commands found one is chosen, also when the chosen one and others go",
  async () => {
    const { page, complaints, close } = await panel.enter("/panel/tokens");
    await openCommands(page);
    const chosen = page.getByRole("option", { selected: true });
    const field = page.getByRole("combobox");
    const id = () => field.getAttribute("aria-activedescendant");
    await field.fill("features");
    await chosen.filter({ hasText: "features." }).waitFor();
    await soon(async () => expect(await page.getByRole("option").count()).toBe(5));
    await field.fill("features.instance");
    await chosen.filter({ hasText: "features.instance_name" }).waitFor();
    await soon(async () => expect(await id()).toBe(await chosen.getAttribute("id")));
    await page.keyboard.press("Enter");
    await page.waitForURL(/settings\?q=features\.instance_name/);
    expect(complaints).toEqual([]);
    await close();
  },
);

test.skipIf(!CHROMIUM)(
  "settings are found by their names in the reader's language, and by their keys",
  async () => {
    const { page, complaints, close } = await panel.enter("/panel/tokens");
    await page.evaluate(() => localStorage.setItem("waymark-language", "de"));
    await page.reload();
    // The key has no effect before.
    await page.getByRole("heading", { level: 1 }).waitFor();
    await openCommands(page);
    const chosen = page.getByRole("option", { selected: true });
    await page.keyboard.type("trusted_prox");
    await chosen.filter({ hasText: "Vertraute Proxysapi.trusted_proxies" }).waitFor();
    await page.getByRole("combobox").fill("vertraute pro");
    await chosen.filter({ hasText: "api.trusted_proxies" }).waitFor();
    await page.keyboard.press("Enter");
    const named = (name: string) => page.getByRole("heading", { level: 3, name, exact: true });
    await named("Vertraute Proxys").waitFor();
    await page.getByRole("searchbox").fill("vertraute");
    await page.waitForURL(/q=vertraute$/);
    await named("Vertraute Proxys").waitFor();
    await page.getByRole("searchbox").fill("");
    await named("Standard-URL").waitFor();
    const groups = page.getByRole("main").getByRole("navigation").getByRole("link");
    for (const group of await groups.all()) {
      await group.click();
      await group.and(page.locator("[aria-current=page]")).waitFor();
      // What has no translation would say that it is English.
      expect(await page.locator("main [lang]").count()).toBe(0);
    }
    // The last one is Advanced.
    await named("Vertraute Proxys").waitFor();
    await page.getByRole("banner").getByRole("button").last().click();
    await page.getByRole("menuitem", { name: "日本語" }).click();
    await named("信頼するプロキシ").waitFor();
    expect(complaints).toEqual([]);
    await close();
  },
);

test.skipIf(!CHROMIUM)(
  "what is typed while the commands or the page load stands in their field",
  async () => {
    const { page, complaints, close } = await panel.enter("/panel/tokens");
    const field = page.locator("[cmdk-input]");
    const title = page.getByRole("heading", { level: 1 });
    for (const [held, late] of [
      ["command-menu", title],
      ["shell", page.locator("#root > *").first()],
    ] as const) {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.route(new RegExp(`assets/${held}-.*js$`), async (route) => {
        await released;
        await route.continue();
      });
      await page.reload();
      await late.waitFor({ state: "attached" });
      await page.keyboard.press("Control+k");
      await page.keyboard.type("new tokk");
      await page.keyboard.press("Backspace");
      release();
      await focused(field);
      await page.keyboard.type("en");
      expect(await field.inputValue()).toBe("new token");
      await page.getByRole("option", { name: "New token", selected: true }).waitFor();
      await page.keyboard.press("Escape");
      await field.waitFor({ state: "detached" });
      await openCommands(page);
      expect(await field.inputValue()).toBe("");
      await page.unrouteAll();
    }
    expect(complaints).toEqual([]);
    await close();
  },
);

test.skipIf(!CHROMIUM)("a URL pasted anywhere is a link, copied; undo takes it back", async () => {
  const { page, context, complaints, close } = await panel.enter("/panel/events");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("table").waitFor();
  expect(await paste(page, "not an address")).toBe(true);
  expect(await paste(page, "  https://example.com/pasted?a=1#b \n")).toBe(false);
  const notice = page.getByRole("alert").filter({ hasText: "Copied." });
  const address = (await notice.getByRole("link").textContent())!;
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
  const follow = () => fetch(address.replace("localhost", "127.0.0.1"), { redirect: "manual" });
  expect((await follow()).headers.get("location")).toBe("https://example.com/pasted?a=1#b");
  await notice.getByRole("button", { name: "Undo" }).click();
  await notice.waitFor({ state: "detached" });
  await soon(async () => expect((await follow()).status).toBe(404));

  // In a field it is text.
  await openCommands(page);
  const field = page.getByPlaceholder("A link, a file");
  expect(await paste(page, "https://example.com/typed", "[cmdk-input]")).toBe(true);
  await field.fill("https://example.com/typed");
  await page
    .getByRole("option", { name: /Shorten and copy/ })
    .and(page.locator("[aria-selected=true]"))
    .waitFor();
  await page.keyboard.press("Enter");
  await notice.waitFor();
  await focused(page.getByRole("button", { name: /Search or run/ }));

  // What is there already is copied, and no second link is made unless one asks for it.
  const short = (await notice.getByRole("link").textContent())!;
  const linksTo = async () =>
    (await panel.client.call("GET", "/links?search=example.com/typed")).body.data as unknown[];
  expect(await paste(page, "https://example.com/typed")).toBe(false);
  const there = page.getByRole("alert").filter({ hasText: "A link leads there already. Copied." });
  expect(await there.getByRole("link").textContent()).toBe(short);
  expect(await paste(page, short)).toBe(false);
  await page.getByRole("alert").filter({ hasText: "This is a short link already. Copied." }).waitFor();
  expect(await linksTo()).toHaveLength(1);
  await there.getByRole("button", { name: "Create another" }).click();
  await soon(async () => expect(await linksTo()).toHaveLength(2));
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("commands offer nothing that would be refused", async () => {
  await panel.client.call("POST", "/users", { username: "eve", password: PASSWORD, role: "editor" });
  await panel.client.call("POST", "/domains", { host: "eve.example", owner: "eve" });
  const { page, complaints, close } = await panel.open("/panel/links");
  await signInToPanel(page, PASSWORD, "eve");
  await openCommands(page);
  await page.keyboard.type("links");
  await page.getByRole("option", { name: "Deleted links" }).waitFor();
  expect(await page.getByRole("option", { name: "Import links" }).count()).toBe(0);
  await page.getByRole("combobox").fill("2fa");
  await page.getByRole("option", { name: "Your account" }).waitFor();
  await page.getByRole("combobox").fill("eve.ex");
  await page.getByRole("option", { name: "eve.example" }).waitFor();
  // Longer than what the server searches for.
  await page.getByRole("combobox").fill(`https://example.com/?${"long".repeat(200)}`);
  await page.getByRole("option", { name: "Shorten and copy" }).waitFor();
  await page.getByRole("option", { name: "Deleted links" }).waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await page.getByText("Copied.").or(page.getByText("Link created.")).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("commands look up the link with that code before they search all texts", async () => {
  await panel.client.call("POST", "/links", { code: "ahead", target: "https://example.com/ahead" });
  const { page, complaints, close } = await panel.enter("/panel/tokens");
  const events: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).searchParams.get("search") === "ahead") events.push("search");
  });
  await page.route("**/links/available?code=ahead", async (route) => {
    const response = await route.fetch();
    events.push("exact");
    await route.fulfill({ response });
  });
  await openCommands(page);
  await page.getByRole("combobox").fill("ahead");
  await page.getByRole("option", { name: "ahead" }).first().waitFor();
  await page.waitForLoadState("networkidle");
  expect(events[0]).toBe("exact");
  expect(events).toContain("search");
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("exact matches come first, and what is found can be acted on", async () => {
  const { client, origin } = panel;
  const post = (path: string, body: object) => client.call("POST", path, body);
  await post("/links", {
    code: "sale",
    target: "https://example.com/s",
    title: "Autumn",
    tags: ["promotion"],
  });
  // Newer ones that hold the word come before it in a list.
  for (let at = 0; at < 8; at++)
    await post("/links", { code: `sale-${at}`, target: "https://example.com/sale", title: "A sale" });
  await post("/domains", { host: "go.example.com" });
  await post("/users", { username: "annabel", password: PASSWORD, role: "editor" });
  const { page, context, complaints, close } = await panel.enter("/panel/tokens");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const options = page.getByRole("dialog", { name: "Commands" }).getByRole("option");
  const first = async (text: string | RegExp) => {
    await options.first().filter({ hasText: text }).and(page.locator("[aria-selected=true]")).waitFor();
  };
  const field = page.locator("[cmdk-input]");
  // Enter does not wait for the eye.
  await openCommands(page);
  await page.keyboard.type("sale");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${origin}/panel/link/sale`);
  await page.getByRole("button", { name: "Edit: Target" }).waitFor();
  await openCommands(page);
  await first("sale");
  await page.getByRole("group", { name: "Recent" }).getByRole("option", { name: "sale Autumn" }).waitFor();
  await page.keyboard.press("Tab");
  await page.getByLabel("Actions for sale").first().waitFor();
  await expectAccessibleInAllLooks(page, "the actions of a link");
  await page.keyboard.press("Escape");
  await page.getByRole("group", { name: "Recent" }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("c");
  await page.getByText("/sale is copied.").waitFor();
  await openCommands(page);
  await page.keyboard.type("sale-3");
  await first("sale-3");
  await page.keyboard.press("Tab");
  await page.keyboard.press("e");
  const form = page.getByRole("form", { name: "Target" });
  await focused(form.getByRole("textbox", { name: "Target" }));
  await page.keyboard.type("https://example.com/three");
  await page.keyboard.press("Enter");
  await form.waitFor({ state: "detached" });
  expect((await client.call("GET", "/links/sale-3")).body.data.target).toBe("https://example.com/three");
  // An editor stays with its link.
  await page.getByRole("button", { name: "Edit: Target" }).click();
  await form.waitFor();
  await openCommands(page);
  await field.fill("sale");
  await first("sale");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${origin}/panel/link/sale`);
  await page.getByRole("button", { name: "Edit: Target" }).waitFor();

  for (const [text, found, address] of [
    ["annab", "annabel", /users\?q=annabel$/],
    ["promot", "promotion", /links\?tag=/],
    ["go.exam", "go.example.com", /links\?domain=go\.example\.com$/],
    ["history", "Events", /panel\/events$/],
  ] as const) {
    await openCommands(page);
    await field.fill(text);
    await first(found);
    await page.keyboard.press("Enter");
    await page.waitForURL(address);
  }
  await openCommands(page);
  await field.fill("replace in");
  await first("Replace in the targets of links");
  await page.keyboard.press("Enter");
  const bulk = page.getByRole("dialog", { name: "Edit what is selected" });
  await focused(bulk.getByLabel("Text in the target"));
  await page.keyboard.press("Escape");
  await bulk.waitFor({ state: "detached" });
  await openCommands(page);
  await field.fill("export");
  await first("Export all links");
  const download = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  expect((await download).suggestedFilename()).toEndWith(".csv");
  await openCommands(page);
  await field.fill("sign out");
  await first("Sign out");
  await page.keyboard.press("Enter");
  await page.waitForURL(/sign-in/);
  expect(complaints).toEqual([]);
  await close();
});

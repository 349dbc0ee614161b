/** Sessions in a browser: ended in the middle of a form, in two tabs, with a wrong clock, after a long pause. */
import { afterAll, beforeAll, expect } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page, Request } from "playwright-core";
import { driveClient } from "../support/drive.ts";
import {
  expectAccessible,
  expectAccessibleInAllLooks,
  focused,
  once,
  pressSignIn,
  signInToPanel,
  startPanel,
  story,
  WIDE,
} from "../support/panel.ts";
import { PASSWORD, signIn } from "../support/session.ts";
import { until } from "../support/until.ts";

const DAY_MS = 86_400_000;

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  await panel.client.call("POST", "/users", { username: "eva", password: PASSWORD, role: "editor" });
  await panel.client.call("POST", "/users", { username: "ute", password: PASSWORD, role: "user" });
});
afterAll(() => panel.stop());

const menuOf = (page: Page) => page.getByRole("button", { name: /Account menu/ });
const exists = async (code: string): Promise<boolean> =>
  (await fetch(`${panel.server.url}/${code}`, { redirect: "manual" })).status === 307;

/** Every session of the account ends on the server; the browser's cookies stay. */
async function endSessions(username?: string): Promise<void> {
  const client = await signIn(panel.server.url, PASSWORD, username);
  await client.call("POST", "/auth/logout?sessions=all");
}

async function typeLink(page: Page, code: string): Promise<void> {
  await page.keyboard.press("n");
  const form = page.getByRole("region", { name: "New link" });
  await form.getByLabel("Target").fill("https://example.com/kept?a=1&b=<i>");
  await form.getByLabel("Code", { exact: true }).fill(code);
  await form.getByLabel("Title").fill("Typed before the end");
  // The form has asked whether the code is free, and asks no more.
  await form.locator("svg.tabler-icon-check").waitFor();
}

/** Also below the question, which a request of the page's own may have opened before. */
const create = (page: Page) => page.getByRole("button", { name: "Create link" }).dispatchEvent("click");

story("a session that ended for good asks over the form, which is then sent as it stood", async () => {
  const { page, context, close } = await panel.open("/panel/links");
  await signInToPanel(page, PASSWORD, "eva");
  const other = await context.newPage();
  await other.goto(`${panel.origin}/panel/tokens`);
  await menuOf(other).waitFor();
  await typeLink(page, "kept");
  await endSessions("eva");
  await create(page);
  const dialog = page.getByRole("dialog").filter({ hasText: "The session has ended" });
  await dialog.waitFor();
  await expectAccessibleInAllLooks(page, "session ended");
  await page.setViewportSize(WIDE);
  // By the keyboard alone. Escape closes neither the dialog nor the form.
  await focused(dialog.getByLabel("Password", { exact: true }));
  await page.keyboard.press("Escape");
  await page.keyboard.type("a wrong password");
  await page.keyboard.press("Enter");
  await dialog
    .getByRole("alert")
    .filter({ hasText: /password/i })
    .waitFor();
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL(/link\/kept$/);
  const answer = await fetch(`${panel.server.url}/kept`, { redirect: "manual" });
  expect(answer.headers.get("location")).toBe("https://example.com/kept?a=1&b=<i>");

  // The other tab has the new session too. Leaving ends both.
  await other.reload();
  await menuOf(other).waitFor();
  await typeLink(page, "left");
  await endSessions("eva");
  await create(page);
  await dialog.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  expect(await exists("left")).toBe(false);
  // Nor do the refused requests complain there.
  expect(await page.getByRole("alert").count()).toBe(0);
  await close();
});

once(
  "no address leads from the sign-in to another site, nor hands a page what its check refused",
  async () => {
    const { page, context, complaints, close } = await panel.open("/panel/sign-in?to=https://evil.example");
    const left: string[] = [];
    await context.route(
      ({ hostname }) => hostname.includes("evil"),
      (route) => {
        left.push(route.request().url());
        return route.abort();
      },
    );
    await signInToPanel(page);
    expect(page.url()).toBe(`${panel.origin}/panel/`);
    const elsewhere = [
      "https:\\\\evil.example",
      "https:evil.example",
      "//evil.example",
      "/\\evil.example",
      "/\t/evil.example",
      "/\n/evil.example",
      "/..//evil.example",
      "/%2f/evil.example",
      "/%5cevil.example",
      "javascript:location='https://evil.example'",
      '["https://evil.example"]',
    ];
    // As after a sign-in by OpenID Connect: the page goes on by itself.
    for (const to of elsewhere) {
      await page.goto(
        `${panel.origin}/panel/sign-in?${new URLSearchParams({ to, oidc: "done" }).toString()}`,
      );
      await menuOf(page).waitFor();
      expect([to, page.url()]).toEqual([to, `${panel.origin}/panel/`]);
    }
    await page.goto(`${panel.origin}/panel/sign-in?oidc=done&to=%2Flinks%3Fq%3Devil`);
    await page.getByRole("heading", { name: "Links", level: 1 }).waitFor();
    expect(page.url()).toBe(`${panel.origin}/panel/links?q=evil`);
    // Objects where texts belong: what a page's check leaves out stays out.
    for (const path of [
      "settings?q={}",
      "links/tags?q={}",
      "shared?url={}&text=[1]&files=x",
      "links?q={}&at={}",
    ]) {
      await page.goto(`${panel.origin}/panel/${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    }
    await context.clearCookies();
    for (const path of ["//evil.example/", "/%2f%2fevil.example", "/%5Cevil.example"]) {
      await page.goto(`${panel.origin}/panel${path}`);
      await page.getByLabel("Password", { exact: true }).waitFor();
      expect(new URL(page.url()).origin).toBe(panel.origin);
    }
    expect(left).toEqual([]);
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
    await close();
  },
);

story("two tabs renew one after the other, leave together and come back together", async () => {
  const { page, context, complaints, close } = await panel.enter("/panel/links");
  const other = await context.newPage();
  await other.goto(`${panel.origin}/panel/domains`);
  await menuOf(other).waitFor();
  const renewals: string[] = [];
  context.on("request", (request) => {
    if (request.url().endsWith("/auth/refresh")) renewals.push(request.url());
  });
  await context.clearCookies({ name: "svc_access" });
  await Promise.all([
    page
      .getByLabel(/Search/)
      .first()
      .fill("nothing"),
    other.getByRole("link", { name: "Accounts" }).click(),
  ]);
  await page.getByText("No link matches").waitFor();
  await other.getByRole("row").filter({ hasText: "eva" }).waitFor();
  // What one tab stores may reach the other a moment later; the server takes a second renewal within ten seconds.
  expect([1, 2]).toContain(renewals.length);
  expect(complaints.filter((said) => !said.includes("401"))).toEqual([]);

  await menuOf(page).click();
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
  for (const tab of [page, other]) await tab.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  await signInToPanel(page);
  await other.getByRole("row").filter({ hasText: "eva" }).waitFor();
  await close();
});

story("a browser whose clock is a day ahead, then a day behind, works", async () => {
  const { page, context, close } = await panel.open("/panel/sign-in?to=/links");
  await page.clock.install({ time: Date.now() + DAY_MS });
  await page.reload();
  await signInToPanel(page);
  for (const [code, time] of [
    ["ahead", Date.now() + DAY_MS],
    ["behind", Date.now() - DAY_MS],
  ] as const) {
    await page.clock.setSystemTime(time);
    await context.clearCookies({ name: "svc_access" });
    await typeLink(page, code);
    await create(page);
    await page.waitForURL(`**/link/${code}`);
    expect(await exists(code)).toBe(true);
    await page.getByRole("link", { name: "Links", exact: true }).first().click();
    await page.getByRole("heading", { level: 1, name: "Links" }).waitFor();
  }
  await close();
});

once("a page left open for hours sends nothing with an expired session", async () => {
  const { page, context, complaints, close } = await panel.open("/panel/");
  await page.clock.install();
  const underway = new Set<Request>();
  page.on("request", (request) => underway.add(request));
  page.on("requestfinished", (request) => underway.delete(request));
  page.on("requestfailed", (request) => underway.delete(request));
  const isQuiet = () => [...underway].every((request) => /analytics\/live/.test(request.url()));
  await signInToPanel(page);
  const live = page.getByRole("region", { name: "Newest clicks" }).getByText("Live", { exact: true });
  await live.waitFor();
  for (const pass of [
    // While it is open, while the machine sleeps, and before it is loaded anew.
    () => page.clock.fastForward(16 * 60_000),
    () => page.clock.setSystemTime(Date.now() + 3 * 3_600_000),
    async () => {
      await page.clock.setSystemTime(Date.now() + 6 * 3_600_000);
      await page.reload();
    },
  ]) {
    // What is under way was sent in time, and would be refused without its cookie.
    await until(isQuiet);
    await context.clearCookies({ name: "svc_access" });
    const watched = page.waitForResponse(/analytics\/live/);
    const renewed = page.waitForRequest(/auth\/refresh/);
    await pass();
    await page.clock.runFor(20_000);
    await renewed;
    expect((await watched).status()).toBe(200);
    await live.waitFor();
    await page.getByRole("link", { name: "Links" }).click();
    await page.getByRole("heading", { name: "Links", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Overview" }).click();
    await live.waitFor();
  }
  expect(complaints).toEqual([]);
  await close();
});

once("a download after a long pause renews the session first", async () => {
  const { token } = await signIn(panel.server.url);
  expect(await driveClient(panel.server.url, token).upload("report.txt", "the whole report")).toMatchObject({
    status: 201,
  });
  const { page, context, close } = await panel.open("/panel/files");
  await page.clock.install();
  await page.reload();
  await signInToPanel(page);
  await page.getByRole("button", { name: "Actions for report.txt" }).click();
  await page.getByRole("menuitem", { name: "Download" }).waitFor();
  // In this order: a renewal by the page itself may come between, and its cookie has to stay.
  await context.clearCookies({ name: "svc_access" });
  await page.clock.fastForward(16 * 60_000);
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Download" }).click();
  expect(readFileSync((await (await download).path())!, "utf8")).toBe("the whole report");
  await close();
});

once("the password is changed, and signing out everywhere ends other browsers", async () => {
  const [mine, elsewhere] = [await panel.open("/panel/"), await panel.open("/panel/")];
  await signInToPanel(mine.page, PASSWORD, "ute");
  await signInToPanel(elsewhere.page, PASSWORD, "ute");
  const open = async (name: string) => {
    await menuOf(mine.page).click();
    await mine.page.getByRole("menuitem", { name, exact: true }).click();
  };
  await open("Change the password");
  const form = mine.page.getByRole("dialog");
  await form.getByLabel("Current password").fill("a wrong password");
  await form.getByLabel("New password").fill("another password");
  await form.getByRole("button", { name: "Change the password" }).click();
  await form.getByRole("alert").filter({ hasText: /wrong/ }).waitFor();
  await form.getByLabel("Current password").fill(PASSWORD);
  await form.getByRole("button", { name: "Change the password" }).click();
  await mine.page.getByText("The password is changed").waitFor();
  await elsewhere.page.getByRole("link", { name: "API tokens" }).click();
  const dialog = elsewhere.page.getByRole("dialog");
  await dialog.getByLabel("Password", { exact: true }).fill("another password");
  await pressSignIn(elsewhere.page, dialog);
  await elsewhere.page.getByText("There are no tokens yet.").waitFor();
  await open("Sign out everywhere");
  await mine.page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  await elsewhere.page.reload();
  await elsewhere.page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  await mine.close();
  await elsewhere.close();
});

once("an address that a role may not open says so", async () => {
  const { page, complaints, close } = await panel.open("/panel/settings");
  await signInToPanel(page, PASSWORD, "eva");
  await page.getByRole("heading", { name: "Your account may not see this page" }).waitFor();
  await expectAccessible(page, "no permission");
  await page.getByRole("link", { name: "Go to your start page" }).click();
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
  expect(complaints).toEqual([]);
  // The role is lowered while the page is open. That ends the session.
  const { call } = await signIn(panel.server.url);
  const users = (await call("GET", "/users")).body.data as { id: number; username: string }[];
  await call("PATCH", `/users/${users.find(({ username }) => username === "eva")!.id}`, { role: "user" });
  await page.getByRole("link", { name: "API tokens" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await pressSignIn(page, dialog);
  await page.getByText("There are no tokens yet.").waitFor();
  await page.getByRole("link", { name: "Links" }).waitFor({ state: "detached" });
  await close();
});

once("somebody can sign in and continue with a full browser storage", async () => {
  const { page, complaints, close } = await panel.open("/panel/sign-in");
  await page.getByLabel("Password", { exact: true }).waitFor();
  await page.evaluate(() => {
    // By drafts, say.
    for (let length = 2 ** 22; length > 0; length >>= 1)
      for (let nth = 0; nth < 2; nth++)
        try {
          localStorage.setItem(`kept ${length} ${nth}`, "x".repeat(length));
        } catch {}
  });
  await signInToPanel(page);
  await menuOf(page).click();
  await page.getByRole("menuitem", { name: "Deutsch" }).click();
  await page.getByRole("link", { name: "Einstellungen" }).click();
  await page.getByRole("heading", { name: "Einstellungen", level: 1 }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

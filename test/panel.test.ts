/** The panel in Chromium, against the real program. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { CHROMIUM } from "./support/chromium.ts";
import { startPanelBrowser } from "./support/panel.ts";
import { PASSWORD, startSignedIn } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 800 },
] as const;

let installation: Installation;
let server: RunningWaymark;
let browser: Browser;

beforeAll(async () => {
  ({ installation, server } = await startSignedIn());
  if (CHROMIUM) browser = await startPanelBrowser();
});
afterAll(async () => {
  await browser?.close();
  await installation.remove();
});

/** Fails on anything that the console says. */
async function openPanel(
  path: string,
  { size = SIZES[0], dark = false }: { size?: (typeof SIZES)[number]; dark?: boolean } = {},
) {
  const context = await browser.newContext({
    viewport: size,
    colorScheme: dark ? "dark" : "light",
    locale: "en",
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(server.url.replace("127.0.0.1", "localhost") + path);
  return { page, complaints, close: () => context.close() };
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: /Account menu/ }).waitFor();
}

test.skipIf(!CHROMIUM)("sign in, make a link, find it, delete it and undo", async () => {
  const { page, complaints, close } = await openPanel("/panel/links?q=spring");
  await signIn(page);
  expect(new URL(page.url()).search).toBe("?q=spring");
  await page.getByText("No link matches").waitFor();

  await page.getByRole("button", { name: "New link" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Target").fill("https://example.com/spring?<script>alert(1)</script>");
  await form.getByLabel("Code").fill("spring/flyer");
  await form.getByLabel("Title").fill("<img src=x onerror=alert(1)>");
  await form.getByRole("button", { name: "Create" }).click();
  await page.getByRole("row").filter({ hasText: "spring/flyer" }).waitFor();
  const answer = await fetch(`${server.url}/spring/flyer`, { redirect: "manual" });
  expect(answer.headers.get("location")).toStartWith("https://example.com/spring");

  await page.reload();
  await page.getByRole("button", { name: "Actions for spring/flyer" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText("No link matches").waitFor();
  expect((await fetch(`${server.url}/spring/flyer`, { redirect: "manual" })).status).toBe(404);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("row").filter({ hasText: "spring/flyer" }).waitFor();
  expect((await fetch(`${server.url}/spring/flyer`, { redirect: "manual" })).status).toBe(307);
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)(
  "a session that ended in the middle of a form asks once, and a wrong password says so",
  async () => {
    const { page, close } = await openPanel("/panel/");
    await page.getByLabel("Password", { exact: true }).fill("a wrong password");
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("alert").textContent()).toMatch(/password/i);
    await signIn(page);
    await page.getByRole("link", { name: "Links" }).click();
    // The access token has ended; the session has not.
    await page.context().clearCookies({ name: "svc_access" });
    await page.getByRole("button", { name: "New link" }).click();
    await page.getByRole("dialog").getByLabel("Target").fill("https://example.com/renewed");
    await page.getByRole("dialog").getByLabel("Code").fill("renewed");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("row").filter({ hasText: "renewed" }).waitFor();
    await close();
  },
);

for (const size of SIZES) {
  for (const dark of [false, true]) {
    const look = `${size.width} px, ${dark ? "dark" : "light"}`;
    test.skipIf(!CHROMIUM)(`axe finds nothing on any page: ${look}`, async () => {
      const { page, close } = await openPanel("/panel/", { size, dark });
      const panel = `${server.url.replace("127.0.0.1", "localhost")}/panel`;
      const check = async (what: string) => {
        const { violations } = await new AxeBuilder({ page }).analyze();
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
        expect([what, ...found]).toEqual([what]);
      };
      await page.getByRole("button", { name: "Sign in" }).waitFor();
      await check("sign-in");
      await signIn(page);
      await page.getByRole("heading", { name: "Most clicked links" }).waitFor();
      await check("overview");
      await page.goto(`${panel}/links`);
      await page.getByRole("link", { name: "renewed" }).click();
      await page.getByRole("heading", { name: "History" }).waitFor();
      await check("link");
      await page.getByRole("button", { name: "QR" }).click();
      await page.getByRole("img", { name: /QR code/ }).waitFor();
      await page.waitForTimeout(400);
      await check("QR code");
      await page.goto(`${panel}/links`);
      await page.getByRole("row").nth(1).waitFor();
      await check("links");
      await page.getByRole("button", { name: "New link" }).click();
      await page.getByRole("dialog").getByLabel("Target").waitFor();
      await page.waitForTimeout(400);
      await check("form");
      await close();
    });
  }
}

test.skipIf(!CHROMIUM)("the languages of the browser are spoken", async () => {
  const texts = { de: "Anmelden", fr: "Se connecter", ja: "サインイン", zh: "登录" };
  for (const [locale, text] of Object.entries(texts)) {
    const context = await browser.newContext({ locale });
    const page = await context.newPage();
    await page.goto(`${server.url.replace("127.0.0.1", "localhost")}/panel/`);
    await page.getByRole("button", { name: text }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe(locale);
    await context.close();
  }
});

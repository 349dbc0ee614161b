/** What is typed into the panel's forms and not saved stays, except secrets. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/chromium.ts";
import { driveClient } from "../support/drive.ts";
import { expectAccessible, signInToPanel, startPanel } from "../support/panel.ts";

const SECRET = "a secret that stays in the form";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  await panel.client.call("POST", "/links", { code: "spring", target: "https://example.com/" });
  await driveClient(panel.server.url, panel.client.token).upload("report.txt", "text");
});
afterAll(() => panel.stop());

const NOTICE = "What you typed before is here again.";
const stored = (page: Page) => page.evaluate(() => JSON.stringify(localStorage));
const dialog = (page: Page) => page.getByRole("dialog");
const linkOf = async (code: string) => (await panel.client.call("GET", `/links/${code}`)).body.data;

test.skipIf(!CHROMIUM)(
  "editors in place keep what is typed over Escape, other pages and a reload",
  async () => {
    const { page, complaints, close } = await panel.open("/panel/links");
    await signInToPanel(page);
    const row = page.getByRole("form", { name: "Edit spring" });
    const edit = async () => {
      await page.getByRole("row").filter({ hasText: "spring" }).waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("F2");
      await row.waitFor();
    };
    await edit();
    expect(await row.getByText(NOTICE).count()).toBe(0);
    await row.getByLabel("Title").fill("Half a title");
    await row.getByLabel("Tags").fill("half");
    await page.keyboard.press("Enter");
    await page.reload();
    await edit();
    await row.getByText(NOTICE).waitFor();
    expect(await row.getByLabel("Title").inputValue()).toBe("Half a title");
    await row.getByText("half", { exact: true }).waitFor();
    await expectAccessible(page, "a draft in the list");
    await page.keyboard.press("Escape");
    await row.waitFor({ state: "detached" });
    await page.keyboard.press("F2");
    await row.getByText(NOTICE).waitFor();
    await row.getByRole("button", { name: "Save" }).press("Enter");
    await row.waitFor({ state: "detached" });
    expect(await linkOf("spring")).toMatchObject({ title: "Half a title", tags: ["half"] });
    expect(await stored(page)).not.toContain("Half a title");

    await page.goto(`${panel.origin}/panel/link/spring`);
    const settings = page.getByRole("region", { name: "Settings of the link" });
    await settings.getByRole("button", { name: "Edit: Note" }).press("Enter");
    await settings.getByRole("textbox", { name: "Note" }).fill("Half a note");
    await settings.getByRole("button", { name: "Edit: Password" }).press("Enter");
    await settings.getByLabel("Password", { exact: true }).last().fill(SECRET);
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.goBack();
    await settings.getByRole("button", { name: "Edit: Note" }).press("Enter");
    await settings.getByText(NOTICE).waitFor();
    expect(await settings.getByRole("textbox", { name: "Note" }).inputValue()).toBe("Half a note");
    expect(await stored(page)).not.toContain(SECRET);
    await settings.getByRole("button", { name: "Start anew" }).press("Enter");
    await settings.getByText(NOTICE).waitFor({ state: "detached" });
    expect(await settings.getByRole("textbox", { name: "Note" }).inputValue()).toBe("");
    expect(await stored(page)).not.toContain("Half a note");
    expect(complaints).toEqual([]);
    await close();
  },
);

test.skipIf(!CHROMIUM)(
  "forms keep what is typed over closing and the end of the session, without secrets",
  async () => {
    const { page, context, complaints, close } = await panel.open("/panel/files");
    await signInToPanel(page);
    const share = async () => {
      await page.getByRole("button", { name: "Actions for report.txt" }).click();
      await page.getByRole("menuitem", { name: "Share" }).click();
      await dialog(page).getByLabel("Title").waitFor();
    };
    await share();
    await dialog(page).getByLabel("Title").fill("Half a share");
    await dialog(page).locator("label", { hasText: "Ask for a password" }).click();
    await dialog(page).getByLabel("Password", { exact: true }).fill(SECRET);
    await dialog(page).getByLabel("Most downloads").fill("7");
    await page.mouse.click(5, 400);
    await dialog(page).waitFor({ state: "detached" });
    await share();
    await dialog(page).getByText(NOTICE).waitFor();
    expect(await dialog(page).getByLabel("Title").inputValue()).toBe("Half a share");
    expect(await dialog(page).getByLabel("Most downloads").inputValue()).toBe("7");
    expect(await dialog(page).getByLabel("Password", { exact: true }).inputValue()).toBe("");

    const FORMS = [
      { path: "tokens", opener: "New token", field: "Name", secret: null },
      { path: "domains", opener: "New domain", field: "Host", secret: null },
      { path: "users", opener: "New account", field: "Name", secret: "Password" },
      { path: "policies", opener: "New storage", field: "Name", secret: "Secret key" },
    ];
    const opened = async (path: string, opener: string) => {
      await page.goto(`${panel.origin}/panel/${path}`);
      await page.getByRole("button", { name: opener }).click();
      await dialog(page).waitFor();
    };
    for (const { path, opener, field, secret } of FORMS) {
      await opened(path, opener);
      await dialog(page).getByLabel(field, { exact: true }).fill(`half-${path}`);
      if (path === "policies") await dialog(page).getByText("S3 storage").click();
      if (secret !== null) await dialog(page).getByLabel(secret, { exact: true }).fill(SECRET);
    }
    expect(await stored(page)).not.toContain(SECRET);

    // The session is gone, and with it the page.
    await context.clearCookies();
    await page.goto(`${panel.origin}/panel/`);
    await signInToPanel(page);
    for (const { path, opener, field, secret } of FORMS) {
      await opened(path, opener);
      await dialog(page).getByText(NOTICE).waitFor();
      expect(await dialog(page).getByLabel(field, { exact: true }).inputValue()).toBe(`half-${path}`);
      if (secret !== null)
        expect(await dialog(page).getByLabel(secret, { exact: true }).inputValue()).toBe("");
      await dialog(page).getByRole("button", { name: "Start anew" }).press("Enter");
      expect(await dialog(page).getByLabel(field, { exact: true }).inputValue()).toBe("");
    }
    expect(await stored(page)).not.toContain("half-");
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
    await close();
  },
);

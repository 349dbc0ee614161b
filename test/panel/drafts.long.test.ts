/** What is typed into the panel's forms and not saved stays, except secrets. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/chromium.ts";
import { driveClient } from "../support/drive.ts";
import { expectAccessible, signInToPanel, startPanel } from "../support/panel.ts";
import { soon } from "../support/until.ts";

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
    const { page, complaints, close } = await panel.enter("/panel/links");
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
    await settings.getByRole("button", { name: "Protection" }).press("Enter");
    await settings.getByRole("button", { name: "Edit: Password" }).press("Enter");
    await settings.getByLabel("Password", { exact: true }).last().fill(SECRET);
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.goBack();
    await settings.getByRole("button", { name: "Edit: Note" }).press("Enter");
    await settings.getByText(NOTICE).waitFor();
    expect(await settings.getByRole("textbox", { name: "Note" }).inputValue()).toBe("Half a note");
    expect(await stored(page)).not.toContain(SECRET);
    await settings.getByRole("button", { name: "Discard changes" }).press("Enter");
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
    const { page, context, complaints, close } = await panel.enter("/panel/files");
    const share = async () => {
      await page.getByRole("button", { name: "Actions for report.txt" }).click();
      await page.getByRole("menuitem", { name: "Share" }).click();
      await page.getByRole("main").getByLabel("Title").waitFor();
    };
    await share();
    await page.getByRole("main").getByLabel("Title").fill("Half a share");
    await page.getByRole("main").getByRole("button", { name: "Limits" }).click();
    await page.getByRole("main").locator("label", { hasText: "Ask for a password" }).click();
    await page.getByRole("main").getByLabel("Password", { exact: true }).fill(SECRET);
    await page.getByRole("main").getByLabel("Max. downloads").fill("7");
    await page.goBack();
    await share();
    await page.getByRole("main").getByText(NOTICE).waitFor();
    expect(await page.getByRole("main").getByLabel("Title").inputValue()).toBe("Half a share");
    expect(await page.getByRole("main").getByLabel("Max. downloads").inputValue()).toBe("7");
    expect(await page.getByRole("main").getByLabel("Password", { exact: true }).inputValue()).toBe("");

    const FORMS = [
      { path: "tokens", opener: "New token", field: "Name", secret: null },
      { path: "domains", opener: "New domain", field: "Host", secret: null },
      { path: "users", opener: "New account", field: "Username", secret: "Password" },
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
      await dialog(page).getByRole("button", { name: "Start again" }).press("Enter");
      expect(await dialog(page).getByLabel(field, { exact: true }).inputValue()).toBe("");
    }
    expect(await stored(page)).not.toContain("half-");
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
    await close();
  },
);

test.skipIf(!CHROMIUM)(
  "small forms keep what is typed over Escape, a reload and a refused save",
  async () => {
    const { call } = panel.client;
    await call("POST", "/links", { code: "one", target: "https://example.com/", tags: ["early"] });
    await call("POST", "/links", { code: "two", target: "https://example.com/", tags: ["late"] });
    await call("POST", "/links", { code: "gone", target: "https://example.com/" });
    await call("DELETE", "/links/gone");
    await call("POST", "/links", { code: "gone", target: "https://example.com/" });
    const drive = driveClient(panel.server.url, panel.client.token);
    await drive.upload("taken.txt", "text");
    await drive.upload("plan.txt", "text");
    const { page, complaints, close } = await panel.enter("/panel/files");

    const row = page.getByRole("row").filter({ hasText: "plan.txt" });
    const name = page.getByRole("textbox", { name: "New name of plan.txt" });
    const rename = async () => {
      await row.click();
      await page.keyboard.press("F2");
      await name.waitFor();
    };
    await rename();
    await name.fill("taken.txt");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "taken.txt" }).waitFor();
    await page.reload();
    await rename();
    expect(await name.inputValue()).toBe("taken.txt");
    await expectAccessible(page, "a draft of a name");
    // Looked at and left, it is not given.
    await page.getByRole("heading", { name: "Files" }).click();
    await name.waitFor({ state: "detached" });
    await rename();
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Start again" }).press("Enter");
    expect(await name.inputValue()).toBe("plan.txt");
    await name.fill("plan b.txt");
    await page.keyboard.press("Enter");
    await page.getByText("plan.txt is called plan b.txt now.").waitFor();
    expect(await stored(page)).not.toContain("plan b");

    const folder = async () => {
      await page.getByRole("button", { name: "New folder" }).first().click();
      await dialog(page).getByLabel("Name").waitFor();
    };
    await folder();
    await dialog(page).getByLabel("Name").fill("Half a folder");
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await page.reload();
    await folder();
    await dialog(page).getByText(NOTICE).waitFor();
    expect(await dialog(page).getByLabel("Name").inputValue()).toBe("Half a folder");
    await dialog(page).getByRole("button", { name: "Create" }).press("Enter");
    await page.getByRole("row").filter({ hasText: "Half a folder" }).waitFor();
    expect(await stored(page)).not.toContain("Half a folder");

    await page.goto(`${panel.origin}/panel/links/tags`);
    await page.getByRole("textbox", { name: "Search tags" }).fill("ear");
    await page.waitForURL(/q=ear/);
    const tag = page.getByRole("dialog", { name: "Rename early" });
    await page.getByRole("button", { name: "Rename early" }).press("Enter");
    await tag.getByLabel("New name").fill("late");
    await page.keyboard.press("Escape");
    await tag.waitFor({ state: "detached" });
    await page.reload();
    expect(await page.getByRole("textbox", { name: "Search tags" }).inputValue()).toBe("ear");
    await page.getByRole("button", { name: "Rename early" }).press("Enter");
    await tag.getByText(NOTICE).waitFor();
    await tag.getByText("There is such a tag on 1 link").waitFor();
    await expectAccessible(page, "a draft of a tag");
    await tag.getByRole("button", { name: "Merge" }).press("Enter");
    await page.getByText("early is merged with late.").waitFor();

    await page.goto(`${panel.origin}/panel/links/deleted`);
    const code = page.getByRole("dialog", { name: "Put back: gone" });
    await page.getByRole("button", { name: "Put back: gone" }).press("Enter");
    await code.getByLabel("Another code").fill("spring");
    await page.keyboard.press("Enter");
    await code.getByText("spring").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Put back: gone" }).press("Enter");
    await code.getByText(NOTICE).waitFor();
    expect(await code.getByLabel("Another code").inputValue()).toBe("spring");
    await code.getByLabel("Another code").fill("here-again");
    await page.keyboard.press("Enter");
    await page.getByText("/here-again is back.").waitFor();

    await page.goto(`${panel.origin}/panel/links`);
    const edit = async () => {
      await page.getByRole("row").filter({ hasText: "two" }).waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("x");
      await page.keyboard.press("Shift+ArrowDown");
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await dialog(page).getByLabel("Add tags").waitFor();
    };
    await edit();
    await dialog(page).getByLabel("Add tags").fill("joined");
    await page.keyboard.press("Enter");
    await dialog(page).getByText("Never").click();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await page.reload();
    await edit();
    await dialog(page).getByText(NOTICE).waitFor();
    await dialog(page).getByText("joined", { exact: true }).waitFor();
    expect(await dialog(page).getByRole("radio", { name: "Never" }).isChecked()).toBe(true);
    // The change is refused: the draft stays, and goes with one that succeeds.
    await page.route("**/links/batch/query", (route) => route.abort());
    await dialog(page).getByRole("button", { name: "Change" }).press("Enter");
    await dialog(page).waitFor({ state: "detached" });
    await page.getByRole("alert").first().waitFor();
    expect(await stored(page)).toContain("joined");
    await page.unroute("**/links/batch/query");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog(page).getByText(NOTICE).waitFor();
    await dialog(page).getByRole("button", { name: "Change" }).press("Enter");
    await page.getByText(/links? (?:is|are) changed/).waitFor();
    expect(await stored(page)).not.toContain("joined");

    await page.goto(`${panel.origin}/panel/link/spring`);
    await page.getByRole("button", { name: "QR", exact: true }).click();
    await dialog(page).getByLabel("Color", { exact: true }).fill("#123456");
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("button", { name: "QR", exact: true }).click();
    // The look is that of all codes, and no draft of this one.
    await soon(async () =>
      expect(await dialog(page).getByLabel("Color", { exact: true }).inputValue()).toBe("#123456"),
    );
    expect(await dialog(page).getByText(NOTICE).count()).toBe(0);
    await expectAccessible(page, "a kept QR code");

    await page.goto(`${panel.origin}/panel/users`);
    await page.getByRole("button", { name: "New account" }).click();
    await dialog(page).getByLabel("Space for files", { exact: true }).fill("7");
    await page.reload();
    await page.getByRole("button", { name: "New account" }).click();
    expect(await dialog(page).getByLabel("Space for files", { exact: true }).inputValue()).toBe("7");
    await dialog(page).getByRole("button", { name: "Start again" }).press("Enter");
    expect(await dialog(page).getByLabel("Space for files", { exact: true }).inputValue()).toBe("");
    expect(complaints.filter((text) => !/40[09]|ERR_FAILED/.test(text))).toEqual([]);
    await close();
  },
);

/** Display names, the page of a team, and settings by task, in Chromium. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { expectAccessibleInAllLooks, once, startPanel, focused, undo } from "../support/panel.ts";
import { soon, until } from "../support/until.ts";

const LONG_NAME = "Werkzeugkasten der Öffentlichkeitsarbeit";

let smtp: MailServer;
let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  [smtp, panel] = [await startMailServer(), await startPanel()];
  const people = [
    { username: "mia", display_name: "Mia Ünal" },
    { username: "ben", display_name: null },
  ];
  for (const person of people)
    await panel.client.call("POST", "/users", { ...person, password: "a good password", role: "editor" });
});
afterAll(async () => {
  await panel.stop();
  smtp.stop();
});

const field = (page: Page, key: string) => page.getByLabel(new RegExp(`, ${key.replaceAll(".", "\\.")}$`));
const cut = (page: Page) =>
  page
    .getByRole("navigation", { name: /^(Pages|Seiten)$/ })
    .locator("a > span, p")
    .evaluateAll((all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
    );

once("an administrator has a name, members are suggested by theirs, and a team has a page", async () => {
  const { page, complaints, close } = await panel.enter("/panel/account");
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Your name is saved.").waitFor();
  await page.getByRole("button", { name: "Account menu of Ada" }).waitFor();
  await page.goto(`${panel.origin}/panel/teams`);
  await page.getByRole("button", { name: "New team" }).click();
  await page.getByLabel("Name", { exact: true }).fill("press");
  await page.getByRole("button", { name: "Add a member" }).click();
  await page.getByRole("dialog").getByLabel("Account", { exact: true }).fill("üna");
  await page.getByRole("option", { name: "Mia Ünal" }).click();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const row = page.getByRole("row").filter({ hasText: "Mia Ünal" });
  await row.waitFor();
  const link = { code: "ours", title: "Our link", target: "https://example.com/", owner: "team:press" };
  await panel.client.call("POST", "/links", link);
  await row.getByText("press").click();
  await page.getByRole("heading", { level: 1, name: "press" }).waitFor();
  await page.getByText("Mia Ünal").waitFor();
  await page.getByRole("link", { name: "Our link" }).waitFor();
  await page.getByRole("link", { name: "All files of the team" }).waitFor();
  await expectAccessibleInAllLooks(page, "a team");
  await page.goto(`${panel.origin}/panel/events`);
  await page.getByRole("row").filter({ hasText: "Ada" }).first().waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("the links of an account are handed over from its menu, as one change that is undone", async () => {
  for (const code of ["handed-1", "handed-2"])
    await panel.client.call("POST", "/links", { code, target: "https://example.com/", owner: "ben" });
  const ownerOf = async (code: string) => (await panel.client.call("GET", `/links/${code}`)).body.data.owner;
  const { page, complaints, close } = await panel.enter("/panel/");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("transfer");
  await page.getByRole("option", { name: "Hand over the links of an account" }).click();
  await page.getByText("Choose “Hand over links” in the menu of the account.").waitFor();
  await page.getByRole("button", { name: "Actions for ben" }).click();
  await page.getByRole("menuitem", { name: "Hand over links" }).click();
  const form = page.getByRole("dialog", { name: "Hand over links" });
  await form.getByText("2 links are selected.").waitFor();
  await focused(
    form.getByRole("textbox", { name: "Owner" }).or(form.getByRole("combobox", { name: "Owner" })),
  );
  await form.getByRole("button", { name: "Other changes", expanded: false }).waitFor();
  await page.keyboard.type("mia");
  await page.getByRole("option", { name: "mia" }).click();
  await form.getByRole("button", { name: "Hand over links" }).click();
  await page.getByRole("alert").filter({ hasText: "2 links belong to Mia Ünal now." }).waitFor();
  await page.getByText("No link matches.").waitFor();
  await page.getByText("2 links were changed and no longer match the search or filters.").waitFor();
  // What nobody sees is not selected.
  await page.getByRole("region", { name: "Selection" }).waitFor({ state: "detached" });
  expect(await ownerOf("handed-1")).toBe("mia");
  await undo(page, "2 links belong to Mia Ünal now.");
  await page.getByRole("alert").filter({ hasText: "Undone: 2 links." }).waitFor();
  expect(await ownerOf("handed-2")).toBe("ben");
  await page.getByText("2 links", { exact: true }).waitFor();
  // The form of the account leads there, too.
  await page.goto(`${panel.origin}/panel/users`);
  await page.getByRole("button", { name: "Actions for ben" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("link", { name: "Hand over links" }).click();
  await form.getByText("2 links are selected.").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("settings stand by task without keys, and the instance's name is there at once", async () => {
  const { page, complaints, close } = await panel.enter("/panel/settings");
  const groups = page.getByRole("navigation", { name: "Groups of settings" });
  const names = "General,Branding,Links,Analytics,Privacy,Files and sharing,Mail,Sign-in".split(",");
  for (const name of names) {
    await groups.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 2, name, exact: true }).waitFor();
    const text = (await page.getByRole("main").textContent())!;
    expect([
      name,
      /\b(?:features|analytics|privacy|links|files|api|oidc|mail)\.[a-z]/.exec(text)?.[0],
    ]).toEqual([name, undefined]);
  }
  await expectAccessibleInAllLooks(page, "settings of the sign-in");
  await groups.getByRole("link", { name: "Branding" }).click();
  await field(page, "features.instance_name").fill(LONG_NAME);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Instance name is saved.").waitFor();
  await page.getByRole("navigation", { name: "Pages" }).getByText(LONG_NAME).waitFor();
  expect(await page.title()).toContain(LONG_NAME);
  await page.evaluate(() => localStorage.setItem("waymark-language", "de"));
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Einstellungen" }).waitFor();
  expect(await cut(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

once("what needs a restart offers it, and then it is in force", async () => {
  const { page, close } = await panel.enter("/panel/settings?group=analytics");
  const key = "analytics.enable_detailed_logging";
  await field(page, key).press("Space");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const restart = page.getByRole("button", { name: "Restart now" });
  await restart.first().click();
  await restart.first().waitFor({ state: "detached" });
  expect((await panel.client.call("GET", `/config/${key}`)).body.data.value).toBe("true");
  await close();
});

once("mail is set up in the panel, with a test that says what became of it", async () => {
  const { page, close } = await panel.enter("/panel/settings?group=mail");
  await field(page, "mail.host").fill("127.0.0.1");
  await field(page, "mail.port").fill(smtp.settings.WAYMARK__MAIL__PORT);
  await field(page, "mail.from").fill("waymark@example.com");
  await page.getByRole("combobox", { name: /mail\.tls$/ }).click();
  await page.getByRole("option", { name: "None, for a server on the same machine" }).click();
  await page.getByRole("button", { name: "Save all" }).click();
  await page.getByText("All are saved.").waitFor();
  await page.getByLabel("Address for a test mail").fill("ada@example.com");
  await page.getByRole("button", { name: "Send a test mail" }).click();
  await until(() => smtp.mails.length === 1);
  await soon(async () => expect(await page.getByRole("status").getByText("Sent").count()).toBe(1));
  await close();
});

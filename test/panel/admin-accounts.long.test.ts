/** Accounts, tokens, domains and events in Chromium, against the real program. */
import { afterAll, beforeAll, expect } from "bun:test";
import { driveClient } from "../support/drive.ts";
import { stranger } from "../support/stranger.ts";
import {
  expectAccessibleInAllLooks,
  once,
  signInToPanel,
  startPanel,
  story,
  NARROW,
  WIDE,
} from "../support/panel.ts";
import { soon } from "../support/until.ts";

const ACCOUNT_PASSWORD = "a long password";
const HOSTILE = "<img src=x onerror=alert(1)>";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

once("an account is made, found, disabled, which ends its session, and deleted", async () => {
  for (let n = 1; n <= 21; n++) {
    const body = { username: `user.${String(n).padStart(2, "0")}`, password: ACCOUNT_PASSWORD };
    await panel.client.call("POST", "/users", body);
  }
  const { page, complaints, close } = await panel.enter("/panel/users");
  const form = page.getByRole("dialog");
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  const choose = async (name: string, item: string) => {
    await page.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await page.getByRole("button", { name: "New account" }).click();
  await form.getByLabel("Username").fill("anna");
  await form.getByLabel("Password", { exact: true }).fill(ACCOUNT_PASSWORD);
  await form.getByLabel("Space for files", { exact: true }).fill("5");
  await form.getByRole("button", { name: "Create" }).click();
  await row("anna").waitFor();
  await row("anna").getByText("0 bytes of 5 MB").waitFor();
  await page.getByRole("button", { name: "Page 2" }).click();
  await row("user.21").waitFor();
  await page.waitForURL((url) => url.search === "?page=2");
  await page.getByLabel("Search accounts").fill("ANN");
  await row("anna").waitFor();
  await page.waitForURL((url) => url.search === "?q=ANN");
  await page.reload();
  await row("anna").waitFor();
  await soon(async () => expect(await page.getByRole("row").count()).toBe(2));
  await expectAccessibleInAllLooks(page, "accounts");
  await page.evaluate(() => localStorage.setItem("waymark-language", "de"));
  await page.setViewportSize(NARROW);
  await page.reload();
  await row("anna").waitFor();
  const list = page.locator("[data-holds-rows]");
  expect(await list.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
  await page.evaluate(() => localStorage.removeItem("waymark-language"));
  await page.setViewportSize(WIDE);
  await page.reload();
  await row("anna").waitFor();

  const other = await panel.open("/panel/links");
  await signInToPanel(other.page, ACCOUNT_PASSWORD, "anna");
  await choose("anna", "Edit");
  await form.getByLabel("Disabled: may not sign in").click();
  await form.getByText("Its sessions end at once").waitFor();
  await form.getByRole("button", { name: "Save" }).click();
  await row("anna").getByText("Disabled").waitFor();
  await other.page.reload();
  await other.page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  await other.close();

  await row("anna").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await form.getByText("Delete the account anna?").waitFor();
  await form.getByText("0 files, 0 bytes, 0 folders").waitFor();
  await form.getByRole("button", { name: "Delete for good" }).click();
  await page.getByText("No account matches.").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

story("a token works until it is revoked; administrators revoke those of others", async () => {
  const made = await panel.client.call("POST", "/users", {
    username: "ben",
    password: ACCOUNT_PASSWORD,
    role: "editor",
  });
  expect(made.status).toBe(201);
  const asBen = (token: string) =>
    fetch(`${panel.server.url}/admin/v1/links`, { headers: { Authorization: `Bearer ${token}` } });

  const ben = await panel.open("/panel/tokens");
  await signInToPanel(ben.page, ACCOUNT_PASSWORD, "ben");
  await ben.page.getByRole("button", { name: "New token" }).click();
  const form = ben.page.getByRole("dialog");
  await form.getByLabel("Name").fill(HOSTILE);
  await form.getByText("See links, their tags and history.").waitFor();
  await form.getByLabel("links:read").check();
  const expires = form.getByRole("radiogroup", { name: "Expires" });
  expect(await expires.getByRole("radio", { name: "In 90 days" }).isChecked()).toBe(true);
  await expires.getByText("At a date").click();
  await form.getByLabel("Date and time of expiry").fill("2999-12-31T18:00");
  await form.getByRole("button", { name: "Create" }).click();
  const token = (await ben.page.getByText(/^wmk_/).textContent())!;
  expect((await asBen(token)).status).toBe(200);
  await ben.page.getByText("2999").first().waitFor();
  expect(await ben.page.getByText("All tokens").count()).toBe(0);
  await expectAccessibleInAllLooks(ben.page, "tokens");

  const { page, complaints, close } = await panel.enter("/panel/tokens");
  await page.getByText("There are no tokens yet.").waitFor();
  await page.getByText("All tokens").click();
  const row = page.getByRole("row").filter({ hasText: HOSTILE });
  await row.getByText("ben").waitFor();
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await row.waitFor({ state: "detached" });
  expect((await asBen(token)).status).toBe(401);
  expect([...complaints, ...ben.complaints]).toEqual([]);
  await ben.close();
  await close();
});

once("a domain tells what its DNS needs, and what prevents its deletion", async () => {
  const { page, complaints, close } = await panel.enter("/panel/domains");
  const form = page.getByRole("dialog");
  const row = page.getByRole("row").filter({ hasText: "go.example.com" });
  await page.getByText("There is only the default domain.").waitFor();
  await page.getByRole("button", { name: "New domain" }).click();
  await form.getByLabel("Host").fill("go.example.com");
  await form.getByText("go.example.com. CNAME").waitFor();
  await form.getByLabel("Unknown codes lead to").fill("https://go.example.com/loop");
  await form.getByRole("button", { name: "Create" }).click();
  await form.getByRole("alert").waitFor();
  await form.getByLabel("Unknown codes lead to").and(page.locator("[aria-invalid=true]")).waitFor();
  await form.getByLabel("Unknown codes lead to").fill("https://example.com/missing");
  await form.getByRole("button", { name: "Create" }).click();
  await row.getByRole("link", { name: "No links of go.example.com", exact: true }).waitFor();
  const link = { code: "spring", target: "https://example.com", domain: "go.example.com" };
  await panel.client.call("POST", "/links", link);
  await page.reload();
  await row.getByRole("link", { name: "1 link" }).waitFor();
  await row.getByRole("button", { name: "Delete" }).click();
  await form.getByText("It can't be deleted while it has links.").waitFor();
  await form.getByRole("button", { name: "Close" }).click();
  await expectAccessibleInAllLooks(page, "domains");
  await panel.client.call("DELETE", "/links/spring?domain=go.example.com");
  await page.reload();
  await row.getByRole("button", { name: "Delete" }).click();
  await form.getByRole("button", { name: "Delete" }).click();
  await page.getByText("There is only the default domain.").waitFor();
  expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  await close();
});

once("documents of a domain are written, and read when they are opened", async () => {
  const { page, complaints, close } = await panel.enter("/panel/domains");
  const form = page.getByRole("dialog");
  await page.getByRole("button", { name: "New domain" }).click();
  await form.getByLabel("Host").fill("apps.example.com");
  await form.getByRole("button", { name: "Add documents" }).click();
  await form.getByRole("button", { name: "Add document", exact: true }).click();
  await form.getByLabel("Name").fill("assetlinks.json");
  await form.getByLabel("Text").fill("{");
  await form.getByRole("button", { name: "Create" }).click();
  await form.getByText("must be JSON").first().waitFor();
  await form.getByLabel("Text").fill("[]");
  await form.getByRole("button", { name: "Create" }).click();
  await form.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Edit apps.example.com" }).click();
  await form.getByRole("button", { name: "Edit documents (1)" }).click();
  await soon(async () => expect(await form.getByLabel("Text").inputValue()).toBe("[]"));
  expect(await form.getByLabel("Type").inputValue()).toBe("application/json");
  await expectAccessibleInAllLooks(page, "documents of a domain");
  await form.getByRole("button", { name: "Remove the document assetlinks.json" }).click();
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "detached" });
  const { body } = await panel.client.call("GET", "/domains");
  expect(body.data.find(({ host }: { host: string }) => host === "apps.example.com").well_known).toEqual([]);
  expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  await close();
});

once("hundreds of domains are one list, and those in sight count their links", async () => {
  const domains = Array.from({ length: 300 }, (_, at) => ({ host: `shop-${at}.example.com` }));
  for (const domain of domains) await panel.client.call("POST", "/domains", domain);
  const { page, complaints, close } = await panel.open("/panel/domains");
  let counts = 0;
  page.on("request", (request) => (counts += request.url().includes("/links?") ? 1 : 0));
  await signInToPanel(page);
  const row = (host: string) => page.getByRole("row").filter({ hasText: host });
  await row("shop-0.example.com").getByRole("link", { name: "No links" }).waitFor();
  expect(counts).toBeLessThan(100);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await row("shop-99.example.com").getByRole("link", { name: "No links" }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("events are filtered in the URL, load on, and show what changed", async () => {
  await panel.client.call("POST", "/links", { code: "a/b", target: "https://example.com", title: "old" });
  for (let n = 0; n < 60; n++) {
    await panel.client.call("PATCH", "/links/a%2Fb", { title: `${HOSTILE} ${n}` });
  }
  const { page, complaints, close } = await panel.enter("/panel/events?action=link.update");
  const rows = page.getByRole("row");
  await rows
    .filter({ hasText: `${HOSTILE} 59` })
    .first()
    .waitFor();
  await page.getByText("Kept for 365 days.").waitFor();
  await expectAccessibleInAllLooks(page, "events");
  const labels = page.getByRole("search", { name: "Filters" }).locator("label");
  const heights = await labels.evaluateAll((all) => all.map((label) => label.clientHeight));
  expect(new Set(heights).size).toBe(1);
  // The next page comes when the end of this one is near.
  await soon(async () => {
    await page.mouse.wheel(0, 100_000);
    expect(await rows.filter({ hasText: "old" }).locator("del").allTextContents()).toEqual(["old"]);
  });
  await rows.nth(1).getByRole("link", { name: "a/b" }).click();
  await page.waitForURL(`${panel.origin}/panel/link/a/b`);
  await page.goBack();
  await page.getByLabel("About").fill("user.01");
  await page.getByText("No events match.").waitFor();
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await rows.filter({ hasText: "Signed in" }).first().waitFor();
  await page.waitForURL((url) => url.search === "");
  await page.getByLabel("Who", { exact: true }).fill("admin");
  await page.getByLabel("From").fill("2020-01-01");
  await page.getByLabel("To", { exact: true }).fill("2020-01-02");
  await page.getByText("No events match.").waitFor();
  // However fast one fills in one after the other.
  await page.waitForURL((url) => url.search === "?actor=admin&from=2020-01-01&to=2020-01-02");
  expect(complaints).toEqual([]);
  await close();
});

once("events and the history say in words who sent what, and what became of a limit", async () => {
  const drive = driveClient(panel.server.url, panel.client.token);
  const folder = await drive.folder("Photos");
  const limits = { max_bytes: 9_000_000, max_files: 20, code: "contest", title: "Photo contest" };
  const box = (await drive.call("POST", `/folders/${folder}/drop`, limits)).body.data.url as string;
  await stranger().put(box, { "IMG_4006.jpg": "x".repeat(3_100_000) }, "Anna");
  const more = { drop: { folder_id: folder, max_bytes: limits.max_bytes, max_files: 30 } };
  expect((await drive.call("PATCH", "/shares/contest", more)).status).toBe(200);
  const target = "https://example.com/";
  await panel.client.call("POST", "/links", { code: "locked", target, password: "the first one" });
  const rules = [{ if: { country: ["DE"] }, target: "https://example.de/" }];
  await panel.client.call("PATCH", "/links/locked", { password: "the second one", rules });

  const { page, complaints, close } = await panel.enter("/panel/events?subject=locked");
  const changed = page.getByRole("row").filter({ hasText: "Link changed: locked" });
  await changed.getByText("Rules").waitFor();
  const terms = await changed.locator("dl > div").allTextContents();
  expect(terms).toEqual(["PasswordChanged", "RulesNot set → to Germany: example.de"]);
  const made = page.getByRole("row").filter({ hasText: "Link created: locked" }).locator("summary");
  expect(await made.textContent()).not.toMatch(/Number|Created| and /);
  await page.goto(`${panel.origin}/panel/events?subject=contest`);
  const said = "Anna sent IMG_4006.jpg (3.1 MB) to Photo contest";
  const rows = page.getByRole("row");
  await rows.filter({ hasText: said }).filter({ hasText: "through a drop box" }).waitFor();
  const change = rows.filter({ hasText: "Share changed" });
  await change.getByText("Max. files").waitFor();
  expect(await change.getByRole("definition").textContent()).toBe("20 → to 30");
  expect(await page.getByText(/folder_id|file_id|sender_name|waymark:/).count()).toBe(0);
  await page.goto(`${panel.origin}/panel/link/contest?tab=history`);
  await page.getByRole("region", { name: "History" }).getByText(said).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("without permission the pages of administrators say so", async () => {
  const { page, close } = await panel.open("/panel/users");
  await signInToPanel(page, ACCOUNT_PASSWORD, "ben");
  for (const path of ["users", "settings", "policies", "health", "events"]) {
    await page.goto(`${panel.origin}/panel/${path}`);
    await page.getByRole("heading", { name: "Your account may not see this page" }).waitFor();
  }
  await close();
});

/**
 * Twelve ways through the panel in one browser with one page, and axe on all its pages, against the real program. What
 * each page does with errors, keys, other widths and late answers is in the long suite.
 */
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { addAuthenticator } from "../support/authenticator.ts";
import { CHROMIUM } from "../support/chromium.ts";
import { driveClient } from "../support/drive.ts";
import { PANEL_ROUTES } from "../support/panel-routes.ts";
import { shown, turnTo } from "../support/panel-turns.ts";
import {
  expectAccessible,
  focused,
  NARROW,
  type OpenedPanel,
  once,
  openTab,
  signInToPanel,
  startPanel,
  undo,
  WIDE,
} from "../support/panel.ts";
import { PASSWORD } from "../support/session.ts";
import { HTML, stranger } from "../support/stranger.ts";
import { soon, until } from "../support/until.ts";

const RUN = "window.ran=1";
const HOSTILE = `"'><img src=x onerror="${RUN}"><script>${RUN}</script>`;
const folder = mkdtempSync(join(tmpdir(), "waymark-flows-"));

let panel: Awaited<ReturnType<typeof startPanel>>;
let opened: OpenedPanel;
let page: Page;
let drive: ReturnType<typeof driveClient>;

beforeAll(async () => {
  if (!CHROMIUM) return;
  panel = await startPanel({}, { "analytics.enable_detailed_logging": "true" });
  drive = driveClient(panel.server.url, panel.client.token);
  opened = await panel.open("/panel/");
  page = opened.page;
});
afterAll(async () => {
  await panel?.stop();
  rmSync(folder, { recursive: true });
});

const dialog = () => page.getByRole("dialog");
const rowOf = (text: string) => page.getByRole("row").filter({ hasText: text });
const button = (name: string | RegExp) =>
  page.getByRole("button", typeof name === "string" ? { name, exact: true } : { name });
const stored = async (path: string) => (await panel.client.call("GET", path)).body.data;

const expectLocation = (code: string, target: string | null): Promise<void> =>
  soon(async () => {
    const { headers } = await fetch(`${panel.server.url}/${code}`, { redirect: "manual" });
    expect(headers.get("location")).toBe(target);
  });

/** The refusals that a flow provokes are no complaints. */
function expectNoComplaints(refusals = /^$/): void {
  const complaints = opened.complaints.splice(0);
  expect(complaints.filter((text) => !refusals.test(text))).toEqual([]);
}

async function menu(item: string): Promise<void> {
  await button(/Account menu/).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

async function act(name: string, item: string): Promise<void> {
  await button(`Actions for ${name}`).click();
  await page.getByRole("menuitem", { name: item }).click();
}

async function chooseFiles(files: readonly string[]): Promise<void> {
  const choice = page.waitForEvent("filechooser");
  await button("Upload").click();
  await page.getByRole("menuitem", { name: "Files" }).click();
  await (await choice).setFiles([...files]);
}

once("1: a wrong password says so, a right one signs in, and another account has its own pages", async () => {
  await panel.client.call("POST", "/users", { username: "ed", password: PASSWORD, role: "editor" });
  await page.getByLabel("Password", { exact: true }).fill("a wrong password");
  await button("Sign in").click();
  await page
    .getByRole("alert")
    .filter({ hasText: /password/i })
    .waitFor();
  await signInToPanel(page, PASSWORD, "ed");
  await page.getByText("Create your first short link").waitFor();
  const pages = page.getByRole("navigation", { name: "Pages" }).locator("a > span:first-of-type");
  const names = [
    "Overview",
    "Analytics",
    "Links",
    "Files",
    "Shares",
    "Teams",
    "API tokens",
    "API",
    "Domains",
  ];
  await soon(async () => expect(await pages.allTextContents()).toEqual(names));
  await page.goto(`${panel.origin}/panel/settings`);
  await page.getByRole("heading", { name: "Your account may not see this page" }).waitFor();
  await menu("Sign out");
  await button("Sign in").waitFor();
  await signInToPanel(page);
  expectNoComplaints(/40[13]/);
});

once("2: a link is made with its settings, and nothing typed is lost", async () => {
  await page.goto(`${panel.origin}/panel/links`);
  await page.getByRole("heading", { name: "Links", level: 1 }).waitFor();
  await button("New link").first().click();
  const form = page.getByRole("region", { name: "New link" });
  await form.getByRole("textbox", { name: "Target" }).fill("https://example.com/sale?q=1");
  await form.getByLabel("Code").fill("sale/2027");
  await form.getByText("This code is available.").waitFor();
  await form.getByLabel("Title").fill(HOSTILE);
  await page.reload();
  await form.getByText("What you typed before is here again.").waitFor();
  await soon(async () => expect(await form.getByLabel("Title").inputValue()).toBe(HOSTILE));
  await button("More").press("Enter");
  await form.getByLabel("Fallback").fill("no address");
  await button("Create link").press("Enter");
  await form.getByText("The URL must be absolute").waitFor();
  await focused(form.getByLabel("Fallback"));
  await form.getByLabel("Fallback").fill("https://example.com/over");
  await form.getByRole("textbox", { name: "Starts" }).fill("2026-01-02T03:04");
  await form.getByLabel("Note").press("Control+Enter");
  await page.waitForURL(/link\/sale\/2027$/);
  expect(await stored("/links/sale/2027")).toMatchObject({
    target: "https://example.com/sale?q=1",
    title: HOSTILE,
    starts_at: new Date("2026-01-02T03:04").toISOString(),
    fallback_url: "https://example.com/over",
  });
  await expectLocation("sale/2027", "https://example.com/sale?q=1");
  expectNoComplaints(/400|must be absolute/);
});

once("3: a link is edited in place, its history goes back, and a deletion is undone", async () => {
  const settings = page.getByRole("region", { name: "Settings of the link" });
  await settings.getByRole("button", { name: "Edit: Target" }).press("Enter");
  await settings.getByRole("textbox", { name: "Target" }).fill("https://example.com/2");
  await page.keyboard.press("Enter");
  await expectLocation("sale/2027", "https://example.com/2");
  await settings.getByRole("button", { name: "Edit: Code" }).press("Enter");
  await settings.getByRole("textbox", { name: "Code" }).fill("sale/2028");
  await settings.getByText("This code is available.").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/link\/sale\/2028/);
  await openTab(page, "History");
  const history = page.getByRole("region", { name: "History" });
  await history.getByRole("button", { name: "Go back to this" }).last().press("Enter");
  await expectLocation("sale/2028", "https://example.com/sale?q=1");
  await undo(page, "The link is as it was");
  await expectLocation("sale/2028", "https://example.com/2");
  await openTab(page, "Link");
  await settings.getByRole("button", { name: "Delete the link" }).press("Enter");
  await page.waitForURL(/\/links$/);
  await expectLocation("sale/2028", null);
  await undo(page, "is deleted");
  await expectLocation("sale/2028", "https://example.com/2");
  expectNoComplaints(/404/);
});

once("4: a list is searched, filtered and changed as a whole", async () => {
  const links = Array.from({ length: 120 }, (_, at) => ({
    code: `c${`${at}`.padStart(3, "0")}`,
    target: `https://example.com/${at}`,
    title: at % 3 === 0 ? "spring" : "autumn",
    tags: [`team ${at % 2}`],
  }));
  await panel.client.call("POST", "/links/batch", { links });
  await page.goto(`${panel.origin}/panel/links?sort=code&order=asc`);
  await rowOf("c000").waitFor();
  expect(await page.getByRole("row").count()).toBeLessThanOrEqual(80);
  await page.keyboard.press("/");
  await page.keyboard.type("spring");
  await page.getByText("40 links").waitFor();
  await button("Filter").click();
  await page.getByRole("combobox", { name: "Has all tags" }).fill("team 1");
  await page.getByRole("option", { name: "team 1" }).click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByText("20 links").waitFor();
  await page.reload();
  await page.getByText("20 links").waitFor();
  await page.getByRole("checkbox", { name: "Select these rows" }).check();
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText("No link matches").waitFor();
  await expectLocation("c003", null);
  await undo(page, "20 links are deleted.");
  await page.getByText("20 links", { exact: true }).waitFor();
  await expectLocation("c003", "https://example.com/3");
  expectNoComplaints();
});

once("5: clicks are counted, and analytics show where they came from", async () => {
  for (let click = 0; click < 3; click++)
    await fetch(`${panel.server.url}/c001`, {
      redirect: "manual",
      headers: {
        "User-Agent": `Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 ${HOSTILE}`,
        Referer: "https://news.example/today",
      },
    });
  await until(async () => (await stored("/links/c001")).click_count === 3);
  await page.goto(`${panel.origin}/panel/link/c001`);
  await page.getByRole("slider", { name: "Values by time" }).waitFor();
  await page.getByText("Firefox").first().waitFor();
  await turnTo(page, "analytics");
  await page.getByText("news.example").first().waitFor();
  expectNoComplaints();
});

once("6: files are uploaded, renamed, found, moved to the trash and back", async () => {
  await page.goto(`${panel.origin}/panel/files`);
  await button("New folder").click();
  await dialog().getByLabel("Name").fill("<i>Reports");
  await dialog().getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: "<i>Reports" }).click();
  await page.getByText("This folder is empty.").waitFor();
  const file = join(folder, "<img src=x>.txt");
  writeFileSync(file, "report ".repeat(400_000));
  await chooseFiles([file]);
  await rowOf("<img src=x>.txt").waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("F2");
  await page.getByLabel("New name of <img src=x>.txt").fill("report.txt");
  await page.keyboard.press("Enter");
  await rowOf("report.txt").waitFor();
  await act("report.txt", "Move to the trash");
  await page.getByText("This folder is empty.").waitFor();
  await undo(page, "report.txt is in the trash.");
  await rowOf("report.txt").waitFor();
  await page.getByRole("searchbox").fill("report.t");
  await rowOf("report.txt").getByRole("link", { name: "<i>Reports" }).click();
  const download = page.waitForEvent("download");
  await act("report.txt", "Download");
  expect(await Bun.file((await (await download).path())!).text()).toBe("report ".repeat(400_000));
  expectNoComplaints();
});

once("7: a file is shared with a password, and a visitor downloads it as often as allowed", async () => {
  await act("report.txt", "Share");
  await page.getByRole("main").getByLabel("Code", { exact: true }).fill("for/anna");
  await page.getByRole("main").getByText("This code is available.").waitFor();
  await page.getByRole("main").getByRole("button", { name: "Limits" }).click();
  await page.getByRole("main").locator("label", { hasText: "Ask for a password" }).click();
  await page.getByRole("main").getByLabel("Password", { exact: true }).fill("a good password");
  await page.getByRole("main").getByLabel("Max. downloads").fill("1");
  await page.getByRole("main").getByRole("button", { name: "Share" }).click();
  await page
    .getByRole("main")
    .getByRole("img", { name: /QR code/ })
    .waitFor();
  const address = (await page.getByRole("main").locator("a[href^=http]").first().getAttribute("href"))!;
  const visitor = stranger();
  expect((await visitor.send(address, { headers: HTML })).status).toBe(401);
  const body = new URLSearchParams({ password: "a good password" });
  await visitor.send(address, { method: "POST", body, headers: HTML });
  expect(await visitor.page(address)).toContain("1 of 1");
  expect(await (await visitor.send(`${address}?download=1`)).text()).toStartWith("report ");
  expect((await visitor.send(`${address}?download=1`)).status).toBe(410);
  await turnTo(page, "shares");
  await act("for/anna", "End the share");
  await dialog().getByRole("button", { name: "End the share" }).click();
  await rowOf("for/anna").waitFor({ state: "detached" });
  await soon(async () => expect((await fetch(address, { headers: HTML })).status).toBe(404));
  expectNoComplaints();
});

once("8: a drop box takes what a stranger sends, and is closed", async () => {
  const inbox = await drive.folder("Inbox");
  await drive.call("POST", `/folders/${inbox}/drop`, { code: "inbox", max_files: 2, max_bytes: 9_000 });
  await page.goto(`${panel.origin}/panel/share/inbox`);
  await page.getByText("Nothing has come yet.").waitFor();
  await stranger().put(`${panel.server.url}/inbox`, { "one &lt;.txt": "1" }, "<b>Anna");
  const happened = page.getByRole("main").getByRole("listitem");
  await happened.filter({ hasText: "<b>Anna sent one &lt;.txt" }).waitFor();
  await page.getByText("1 of 2 files").waitFor();
  await turnTo(page, "shares");
  await act("inbox", "Close the drop box");
  await dialog().getByText("This can't be undone.").waitFor();
  await dialog().getByRole("button", { name: "Close the drop box" }).click();
  await rowOf("inbox").waitFor({ state: "detached" });
  expectNoComplaints();
});

once(
  "9: an administrator makes a token that works until it is revoked, a domain and an account",
  async () => {
    await turnTo(page, "tokens");
    await button("New token").click();
    await dialog().getByLabel("Name").fill("ci");
    await dialog().getByLabel("links:read").check();
    await dialog().getByRole("button", { name: "Create" }).click();
    const headers = { Authorization: `Bearer ${(await page.getByText(/^wmk_/).textContent())!}` };
    const statusOfList = async () => (await fetch(`${panel.server.url}/admin/v1/links`, { headers })).status;
    expect(await statusOfList()).toBe(200);
    await button("Revoke: ci").click();
    await dialog().getByRole("button", { name: "Revoke" }).click();
    await page.getByText("There are no tokens yet.").waitFor();
    expect(await statusOfList()).toBe(401);
    await turnTo(page, "users");
    await button("New account").click();
    await dialog().getByLabel("Username").fill("anna");
    await dialog().getByLabel("Password", { exact: true }).fill(PASSWORD);
    await dialog().getByRole("button", { name: "Create" }).click();
    await rowOf("anna").waitFor();
    await turnTo(page, "domains");
    await button("New domain").click();
    await dialog().getByLabel("Host").fill("go.example.com");
    await dialog().getByRole("button", { name: "Create" }).click();
    await rowOf("go.example.com").waitFor();
    await turnTo(page, "events");
    await rowOf("Domain added").waitFor();
    expectNoComplaints();
  },
);

once("10: a team is made and deleted, and a member gets what it owned", async () => {
  await turnTo(page, "teams");
  await button("New team").first().click();
  await page.getByLabel("Name", { exact: true }).fill("press");
  await button("Add a member").click();
  await dialog().getByLabel("Account", { exact: true }).fill("ed");
  await button("Create").click();
  await page.getByRole("cell", { name: "ed", exact: true }).waitFor();
  const link = { code: "ours", target: "https://example.com/", owner: "team:press" };
  await panel.client.call("POST", "/links", link);
  await button("Delete press").click();
  await button("Delete for good").click();
  await page.getByRole("combobox", { name: "What it owns goes to" }).fill("ed");
  await button("Delete for good").click();
  await page.getByText("There are no teams yet.").waitFor();
  expect((await stored("/links/ours")).owner).toBe("ed");
  expectNoComplaints(/409/);
});

once("11: axe finds nothing on any page, and hostile values run nothing", async () => {
  const link = {
    code: "long/code",
    target: `https://example.com/?${HOSTILE}`,
    note: HOSTILE,
    tags: [HOSTILE.slice(0, 60)],
  };
  await panel.client.call("POST", "/links", link);
  await drive.upload(HOSTILE.replaceAll("/", "_"), HOSTILE, { type: "text/html" });
  await page.goto(`${panel.origin}/panel/settings`);
  await shown(page);
  for (const [at, path] of PANEL_ROUTES.entries()) {
    // Each page in one width and scheme; the long suite has all.
    const [size, colorScheme] = at % 2 === 0 ? ([NARROW, "dark"] as const) : ([WIDE, "light"] as const);
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    await turnTo(page, path);
    const state = await page.evaluate(() => ({
      ran: "ran" in window,
      images: document.querySelectorAll("img[src=x]").length,
      isWide: document.documentElement.scrollWidth > innerWidth,
    }));
    expect([path, state]).toEqual([path, { ran: false, images: 0, isWide: false }]);
    // The reference of the API is a page of its own, which the long suite has.
    if (path !== "api") await expectAccessible(page, path);
  }
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: "light" });
  expectNoComplaints();
});

once("12: a passkey signs in, and an access token ends in the middle of a form", async () => {
  await addAuthenticator(opened.context, page);
  await menu("Sign out");
  await button("Sign in").waitFor();
  await signInToPanel(page, PASSWORD, "anna");
  await page.goto(`${panel.origin}/panel/account`);
  await button("Add a passkey").click();
  await dialog().getByLabel("Password", { exact: true }).fill(PASSWORD);
  await button("Continue").click();
  const passkeys = page.getByRole("table", { name: "Passkeys" });
  await passkeys.getByText("Not used yet").last().waitFor();
  await menu("Sign out");
  await button("Sign in with a passkey").click();
  await button(/Account menu/).waitFor();

  await page.goto(`${panel.origin}/panel/links`);
  await button("New link").first().click();
  const form = page.getByRole("region", { name: "New link" });
  await form.getByLabel("Target").fill("https://example.com/kept");
  await form.getByLabel("Code", { exact: true }).fill("kept");
  await form.locator("svg.tabler-icon-check").waitFor();
  // The access token has ended; the session has not.
  await opened.context.clearCookies({ name: "svc_access" });
  await button("Create link").click();
  await page.waitForURL(/link\/kept$/);
  await expectLocation("kept", "https://example.com/kept");
  expectNoComplaints(/401/);
});

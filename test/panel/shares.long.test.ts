/** Shares and drop boxes in the panel, and what strangers see of them, in Chromium against the real program. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { driveClient } from "../support/drive.ts";
import {
  expectAccessible,
  expectAccessibleInAllLooks,
  focused,
  once,
  openTab,
  signInToPanel,
  startPanel,
  story,
  undo,
} from "../support/panel.ts";
import { PASSWORD } from "../support/session.ts";
import { HTML, stranger } from "../support/stranger.ts";
import { soon } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let drive: ReturnType<typeof driveClient>;
let reports = 0;
beforeAll(async () => {
  panel = await startPanel();
  drive = driveClient(panel.server.url, panel.client.token);
  reports = await drive.folder("<b>Reports");
  await drive.upload("<img src=x onerror=alert(1)>.txt", "for one's eyes", { type: "text/plain" });
});
afterAll(() => panel.stop());

const form = (page: Page) => page.getByRole("dialog");
const section = (page: Page, name: string) => form(page).getByRole("button", { name });
/** Wherever its form is scrolled to: the points of a button that something else covers. */
const coveredPlaces = (button: Locator): Promise<unknown[]> =>
  button.evaluate((element) => {
    let scroller: Element = element;
    while (getComputedStyle(scroller).overflowY !== "auto") scroller = scroller.parentElement!;
    const found: unknown[] = [];
    for (let top = 0; top <= scroller.scrollHeight - scroller.clientHeight; top += 8) {
      scroller.scrollTop = top;
      const { left, right, y, height } = element.getBoundingClientRect();
      for (let x = left + 6; x < right; x += 6) {
        const hit = document.elementFromPoint(x, y + height / 2);
        if (!element.contains(hit)) found.push([top, x, hit?.className]);
      }
    }
    return found;
  });
/** Of the dialog, once the address is there. */
const madeAddress = async (page: Page): Promise<string> => {
  await form(page)
    .getByRole("img", { name: /QR code/ })
    .waitFor();
  return (await form(page).getByRole("link").getAttribute("href"))!;
};

async function shareFrom(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Share" }).click();
}

once("a new share begins with what one must choose, and says what to do without files", async () => {
  await panel.client.call("POST", "/users", { username: "ute", password: PASSWORD, role: "user" });
  await panel.client.call("PUT", "/config/files.share_policy.password", { value: "true" });
  for (const [account, first] of [
    ["ute", (page) => form(page).getByRole("link", { name: "Open the files" })],
    ["", (page) => form(page).getByRole("button", { name: "Open the folder <b>Reports" })],
  ] as const satisfies [string, (page: Page) => Locator][]) {
    const { page, complaints, close } = await panel.open("/panel/shares");
    await signInToPanel(page, PASSWORD, account);
    await page.getByRole("button", { name: "New share" }).click();
    await focused(first(page));
    // Users need a password.
    await form(page)
      .getByRole("button", { name: "Limits", expanded: account === "ute" })
      .waitFor();
    if (account !== "") {
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Files" }).waitFor();
      await form(page).waitFor({ state: "hidden" });
    }
    expect(complaints).toEqual([]);
    await close();
  }
});

story("one dialog shares a file with a password, and opens a drop box", async () => {
  const { page, complaints, close } = await panel.enter("/panel/files");
  await shareFrom(page, "<img src=x onerror=alert(1)>.txt");
  // What is said of the code moves nothing.
  const below = async () => (await section(page, "Limits").boundingBox())!.y;
  const before = await below();
  await form(page).getByLabel("Code", { exact: true }).fill("for anna");
  await form(page).getByText("A code has letters").waitFor();
  expect(await below()).toBe(before);
  await form(page).getByLabel("Code", { exact: true }).fill("for/anna");
  await form(page).getByText("This code is free.").waitFor();
  expect(await below()).toBe(before);
  await section(page, "Limits").getByText(/Until/).waitFor();
  await section(page, "Limits").click();
  await form(page).locator("label", { hasText: "Ask for a password" }).click();
  await form(page).getByLabel("Password", { exact: true }).fill("a good password");
  await form(page).getByLabel("Max. downloads").fill("3");
  for (const height of [420, 600, 800]) {
    await page.setViewportSize({ width: 1280, height });
    expect(await coveredPlaces(form(page).getByRole("button", { name: "Share" }))).toEqual([]);
  }
  await form(page).getByRole("button", { name: "Share" }).click();
  const address = await madeAddress(page);
  expect(address).toEndWith("/for/anna");
  // It says so for a moment.
  await Promise.all([
    form(page).getByRole("button", { name: "Copied" }).waitFor(),
    form(page).getByRole("button", { name: "Copy" }).click(),
  ]);

  const visitor = stranger();
  expect((await visitor.send(address, { headers: HTML })).status).toBe(401);
  const body = new URLSearchParams({ password: "a good password" });
  await visitor.send(address, { method: "POST", body, headers: HTML });
  expect(await visitor.page(address)).toContain("3 of 3");
  expect(await (await visitor.send(`${address}?download=1`)).text()).toBe("for one's eyes");
  await form(page).getByRole("button", { name: "Done" }).click();

  await shareFrom(page, "<b>Reports");
  await form(page).getByText("Drop box").click();
  await form(page).getByLabel("Code", { exact: true }).fill("for/anna");
  await form(page).getByText("Another link has this code.").waitFor();
  await form(page).getByLabel("Code", { exact: true }).fill("inbox");
  await form(page).getByLabel("Title").fill("Hand in here");
  await section(page, "Limits").getByText("100 files").waitFor();
  await section(page, "Limits").click();
  await form(page).getByLabel("Max. files").fill("2");
  await form(page).getByRole("combobox", { name: "Senders give" }).click();
  await page.getByRole("option", { name: "Their e-mail address" }).click();
  await form(page).getByLabel("File types").fill("PDF, image/*");
  await form(page).locator("label", { hasText: "A folder for each sender" }).click();
  await form(page).getByRole("button", { name: "Create" }).click();
  const box = await madeAddress(page);
  expect(await stranger().page(box)).toContain("Hand in here");
  expect((await drive.call("GET", `/folders/${reports}/drop`)).body.data[0]).toMatchObject({
    code: "inbox",
    max_files: 2,
    max_bytes: 1_000_000_000,
    max_file_size: null,
    require: "email",
    sender_folders: true,
    types: [".pdf", "image/*"],
  });
  expect(complaints).toEqual([]);
  await close();
});

once("a token is bound to a folder that a search finds, and the list says so", async () => {
  const inner = await drive.folder("Scans of invoices", reports);
  const { page, complaints, close } = await panel.enter("/panel/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  await form(page).getByLabel("Name", { exact: true }).fill("scanner");
  expect(await form(page).getByRole("combobox", { name: "Folder" }).count()).toBe(0);
  await form(page).getByLabel("files:write").check();
  await form(page).getByRole("combobox", { name: "Folder" }).fill("invoices");
  await page.getByRole("option", { name: "<b>Reports / Scans of invoices" }).click();
  await form(page).getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: "One folder only" }).waitFor();
  expect((await panel.client.call("GET", "/tokens")).body.data[0]).toMatchObject({
    name: "scanner",
    scopes: ["files:write"],
    folder_id: inner,
  });
  expect(complaints).toEqual([]);
  await close();
});

once("a code changes from a URL to a share and back, by keyboard alone", async () => {
  await panel.client.call("POST", "/links", { code: "flyer", target: "https://example.com/flyer" });
  const { page, complaints, close } = await panel.enter("/panel/link/flyer");
  const press = (key: string) => page.keyboard.press(key);
  const more = page.getByRole("button", { name: "More", exact: true, disabled: false });
  await more.press("Enter");
  await page.getByRole("menuitem", { name: "Change what it leads to" }).press("Enter");
  await form(page).getByRole("radio", { name: "URL" }).press("ArrowRight");
  const file = form(page).getByRole("button", { name: "<img src=x onerror=alert(1)>.txt" });
  await file.press("Enter");
  await focused(form(page).getByRole("button", { name: "Choose another" }));
  await section(page, "Message").press("Enter");
  await form(page).getByLabel("Message").fill("For you");
  await section(page, "Limits").press("Enter");
  await form(page).getByLabel("Max. downloads").focus();
  await page.keyboard.type("5");
  await press("Enter");
  await page.waitForURL(/\/panel\/shares\?q=flyer$/);
  expect((await drive.call("GET", "/shares/flyer")).body.data.message).toBe("For you");
  expect(await (await fetch(`${panel.server.url}/flyer`)).text()).toBe("for one's eyes");
  await page.reload();

  const row = page.getByRole("row").filter({ hasText: "/flyer" });
  await row.getByText("4 of 5 downloads left").last().waitFor();
  const name = row.getByRole("button", { name: "<img src=x onerror=alert(1)>.txt" });
  expect(await name.isEnabled()).toBe(true);
  // The row opens as a whole, and its menu by the right button.
  await row.getByRole("cell").nth(2).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Edit" }).waitFor();
  await press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await row.getByRole("cell").nth(2).click();
  await form(page).getByLabel("Title").fill("The flyer");
  await press("Enter");
  await form(page).waitFor({ state: "detached" });
  await row.getByRole("button", { name: "The flyer" }).waitFor();
  expect((await drive.call("GET", "/shares/flyer")).body.data).toMatchObject({
    title: "The flyer",
    max_downloads: 5,
    expires_at: null,
  });

  await row.getByRole("button", { name: "Actions for flyer" }).press("Enter");
  await page.getByRole("menuitem", { name: "Edit" }).press("Enter");
  await form(page).getByRole("radio", { name: "File" }).press("ArrowLeft");
  await form(page).getByLabel("Target").fill("https://example.com/again");
  await press("Enter");
  await page.getByText("flyer redirects now.").waitFor();
  await page.getByText("No share matches.").waitFor();
  const answer = await fetch(`${panel.server.url}/flyer`, { redirect: "manual" });
  expect(answer.headers.get("location")).toBe("https://example.com/again");
  const share = { kind: "file", title: "The flyer", max_downloads: 5, expires_at: null };
  const served = async () => (await drive.call("GET", "/shares/flyer")).body.data;
  await undo(page, "flyer redirects now.");
  await row.getByRole("button", { name: "The flyer" }).waitFor();
  expect(await served()).toMatchObject(share);

  // In the list of links its row has no target to overwrite.
  await page.goto(`${panel.origin}/panel/links?q=flyer`);
  await page.getByRole("row").filter({ hasText: "A shared file" }).waitFor();
  await page.getByRole("grid").focus();
  await press("F2");
  const editor = page.getByRole("form", { name: "Edit flyer" });
  await focused(editor.getByLabel("Title"));
  expect(await editor.getByLabel("Target").count()).toBe(0);
  await press("Escape");
  await editor.waitFor({ state: "detached" });
  await press("e");
  await form(page).getByText("A shared file").waitFor();
  await form(page).getByRole("button", { name: "More" }).click();
  await form(page).getByLabel("Password").first().waitFor();
  for (const field of ["Target", "Redirect", "Fallback", "Max. visitors"]) {
    expect([field, await form(page).getByLabel(field).count()]).toEqual([field, 0]);
  }
  await press("Escape");
  await form(page).waitFor({ state: "detached" });
  await press("Enter");
  await openTab(page, "History");
  const history = page.getByRole("region", { name: "History" });
  await history.getByRole("button", { name: "Undo" }).click();
  await page.getByText("The newest change is undone.").waitFor();
  expect((await panel.client.call("GET", "/links/flyer")).body.data.target).toBe("https://example.com/again");
  await undo(page, "The newest change is undone.");
  await soon(async () => expect(await served()).toMatchObject(share));
  await openTab(page, "Settings");
  await page.getByLabel("Edit: Title").waitFor();
  expect(await page.getByLabel("Edit: Target").count()).toBe(0);
  await panel.client.call("PATCH", "/links/flyer", { target: "https://example.com/again" });
  expect(complaints).toEqual([]);
  await close();
});

once("all shares are in one list, whose state lives in the URL; one is ended", async () => {
  const { page, complaints, close } = await panel.enter("/panel/shares?kind=file&sort=code&order=asc");
  await page.getByText("1 share", { exact: true }).waitFor();
  await page
    .getByRole("columnheader", { name: "Share" })
    .and(page.locator("[aria-sort=ascending]"))
    .waitFor();
  await page.getByRole("heading", { name: "Shares", exact: true }).click();
  await page.keyboard.press("/");
  await focused(page.getByLabel("Search shares"));
  await page.keyboard.type("nothing like this");
  await page.getByText("No share matches.").waitFor();
  await page.waitForURL((url) => url.searchParams.get("q") === "nothing like this");
  await page.getByRole("button", { name: "Clear the search" }).click();
  await page.waitForURL((url) => !url.searchParams.has("q"));
  await page.reload();
  await page.getByRole("button", { name: "Copy" }).first().click();

  await page.goto(`${panel.origin}/panel/shares`);
  await page.getByRole("row").nth(2).waitFor();
  await page.keyboard.press("n");
  await form(page).getByText("Folder", { exact: true }).first().click();
  await form(page).getByRole("button", { name: "Open the folder <b>Reports" }).click();
  await form(page).getByRole("button", { name: "Choose “<b>Reports”" }).click();
  await form(page).getByLabel("Code", { exact: true }).fill("ended-soon");
  await form(page).getByRole("button", { name: "Share" }).click();
  const address = await madeAddress(page);
  await form(page).getByRole("button", { name: "Done" }).click();
  expect((await fetch(address, { headers: HTML })).status).toBe(200);
  await page.getByRole("button", { name: "Actions for ended-soon" }).click();
  await page.getByRole("menuitem", { name: "End the share" }).click();
  await form(page).getByRole("button", { name: "End the share" }).click();
  await page.getByRole("row").filter({ hasText: "/ended-soon" }).waitFor({ state: "detached" });
  await soon(async () => expect((await fetch(address, { headers: HTML })).status).toBe(404));
  expect(complaints).toEqual([]);
  await close();
});

story("what strangers send shows as it comes; axe finds nothing", async () => {
  const asks = { drop: { folder_id: reports, max_bytes: 1e9, max_files: 2, require: "none", types: [] } };
  expect((await drive.call("PATCH", "/shares/inbox", asks)).status).toBe(200);
  const { page, complaints, close } = await panel.enter("/panel/shares?box=inbox");
  await page.getByText("Nothing has come yet.").waitFor();
  const sent = await stranger().put(`${panel.server.url}/inbox`, { "one &lt;.txt": "1" }, "<b>Anna");
  expect(sent.status).toBeLessThan(400);
  const received = form(page).getByRole("listitem");
  await received.filter({ hasText: "one &lt;.txt" }).filter({ hasText: "<b>Anna" }).waitFor();
  await form(page).getByText("1 of 2 files").waitFor();
  await expectAccessibleInAllLooks(page, "received files");
  await page.keyboard.press("Escape");
  await form(page).waitFor({ state: "detached" });
  await page.getByRole("row").filter({ hasText: "1 of 2 files" }).waitFor();
  await expectAccessibleInAllLooks(page, "shares");
  await page.getByRole("button", { name: "Actions for inbox" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await form(page).getByLabel("Max. files").waitFor();
  await expectAccessibleInAllLooks(page, "the dialog");
  await page.keyboard.press("Escape");
  await form(page).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Actions for inbox" }).click();
  await page.getByRole("menuitem", { name: "Close the drop box" }).click();
  await form(page).getByText("This can't be undone.").waitFor();
  await expectAccessible(page, "the question before a box is closed");
  expect(complaints).toEqual([]);
  await close();
});

once("files to share stand in natural order whatever their case, and are found in all folders", async () => {
  for (const name of ["page 10.txt", "Page 2.txt"]) await drive.upload(name, name, { type: "text/plain" });
  const deep = await drive.folder("Deep");
  await drive.upload("hidden plan.txt", "plan", { type: "text/plain", folder: String(deep) });
  const { page, complaints, close } = await panel.enter("/panel/shares", {
    size: { width: 1280, height: 600 },
  });
  await page.getByRole("button", { name: "New share" }).first().click();
  const choices = form(page).getByRole("group", { name: "File" });
  await choices.getByRole("button", { name: "page 10.txt" }).waitFor();
  const names = (await choices.getByRole("button", { name: /page \d+/i }).allTextContents()).join();
  expect(names).toBe("Page 2.txt,page 10.txt");
  const search = choices.getByLabel("Search all folders");
  await search.fill("nothing of this name");
  await choices.getByText("Nothing is found.").waitFor();
  await search.fill("hidden");
  await choices.getByRole("button", { name: "hidden plan.txt" }).click();
  await form(page).getByText("hidden plan.txt").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

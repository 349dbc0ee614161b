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

/** Of a new share, or of one. */
const form = (page: Page) => page.getByRole("main");
const dialog = (page: Page) => page.getByRole("dialog");
const section = (page: Page, name: string) => form(page).getByRole("button", { name });
/** On its page, once it is there. */
const madeAddress = async (page: Page): Promise<string> => {
  await form(page)
    .getByRole("img", { name: /QR code/ })
    .waitFor();
  return (await form(page).locator("a[href^=http]").first().getAttribute("href"))!;
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
    await focused(form(page).getByRole("button", { name: "Choose files" }));
    await form(page).getByText("Files", { exact: true }).click();
    await first(page).waitFor();
    // Users need a password.
    await form(page)
      .getByRole("button", { name: "Limits", expanded: account === "ute" })
      .waitFor();
    expect(complaints).toEqual([]);
    await close();
  }
});

story("one page shares a file with a password, and opens a drop box", async () => {
  const { page, complaints, close } = await panel.enter("/panel/files");
  await shareFrom(page, "<img src=x onerror=alert(1)>.txt");
  // What is said of the code moves nothing.
  const below = async () => (await section(page, "Limits").boundingBox())!.y;
  const before = await below();
  await form(page).getByLabel("Code", { exact: true }).fill("for anna");
  await form(page).getByText("A code has letters").waitFor();
  expect(await below()).toBe(before);
  await form(page).getByLabel("Code", { exact: true }).fill("for/anna");
  await form(page).getByText("This code is available.").waitFor();
  expect(await below()).toBe(before);
  await section(page, "Limits").getByText(/Until/).waitFor();
  await section(page, "Limits").click();
  await form(page).locator("label", { hasText: "Ask for a password" }).click();
  await form(page).getByLabel("Password", { exact: true }).fill("a good password");
  await form(page).getByLabel("Max. downloads").fill("3");
  await form(page).getByRole("button", { name: "Share" }).click();
  const address = await madeAddress(page);
  expect(address).toEndWith("/for/anna");
  await focused(form(page).getByRole("button", { name: "Copy" }));
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
  await page.goto(`${panel.origin}/panel/shares`);
  await page.getByRole("link", { name: "New drop box" }).click();
  await form(page).getByRole("radio", { name: "Drop box", checked: true }).waitFor({ state: "attached" });
  await page.goto(`${panel.origin}/panel/files`);
  await shareFrom(page, "<b>Reports");
  await form(page).getByText("Drop box").click();
  await form(page).getByLabel("Code", { exact: true }).fill("for/anna");
  await form(page).getByText("Another link has this code.").waitFor();
  await form(page).getByLabel("Code", { exact: true }).fill("inbox");
  await form(page).getByLabel("Title").fill("Hand in here");
  await section(page, "Limits").getByText("100 files").waitFor();
  await section(page, "Limits").click();
  await form(page)
    .getByText(/^Until Friday/)
    .last()
    .click();
  await form(page).getByLabel("Max. files").fill("2");
  await form(page).getByRole("combobox", { name: "Senders give" }).click();
  await page.getByRole("option", { name: "Their e-mail address" }).click();
  await form(page).getByLabel("File types").fill("PDF, image/*");
  await form(page).locator("label", { hasText: "A folder for each sender" }).click();
  await form(page).getByRole("button", { name: "Create" }).click();
  const box = await madeAddress(page);
  expect(await stranger().page(box)).toContain("Hand in here");
  const [drop] = (await drive.call("GET", `/folders/${reports}/drop`)).body.data;
  expect(drop).toMatchObject({
    code: "inbox",
    max_files: 2,
    max_bytes: 1_000_000_000,
    max_file_size: null,
    require: "email",
    sender_folders: true,
    types: [".pdf", "image/*"],
  });
  const days = (Date.parse(drop.expires_at) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(7);
  expect(days).toBeLessThan(15);
  expect(complaints).toEqual([]);
  await close();
});

once("a token is bound to a folder that a search finds, and the list says so", async () => {
  const inner = await drive.folder("Scans of invoices", reports);
  const { page, complaints, close } = await panel.enter("/panel/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  await dialog(page).getByLabel("Name", { exact: true }).fill("scanner");
  expect(await dialog(page).getByRole("combobox", { name: "Folder" }).count()).toBe(0);
  await dialog(page).getByLabel("files:write").check();
  await dialog(page).getByRole("combobox", { name: "Folder" }).fill("invoices");
  await page.getByRole("option", { name: "<b>Reports / Scans of invoices" }).click();
  await dialog(page).getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: /^Only .*Scans of invoices$/ }).waitFor();
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
  const more = page.getByRole("button", { name: "Actions for flyer", disabled: false });
  await more.press("Enter");
  await page.getByRole("menuitem", { name: "Change what it leads to" }).press("Enter");
  await form(page).getByRole("radio", { name: "URL" }).press("ArrowRight");
  const file = form(page).getByRole("button", { name: "<img src=x onerror=alert(1)>.txt" });
  await file.press("Enter");
  await focused(form(page).getByRole("button", { name: "Choose another" }));
  await form(page).getByLabel("Message").fill("For you");
  await section(page, "Limits").press("Enter");
  await form(page).getByLabel("Max. downloads").focus();
  await page.keyboard.type("5");
  await press("Enter");
  await page.waitForURL(/\/panel\/share\/flyer$/);
  expect((await drive.call("GET", "/shares/flyer")).body.data.message).toBe("For you");
  expect(await (await fetch(`${panel.server.url}/flyer`)).text()).toBe("for one's eyes");
  await page.goto(`${panel.origin}/panel/shares?q=flyer`);

  const row = page.getByRole("row").filter({ hasText: "/flyer" });
  await row.getByText("4 of 5 downloads left").last().waitFor();
  const name = row.getByRole("link", { name: "<img src=x onerror=alert(1)>.txt" });
  expect(await name.getAttribute("href")).toBe("/panel/share/flyer");
  // The row opens as a whole, and its menu by the right button.
  await row.getByRole("cell").nth(2).click({ button: "right" });
  await page.getByRole("menuitem", { name: "End the share" }).waitFor();
  await press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await row.getByRole("cell").nth(2).click();
  await form(page).getByLabel("Title").fill("The flyer");
  await press("Enter");
  await page.getByRole("heading", { name: "The flyer", level: 1 }).waitFor();
  expect((await drive.call("GET", "/shares/flyer")).body.data).toMatchObject({
    title: "The flyer",
    max_downloads: 5,
    expires_at: null,
  });

  await form(page).getByRole("button", { name: "Change what it leads to" }).press("Enter");
  await form(page).getByRole("radio", { name: "File" }).press("ArrowLeft");
  await form(page).getByLabel("Target").fill("https://example.com/again");
  await press("Enter");
  await page.getByText("flyer redirects now.").waitFor();
  await page.waitForURL(/\/panel\/link\/flyer$/);
  const answer = await fetch(`${panel.server.url}/flyer`, { redirect: "manual" });
  expect(answer.headers.get("location")).toBe("https://example.com/again");
  const share = { kind: "file", title: "The flyer", max_downloads: 5, expires_at: null };
  const served = async () => (await drive.call("GET", "/shares/flyer")).body.data;
  await undo(page, "flyer redirects now.");
  await soon(async () => expect((await drive.call("GET", "/shares/flyer")).status).toBe(200));
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
  await page.waitForURL(/\/link\/flyer$/);
  const settings = page.getByRole("region", { name: "Settings of the link" });
  await focused(settings.getByRole("textbox", { name: "Title" }));
  await press("Escape");
  await settings.getByText("A shared file").waitFor();
  for (const group of ["Schedule and limits", "Protection"]) {
    await settings.getByRole("button", { name: group, expanded: false }).click();
  }
  await settings.getByLabel("Edit: Password").waitFor();
  for (const field of ["Target", "Redirect", "Fallback", "Max. visitors"]) {
    expect([field, await settings.getByLabel(`Edit: ${field}`).count()]).toEqual([field, 0]);
  }
  await openTab(page, "History");
  const history = page.getByRole("region", { name: "History" });
  await history.getByRole("button", { name: "Undo" }).click();
  await page.getByText("The newest change is undone.").waitFor();
  expect((await panel.client.call("GET", "/links/flyer")).body.data.target).toBe("https://example.com/again");
  await undo(page, "The newest change is undone.");
  await soon(async () => expect(await served()).toMatchObject(share));
  await openTab(page, "Link");
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
  await form(page).getByRole("button", { name: "Choose “<\u2060b>Reports”" }).click();
  await form(page).getByLabel("Code", { exact: true }).fill("ended-soon");
  await form(page).getByRole("button", { name: "Share" }).click();
  const address = await madeAddress(page);
  expect((await fetch(address, { headers: HTML })).status).toBe(200);
  await page.goto(`${panel.origin}/panel/shares`);
  await page.getByRole("button", { name: "Actions for ended-soon" }).click();
  await page.getByRole("menuitem", { name: "End the share" }).click();
  await dialog(page).getByRole("button", { name: "End the share" }).click();
  await page.getByRole("row").filter({ hasText: "/ended-soon" }).waitFor({ state: "detached" });
  await soon(async () => expect((await fetch(address, { headers: HTML })).status).toBe(404));
  expect(complaints).toEqual([]);
  await close();
});

story("what strangers send shows as it comes; axe finds nothing", async () => {
  const asks = { drop: { folder_id: reports, max_bytes: 1e9, max_files: 2, require: "none", types: [] } };
  expect((await drive.call("PATCH", "/shares/inbox", asks)).status).toBe(200);
  const { page, complaints, close } = await panel.enter("/panel/share/inbox");
  await page.getByText("Nothing has come yet.").waitFor();
  await page.locator("nav[aria-label=Pages] [aria-current][href='/panel/shares']").waitFor();
  const visitor = stranger();
  await visitor.page(`${panel.server.url}/inbox`);
  const sent = await visitor.put(`${panel.server.url}/inbox`, { "one &lt;.txt": "1" }, "<b>Anna");
  expect(sent.status).toBeLessThan(400);
  const happened = form(page).getByRole("listitem");
  await happened.filter({ hasText: "<b>Anna sent one &lt;.txt" }).waitFor();
  await form(page).getByText("1 of 2 files").waitFor();
  await expectAccessibleInAllLooks(page, "the page of a drop box");
  await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Shares" }).click();
  await page.getByRole("row").filter({ hasText: "1 of 2 files" }).waitFor();
  await expectAccessibleInAllLooks(page, "shares");
  await page.getByRole("button", { name: "Actions for inbox" }).click();
  await page.getByRole("menuitem", { name: "Close the drop box" }).click();
  await dialog(page).getByText("This can't be undone.").waitFor();
  await expectAccessible(page, "the question before a box is closed");
  expect(complaints).toEqual([]);
  await close();
});

once("a place for the files of others needs no folder", async () => {
  const { page, complaints, close } = await panel.enter("/panel/shares/new");
  await form(page).getByText("Drop box").click();
  await form(page).getByText("A new folder takes them.").waitFor();
  await form(page).getByLabel("Title").fill("Photos of the party");
  await form(page).getByRole("button", { name: "Create" }).click();
  const box = await madeAddress(page);
  await form(page).getByRole("link", { name: "Photos of the party", exact: true }).waitFor();
  expect(await stranger().page(box)).toContain("Photos of the party");
  expect(complaints).toEqual([]);
  await close();
});

once("a share without a folder says so where one is chosen, and a folder is made there", async () => {
  const size = { width: 390, height: 800 };
  const { page, context, complaints, close } = await panel.enter("/panel/shares/new", { size });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await form(page).getByText("Files", { exact: true }).click();
  const choice = form(page).locator("label", { hasText: /^Files$/ });
  expect((await choice.boundingBox())!.height).toBeGreaterThanOrEqual(36);
  await form(page).getByRole("button", { name: "<img src=x onerror=alert(1)>.txt" }).click();
  // A file is no place for the files of others.
  await form(page).getByText("Drop box").click();
  await form(page).getByText("A new folder takes them.").waitFor();
  await form(page).getByText("Folder", { exact: true }).first().click();
  // A choice alone is no draft.
  await page.reload();
  await form(page).getByText("Folder", { exact: true }).first().click();
  expect(await form(page).getByText("What you typed before").count()).toBe(0);
  await form(page).getByRole("button", { name: "Share" }).click();
  await focused(form(page).getByRole("group", { name: "Folder" }));
  await form(page).getByRole("alert").filter({ hasText: "Choose a folder." }).waitFor();
  await form(page).getByRole("button", { name: "New folder" }).click();
  await focused(form(page).getByRole("textbox", { name: "New folder" }));
  await page.keyboard.type("Made here");
  await expectAccessible(page, "the field of a new folder");
  await page.keyboard.press("Enter");
  await focused(form(page).getByRole("button", { name: "Choose another" }));
  await section(page, "Limits").click();
  await form(page).getByText("At a date").click();
  expect(await form(page).getByLabel("Date and time of expiry").inputValue()).toEndWith("T23:59");
  await form(page).getByRole("button", { name: "Share" }).click();
  await page.getByText("Created, short URL copied.").waitFor();
  await page.getByRole("heading", { name: "Made here", level: 1 }).waitFor();
  await form(page)
    .getByText(/^Ends on [^:]+$/)
    .waitFor();
  // What one came to see stands before the fields.
  const [happened, title] = await Promise.all(
    [form(page).getByText("What happened"), form(page).getByLabel("Title")].map((part) => part.boundingBox()),
  );
  expect(happened!.y).toBeLessThan(title!.y);
  expect(complaints).toEqual([]);
  await close();
});

once(
  "shared entries have a badge with their shares, and names are asked before trash and replacement",
  async () => {
    const id = (await drive.upload("offer.txt", "offer", { type: "text/plain" })).body.data.id;
    const more = { title: "Offer for Anna" };
    expect((await drive.call("POST", `/files/${id}/share`, more)).status).toBe(201);
    const { page, complaints, close } = await panel.enter("/panel/files");
    await page.getByRole("button", { name: "offer.txt is shared" }).click();
    await page.getByRole("link", { name: "Offer for Anna" }).waitFor();
    await page.keyboard.press("Escape");
    const trash = async () => {
      await page.getByRole("button", { name: "Actions for offer.txt" }).click();
      await page.getByRole("menuitem", { name: "Move to the trash" }).click();
      await dialog(page).getByRole("link", { name: "Offer for Anna" }).waitFor();
    };
    await trash();
    await expectAccessible(page, "the question before the trash");
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByRole("menuitem", { name: "Files" }).click();
    await (await chooser).setFiles({ name: "offer.txt", mimeType: "text/plain", buffer: Buffer.from("new") });
    await dialog(page).getByText("Visitors of these shares get the new content:").waitFor();
    await dialog(page).getByRole("link", { name: "Offer for Anna" }).waitFor();
    await dialog(page).getByRole("button", { name: "Skip them" }).click();
    await trash();
    await dialog(page).getByRole("button", { name: "Move to the trash" }).click();
    await page.getByText("offer.txt is in the trash.").waitFor();
    expect(complaints).toEqual([]);
    await close();
  },
);

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

once(
  "on a phone a shared folder is one column with a download for each file; arrows lead from picture to picture",
  async () => {
    const folder = await drive.folder("Pictures");
    for (const name of ["1.png", "2.png", "3.png"])
      await drive.upload(name, new Uint8Array(PIXEL), { folder: `${folder}`, type: "image/png" });
    const share = (await drive.call("POST", `/folders/${folder}/share`, {})).body.data;
    const { page, close } = await panel.open("/panel/", { size: { width: 390, height: 800 } });
    await page.goto(share.short_url);
    const entries = page.locator("li .entry");
    await entries.nth(2).waitFor();
    const lefts = await entries.evaluateAll((all) =>
      all.map((one) => Math.round(one.getBoundingClientRect().left)),
    );
    expect(new Set(lefts).size).toBe(1);
    expect(await page.getByRole("link", { name: /^Download: \d.png$/ }).count()).toBe(3);
    await page.getByText(/^3 files\s· \d+/).waitFor();
    await entries.first().click();
    await page.getByRole("heading", { name: "1.png" }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("heading", { name: "2.png" }).waitFor();
    await page.getByText("2 of 3").waitFor();
    await page.getByRole("link", { name: "Next" }).click();
    await page.getByRole("heading", { name: "3.png" }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("heading", { name: "2.png" }).waitFor();
    await close();
  },
);

once(
  "a drop box says to whom files go, lists what is chosen with sizes and a cross, and has its limits after the form",
  async () => {
    const folder = await drive.folder("Hand in");
    const limits = { max_files: 5, max_bytes: 1_000_000 };
    const box = (await drive.call("POST", `/folders/${folder}/drop`, limits)).body.data;
    const { page, close } = await panel.open("/panel/", { size: { width: 390, height: 800 } });
    await page.goto(box.short_url);
    await page.getByText("Your files go to the owner of this page.").waitFor();
    const choice = { mimeType: "text/plain", buffer: Buffer.from("12345") };
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles([
        { name: "a.txt", ...choice },
        { name: "b.txt", ...choice },
      ]);
    await page.getByRole("listitem").filter({ hasText: "a.txt" }).getByText("5 bytes").waitFor();
    await page.getByRole("button", { name: "Remove b.txt" }).click();
    const place = async (text: string) =>
      (await page.getByText(text, { exact: true }).first().boundingBox())!.y;
    expect(await place("Send")).toBeLessThan(await place("Files left"));
    await expectAccessible(page, "a drop box");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.waitForURL(/\?sent=1$/);
    await page.getByRole("listitem").filter({ hasText: "a.txt" }).first().waitFor();
    await close();
  },
);

once("the list shows QR codes, and a share's link leads to the choice of what it serves", async () => {
  await drive.call("POST", `/folders/${reports}/share`, { code: "drawn" });
  const { page, complaints } = await panel.enter("/panel/shares");
  await page.getByRole("button", { name: "Actions for drawn" }).click();
  await page.getByRole("menuitem", { name: "QR code" }).click();
  await dialog(page).getByRole("img", { name: "QR code of drawn" }).waitFor();
  await dialog(page).getByRole("button", { name: "Design and print…" }).waitFor();
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "hidden" });
  await page.goto(new URL("/panel/link/drawn", page.url()).href);
  await page.getByRole("button", { name: "Actions for drawn" }).click();
  await page.getByRole("menuitem", { name: "Change what it leads to" }).click();
  await form(page).getByRole("radiogroup", { name: "What to share" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/panel/share/drawn");
  expect(complaints).toEqual([]);
});

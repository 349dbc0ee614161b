/** Undo, when much has happened since: it takes back what it says, or says why it does not. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { press } from "../support/keyboard.ts";
import { once, openTab, signInToPanel, startPanel, story, undo } from "../support/panel.ts";
import { PASSWORD } from "../support/session.ts";
import { soon } from "../support/until.ts";

const AWAY = { status: 503, json: { code: 1030, error: "ServiceUnavailable", message: "Away for now." } };
const OTHERS = Array.from({ length: 60 }, (_, at) => `other-${at}`);

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  const links = [...OTHERS, "mine", "a1", "a2", "a3"].map((code) => ({
    code,
    target: `https://example.com/${code}`,
  }));
  await panel.client.call("POST", "/links/batch", { links });
  await panel.client.call("POST", "/users", { username: "ed", password: PASSWORD, role: "editor" });
});
afterAll(() => panel.stop());

const rowOf = (page: Page, code: string) => page.getByRole("row").filter({ hasText: code });
const link = async (code: string) => (await panel.client.call("GET", `/links/${code}`)).body.data;

/** A busy machine takes longer than ten seconds for what stands between a notice and its button: here it stays. */
const keepNotices = (page: Page) =>
  page.evaluate(() => {
    const real = window.setTimeout;
    const kept = (run: () => void, ms?: number) => (ms === 10_000 ? 0 : real(run, ms));
    window.setTimeout = kept as typeof setTimeout;
  });

async function openList(q: string) {
  const opened = await panel.enter(`/panel/links?sort=code&q=${q}`);
  await keepNotices(opened.page);
  await rowOf(opened.page, q).first().waitFor();
  return opened;
}

async function remove(page: Page, code: string): Promise<void> {
  await rowOf(page, code).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText(`${code} is deleted.`).waitFor();
}

async function retitle(page: Page, code: string, title: string): Promise<void> {
  await rowOf(page, code).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Edit here" }).click();
  await page
    .getByRole("form", { name: `Edit ${code}` })
    .getByLabel("Title")
    .fill(title);
  await press(page, "Enter");
  await page.getByText(`${code} is saved.`).waitFor();
}

story("a deleted link comes back however many were deleted after it, and only that one", async () => {
  const { page, close } = await openList("mine");
  await remove(page, "mine");
  await panel.client.call("DELETE", "/links/batch", { codes: OTHERS });
  await undo(page, "mine is deleted.");
  await rowOf(page, "mine").waitFor();

  // Another link that had the code meanwhile is deleted too: it stays so.
  await remove(page, "mine");
  const { id } = (await panel.client.call("GET", "/links/deleted?search=mine")).body.data[0];
  await panel.client.call("POST", "/links", { code: "mine", target: "https://example.com/another" });
  await panel.client.call("DELETE", "/links/mine");
  await panel.client.call("POST", `/links/deleted/${id}/restore`, { code: "mine-again" });
  await press(page, "Control+z");
  await page.getByRole("alert").getByText("mine is not among the deleted links any more.").waitFor();
  expect((await panel.client.call("GET", "/links/mine")).status).toBe(404);
  await close();
});

once("an undo that met a busy server can be tried again", async () => {
  const { page, context, close } = await openList("a1");
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: panel.origin });
  await remove(page, "a1");
  await page.route(/\/restore$/, (route) => route.fulfill(AWAY));
  await press(page, "Control+z");
  await page.getByText("Away for now.").waitFor();
  await page.unroute(/\/restore$/);
  await undo(page, "a1 is deleted.");
  await rowOf(page, "a1").waitFor();

  await page.evaluate(() => navigator.clipboard.writeText("https://example.com/undone"));
  await page.getByRole("grid").focus();
  await press(page, "Control+v");
  await page.getByText("Link created, short URL copied.").waitFor();
  const made = async () => (await panel.client.call("GET", "/links?search=undone")).body.data;
  expect(await made()).toHaveLength(1);
  await page.route(/\/links\/\w+$/, (route) => route.fulfill(AWAY));
  await undo(page, "Link created, short URL copied.");
  await soon(async () => expect(await page.getByText("Away for now.").count()).toBe(2));
  await page.unroute(/\/links\/\w+$/);
  await undo(page, "Link created, short URL copied.");
  await soon(async () => expect(await made()).toHaveLength(0));
  await close();
});

once("files that could not be put back are offered again", async () => {
  const upload = new FormData();
  upload.append("file", new File(["text"], "kept.txt"));
  const headers = { Authorization: `Bearer ${panel.client.token}` };
  await fetch(`${panel.server.url}/files/upload`, { method: "POST", headers, body: upload });
  const { page, close } = await panel.enter("/panel/files");
  await keepNotices(page);
  const row = rowOf(page, "kept.txt");
  await row.click();
  await press(page, "Delete");
  await page.getByText("kept.txt is in the trash.").waitFor();
  await page.route(/\/restore$/, (route) => route.fulfill(AWAY));
  await press(page, "Control+z");
  await page.getByText("Away for now.").waitFor();
  await page.unroute(/\/restore$/);
  await undo(page, "kept.txt is in the trash.");
  await row.waitFor();
  await close();
});

story("what somebody else has changed since stays, and undo says so", async () => {
  const { page, close } = await openList("a2");
  await retitle(page, "a2", "mine");
  await panel.client.call("PATCH", "/links/a2", { title: "theirs" });
  await press(page, "Control+z");
  await page.getByText("a2 was changed since; it stays as it is.").waitFor();
  expect(await link("a2")).toMatchObject({ title: "theirs" });

  await rowOf(page, "a2").getByRole("link").click();
  await openTab(page, "History");
  await page.getByRole("button", { name: "Go back to this" }).first().click();
  await page.getByText("The link is as it was on").waitFor();
  expect(await link("a2")).toMatchObject({ title: "mine" });
  await panel.client.call("PATCH", "/links/a2", { title: "theirs again" });
  await page.keyboard.press("Control+z");
  await page.getByText("a2 was changed since; it stays as it is.").nth(1).waitFor();
  expect(await link("a2")).toMatchObject({ title: "theirs again" });
  await panel.client.call("PATCH", "/links/a2", { title: "mine" });
  await close();
});

once("the next account sees no notice of the previous one, and undoes nothing", async () => {
  const { page, close } = await openList("a3");
  await retitle(page, "a3", "the administrator's");
  await page.getByRole("button", { name: /Account menu/ }).click();
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
  await page.getByLabel("Username or e-mail address").waitFor();
  await page.getByText("a3 is saved.").waitFor({ state: "detached", timeout: 3_000 });
  await signInToPanel(page, PASSWORD, "ed");
  const writes: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") writes.push(request.url());
  });
  await page.locator("#content").focus();
  await press(page, "Control+z", "n");
  await page.getByRole("region", { name: "New link" }).waitFor();
  expect(writes).toEqual([]);
  expect(await link("a3")).toMatchObject({ title: "the administrator's" });
  await close();
});

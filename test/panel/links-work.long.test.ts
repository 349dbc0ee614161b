/** Selecting, editing and deleting in the list of links, by keyboard, with undo. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { expectAccessible, focused, once, signInToPanel, startPanel, story, undo } from "../support/panel.ts";
import { signIn } from "../support/session.ts";
import { soon } from "../support/until.ts";

const COUNT = 120;
const FAILING = { status: 500, json: { code: 1001, message: "The undo met a failure.", data: null } };
const EDITOR_PASSWORD = "an editor's password";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  const links = Array.from({ length: COUNT }, (_, at) => ({
    code: `c${String(at).padStart(3, "0")}`,
    target: `https://example.com/${at}`,
    tags: at % 3 === 0 ? ["old", "third"] : ["old"],
    expires_at: at % 2 === 0 ? "2099-01-01T00:00:00Z" : null,
  }));
  await panel.client.call("POST", "/links/batch", { links });
  const editor = { username: "ed", password: EDITOR_PASSWORD, role: "editor" };
  expect((await panel.client.call("POST", "/users", editor)).status).toBe(201);
  const own = await signIn(panel.server.url, EDITOR_PASSWORD, "ed");
  await own.call("POST", "/links", { code: "own", target: "https://example.com/own" });
});
afterAll(() => panel.stop());

const rowOf = (page: Page, code: string) => page.getByRole("row").filter({ hasText: code });
const linkOf = async (code: string) => (await panel.client.call("GET", `/links/${code}`)).body.data;
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const totalOf = async (query = ""): Promise<number> =>
  (await panel.client.call("GET", `/links${query}`)).body.pagination!.total;

once("a link is edited in its row; a refusal keeps what was typed", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links?sort=code");
  await rowOf(page, "c000").waitFor();
  await press(page, "j", "j", "F2");
  const form = page.getByRole("form", { name: "Edit c001" });
  await form.getByLabel("Target").fill("no address");
  await form.getByLabel("Title").fill("<b>Spring</b>");
  await press(page, "Enter");
  await form.getByText(/http/).waitFor();
  expect(await form.getByLabel("Title").inputValue()).toBe("<b>Spring</b>");
  await form.getByLabel("Target").fill("https://example.com/changed");
  await form.getByLabel("Tags").fill("fresh");
  await press(page, "Enter");
  await form.getByLabel("Expires").fill("2098-05-01T10:30");
  await press(page, "Enter");
  await rowOf(page, "c001").getByText("<b>Spring</b>").waitFor();
  expect(await linkOf("c001")).toMatchObject({
    target: "https://example.com/changed",
    title: "<b>Spring</b>",
    tags: ["fresh", "old"],
    expires_at: expect.stringContaining("2098-05-01T"),
  });
  // The list has the keys again, and takes the edit back.
  await undo(page, "c001 is saved.");
  await rowOf(page, "c001").getByText("example.com/1").waitFor();
  expect(await linkOf("c001")).toMatchObject({ title: null, tags: ["old"], expires_at: null });
  await page.getByRole("grid").focus();
  // So is a change on its page, which opens at the target.
  await press(page, "e");
  const target = page.getByRole("textbox", { name: "Target" });
  await focused(target);
  await target.fill("https://example.com/on-its-page");
  await press(page, "Enter");
  await target.waitFor({ state: "detached" });
  await page.goBack();
  const changed = rowOf(page, "c001").getByText("example.com/on-its-page");
  await changed.waitFor();
  await press(page, "Control+z");
  await changed.waitFor({ state: "detached" });
  expect(await linkOf("c001")).toMatchObject({ target: "https://example.com/1" });
  await press(page, "j", "j", "F2");
  await form.getByLabel("Title").fill("taken back");
  await press(page, "Escape");
  await form.waitFor({ state: "detached" });
  expect(await linkOf("c001")).toMatchObject({ title: null });
  expect(complaints).toEqual([
    "Failed to load resource: the server responded with a status of 400 (Bad Request)",
  ]);
  await close();
});

once("a range selected by keys is changed, deleted, and both are taken back", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links?sort=code");
  await rowOf(page, "c000").waitFor();
  await press(page, "j", "j", "j", "x", "Shift+ArrowDown", "Shift+J");
  await page.getByText("3 selected").waitFor();
  const bar = page.getByRole("region", { name: "Selection" });
  await bar.getByRole("button", { name: "Edit" }).focus();
  await press(page, "Enter");
  const form = page.getByRole("dialog");
  // By somebody else, whom the list does not know of.
  await panel.client.call("PATCH", "/links/c002", { add_tags: ["theirs"] });
  await form.getByLabel("Add tags").fill("bulk");
  await press(page, "Enter");
  await form.getByLabel("Remove tags").fill("old");
  // The offered tags cover what is below them until the field is left.
  await press(page, "Enter", "Tab");
  await form.getByText("Never").click();
  await expectAccessible(page, "bulk edit");
  await form.getByRole("button", { name: "Change" }).click();
  await page.getByText("3 links are changed.").waitFor();
  expect(await linkOf("c002")).toMatchObject({ tags: ["bulk", "theirs"], expires_at: null });
  expect(await linkOf("c003")).toMatchObject({ tags: ["bulk", "third"] });
  await page.route(/\/bulk-changes\/.*\/undo$/, (route) => route.fulfill(FAILING));
  await undo(page, "3 links are changed.");
  await page.getByText(FAILING.json.message).waitFor();
  await page.unroute(/\/bulk-changes\/.*\/undo$/);
  await page.goto(`${panel.origin}/panel/links/changes`);
  await page.getByRole("button", { name: "Undo: c002" }).click();
  await page.getByText("Undone by admin").waitFor();
  await soon(async () => {
    expect(await linkOf("c002")).toMatchObject({
      tags: ["old", "theirs"],
      expires_at: expect.stringContaining("2099"),
    });
    for (const code of ["c003", "c004"]) expect((await linkOf(code)).tags).toContain("old");
  });
  await page.goto(`${panel.origin}/panel/links?sort=code`);
  await rowOf(page, "c000").waitFor();
  await press(page, "j", "j", "j", "x", "Shift+ArrowDown", "Shift+J");
  await page.getByText("3 selected").waitFor();
  await page.getByRole("grid").focus();
  await press(page, "Delete");
  await page.getByText("3 links are deleted.").waitFor();
  await rowOf(page, "c003").waitFor({ state: "detached" });
  expect((await panel.client.call("GET", "/links/c003")).status).toBe(404);
  await panel.client.call("POST", "/links", { code: "c003", target: "https://example.com/taken" });
  await undo(page, "3 links are deleted.");
  await page.getByText('1 link stays deleted. The code "c003" has been taken').waitFor();
  await rowOf(page, "c002").waitFor();
  await rowOf(page, "c004").waitFor();
  await panel.client.call("DELETE", "/links/c003");
  const [, old] = (await panel.client.call("GET", "/links/deleted?search=c003")).body.data;
  await panel.client.call("POST", `/links/deleted/${old.id}/restore`, {});
  expect(await linkOf("c003")).toMatchObject({ tags: ["old", "third"] });
  expect(complaints.filter((text) => !/status of (?:409|500)/.test(text))).toEqual([]);
  await close();
});

once("a link that is deleted in its row is no longer selected", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links?sort=code");
  await rowOf(page, "c000").waitFor();
  await press(page, "j", "x", "Shift+ArrowDown");
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Actions for c001" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText("1 selected").waitFor();
  await undo(page, "c001 is deleted.");
  await rowOf(page, "c001").waitFor();
  await page.getByText("1 selected").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

story("a change of selected links goes on after a reload, and is undone as a whole", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links?sort=code");
  await rowOf(page, "c000").waitFor();
  const count = COUNT + 1;
  // The end of the list is known.
  await page.getByText(`${count} links`).waitFor();
  await press(page, "j", "x", "Shift+End");
  await page.getByText(`${count} selected`).waitFor();
  let calls = 0;
  await page.route(/\/batch\/query$/, (route) => (++calls === 2 ? undefined : route.continue()));
  const work = page.getByRole("region", { name: "Selection" });
  await work.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Add tags").fill("chosen");
  await press(page, "Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
  await soon(async () => expect(calls).toBe(2));
  expect(await totalOf("?tag=chosen")).toBe(1);
  // Before the route is off, which would let the held call go.
  await page.reload();
  await page.unroute(/\/batch\/query$/);
  await page.getByText(`${count} links are changed.`).waitFor();
  expect(await totalOf("?tag=chosen")).toBe(count);
  await undo(page, `${count} links are changed.`);
  await soon(async () => expect(await totalOf("?tag=chosen")).toBe(0));

  // The server does it, and the answer is lost.
  await work.waitFor({ state: "detached" });
  const lost = Promise.withResolvers<void>();
  calls = 0;
  await page.route(/\/batch\/query$/, async (route) => {
    if (++calls !== 2) return route.continue();
    await route.fetch();
    lost.resolve();
  });
  await page.getByRole("grid").focus();
  await press(page, "Home", "x", "Shift+End");
  await page.getByText(`${count} selected`).waitFor();
  await press(page, "Delete");
  await lost.promise;
  expect(await totalOf()).toBe(0);
  // Before the route is off, which would let the held call go.
  await page.reload();
  await page.unroute(/\/batch\/query$/);
  await undo(page, `${count} links are deleted.`);
  await soon(async () => expect(await totalOf()).toBe(count));
  expect(complaints).toEqual([]);
  await close();
});

story("all that a filter finds is counted, changed and deleted, and comes back", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links?sort=code&tag=%5B%22third%22%5D");
  await page.getByText("40 links").waitFor();
  // Where the focus is when the filters close.
  await page.getByRole("button", { name: /^Filter/ }).focus();
  await press(page, "Control+a");
  await page.getByText("40 selected").waitFor();
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Add tags").fill("found");
  await press(page, "Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
  await page.getByText("40 links are changed.").waitFor();
  expect(await totalOf("?tag=found")).toBe(40);
  await undo(page, "40 links are changed.");
  await soon(async () => expect(await totalOf("?tag=found")).toBe(0));
  await page.getByText("40 selected").waitFor();

  await page.getByRole("grid").focus();
  await press(page, "Delete");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("40 links will be deleted.").waitFor();
  await expectAccessible(page, "delete what the list finds");
  await press(page, "Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await totalOf()).toBe(COUNT + 1);
  await press(page, "Delete");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("No link matches").waitFor();
  expect(await totalOf()).toBe(COUNT + 1 - 40);
  await undo(page, "40 links are deleted.");
  await page.getByText("40 links", { exact: true }).waitFor();
  await soon(async () => expect(await totalOf()).toBe(COUNT + 1));
  expect(complaints).toEqual([]);
  await close();
});

story("a change of all that is found goes on after a reload, and its undo without the tab", async () => {
  const many = 1_200;
  const links = Array.from({ length: many }, (_, at) => ({
    code: `many/${at}`,
    target: "https://example.com/",
    tags: ["many"],
  }));
  await panel.client.call("POST", "/links/batch", { links });
  const { page, complaints, close } = await panel.enter("/panel/links?tag=%5B%22many%22%5D");
  await page.getByText("1,200 links", { exact: true }).waitFor();
  const work = page.getByRole("region", { name: "Selection" });

  let calls = 0;
  await page.route(/\/batch\/query$/, (route) => (++calls === 3 ? undefined : route.continue()));
  await press(page, "Control+a");
  await work.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Add tags").fill("found");
  await press(page, "Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
  await work.getByText("1,001 / 1,200").waitFor();
  await soon(async () => expect(calls).toBe(3));
  expect(await totalOf("?tag=found")).toBe(1_001);
  // Before the route is off, which would let the held call go.
  await page.reload();
  await page.unroute(/\/batch\/query$/);
  await page.getByText("1,200 links are changed.").waitFor();
  expect(await totalOf("?tag=found")).toBe(many);

  const [left] = (await panel.client.call("GET", "/links?tag=found")).body.data;
  await panel.client.call("PATCH", `/links/${left.code}`, { remove_tags: ["found"] });
  // The server goes on when the tab is gone.
  const begun = page.waitForResponse(/\/bulk-changes\/.*\/undo$/);
  await undo(page, "1,200 links are changed.");
  await begun;
  await page.goto("about:blank");
  await soon(async () => expect(await totalOf("?tag=found")).toBe(0));
  await page.goto(`${panel.origin}/panel/links/changes`);
  await page.getByText("1,199 of 1,200 links are as before.").waitFor();
  await page.getByText("Tags: many → found, many").first().waitFor();
  await page.getByText(`"${left.code}" has been changed since`).waitFor();
  expect(await totalOf("?tag=found")).toBe(0);
  expect(complaints).toEqual([]);
  const all = { filter: { tag: "many" }, action: "delete" };
  await panel.client.call("POST", "/links/batch/query", all);
  await close();
});

story("an editor sees and selects own links only", async () => {
  const { page, complaints, close } = await panel.open("/panel/links?owner=999999");
  await signInToPanel(page, EDITOR_PASSWORD, "ed");
  await page.getByText("No link matches").waitFor();
  await page.getByRole("button", { name: "Show all links" }).click();
  await rowOf(page, "own").waitFor();
  await page.getByText("1 link", { exact: true }).waitFor();
  await press(page, "?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await press(page, "Escape");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor({ state: "detached" });
  await press(page, "Control+a", "Delete");
  await page.getByRole("dialog").getByText("1 link will be deleted.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("There are no links yet").waitFor();
  expect(await totalOf()).toBe(COUNT);
  await undo(page, "1 link is deleted.");
  await rowOf(page, "own").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once(
  "targets of found links get another host and a saved template, by a filter that is a saved view",
  async () => {
    for (const at of [1, 2, 3]) {
      const tags = at === 3 ? ["kept"] : [];
      await panel.client.call("POST", "/links", {
        code: `old-${at}`,
        target: `https://old.example/${at}`,
        tags,
      });
    }
    const { page, complaints, close } = await panel.enter("/panel/links?target=old.example");
    await page.getByText("3 links", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^Filter/ }).click();
    await page.getByRole("combobox", { name: "Has none of these tags" }).click();
    await page.getByRole("option", { name: "kept" }).click();
    await press(page, "Escape");
    await page.getByText("2 links", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByLabel("Name").fill("Old shop");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Old shop", exact: true }).waitFor();
    await press(page, "Escape");
    await page.getByRole("button", { name: "Clear all" }).click();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("button", { name: "Old shop", exact: true }).click();
    await page.getByText("2 links", { exact: true }).waitFor();

    await page.getByRole("button", { name: /^Filter/ }).focus();
    await press(page, "Control+a");
    await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Edit" }).click();
    const form = page.getByRole("dialog", { name: "Edit what is selected" });
    await form.getByRole("button", { name: "Replace in the target" }).click();
    await form.getByLabel("Text in the target").fill("old.example");
    await form.getByLabel("Replace with").fill("new.example");
    await form.getByText("2 of the selected targets have this text.").waitFor();
    await form.getByText(/^https:\/\/old\.example\/\d → https:\/\/new\.example\/\d$/).waitFor();
    await form.getByRole("button", { name: "Campaign parameters (UTM)" }).click();
    await form.getByLabel("Source").fill("newsletter");
    await form.getByRole("button", { name: "Templates" }).click();
    await page.getByLabel("Name").fill("Mail");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Mail", exact: true }).click();
    // To save a template is not to save the form below it.
    expect((await linkOf("old-1")).target).toBe("https://old.example/1");
    await form.getByRole("button", { name: "Change" }).click();
    const notice = page.getByRole("alert").filter({ hasText: "2 links are changed." });
    await notice.getByText("Target").waitFor();
    expect((await linkOf("old-1")).target).toBe("https://new.example/1?utm_source=newsletter");
    expect((await linkOf("old-3")).target).toBe("https://old.example/3");
    await undo(page, "2 links are changed.");
    await soon(async () => expect((await linkOf("old-1")).target).toBe("https://old.example/1"));
    await page.getByText("Undone: 2 links.").waitFor();
    expect(complaints).toEqual([]);
    await close();
  },
);

once("the list shows titles first, and loses columns instead of covering them", async () => {
  await panel.client.call("PATCH", "/links/c005", { title: "A title that leads" });
  const { page, close } = await panel.enter("/panel/links?q=c005");
  const cell = rowOf(page, "c005").locator("[data-cell=code]");
  await cell.getByText("A title that leads").waitFor();
  expect((await cell.innerText()).split("\n")).toEqual(["A title that leads", ",", "c005"]);
  for (const [width, gone] of [
    [1280, []],
    [1024, []],
    [820, ["created"]],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    const grid = page.getByRole("grid");
    await soon(async () => {
      const [inner, outer] = await grid.evaluate((element) => [element.scrollWidth, element.clientWidth]);
      expect([width, inner! <= outer!]).toEqual([width, true]);
    });
    for (const name of gone) expect(await page.locator(`[data-cell=${name}]`).count()).toBe(0);
  }
  await close();
});

once("selected links move to another domain as one change, and back", async () => {
  await panel.client.call("POST", "/domains", { host: "go.example.com" });
  for (const code of ["mover-1", "mover-2"]) {
    await panel.client.call("POST", "/links", { code, target: "https://example.com/" });
  }
  const { page, complaints, close } = await panel.enter("/panel/links?q=mover-");
  const patches: string[] = [];
  page.on("request", (request) => request.method() === "PATCH" && patches.push(request.url()));
  for (const code of ["mover-1", "mover-2"]) {
    await page.getByRole("row").filter({ hasText: code }).getByRole("checkbox").check();
  }
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByRole("combobox", { name: "Domain" }).click();
  await page.getByRole("option", { name: "go.example.com" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
  await page.getByRole("alert").filter({ hasText: "2 links are changed." }).waitFor();
  const statusOf = async (query: string) => (await panel.client.call("GET", `/links/mover-2${query}`)).status;
  expect([await statusOf("?domain=go.example.com"), await statusOf("")]).toEqual([200, 404]);
  await undo(page, "2 links are changed.");
  await soon(async () => expect(await statusOf("")).toBe(200));
  expect([patches, complaints]).toEqual([[], []]);
  await close();
});

/** Links in the panel by keyboard alone, with the focus back where it was. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/chromium.ts";
import { expectFocus, press, retype, signInByKeyboard, tabTo, waitInMenu } from "../support/keyboard.ts";
import { startPanel } from "../support/panel.ts";
import { soon, until } from "../support/until.ts";

const COUNT = 60;

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  const links = Array.from({ length: COUNT }, (_, at) => ({
    code: `c${String(at).padStart(3, "0")}`,
    target: `https://example.com/${at}`,
    tags: at % 3 === 0 ? ["third"] : [],
  }));
  await panel.client.call("POST", "/links/batch", { links });
});
afterAll(() => panel.stop());

const rowOf = (page: Page, code: string) => page.getByRole("row").filter({ hasText: code });
const linkOf = async (code: string) => (await panel.client.call("GET", `/links/${code}`)).body.data;
const statusOf = async (code: string) => (await panel.client.call("GET", `/links/${code}`)).status;

test.skipIf(!CHROMIUM)("a pasted URL is a link, copied, and taken back by the notice or Ctrl+Z", async () => {
  const { page, context, complaints, close } = await panel.open("/panel/events");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signInByKeyboard(page);
  await page.getByRole("table").waitFor();
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const pasted = async (target: string): Promise<string> => {
    await page.evaluate((text) => navigator.clipboard.writeText(text), target);
    await page.keyboard.press("Control+v");
    await until(async () => (await clipboard()) !== target);
    return new URL(await clipboard()).pathname.slice(1);
  };
  const first = await pasted("https://example.com/pasted/1");
  expect(await linkOf(first)).toMatchObject({ target: "https://example.com/pasted/1" });
  const opener = page.getByRole("button", { name: /Search or run/ });
  // The page begins in its content, before a long list.
  await tabTo(page, opener, "Shift+Tab");
  // The notices come last on the page, so backwards they come first.
  const undo = page.getByRole("button", { name: "Undo" });
  await tabTo(page, undo, "Shift+Tab");
  await press(page, "Enter");
  await until(async () => (await statusOf(first)) === 404);

  const second = await pasted("https://example.com/pasted/2");
  await tabTo(page, opener);
  await press(page, "Control+z");
  await until(async () => (await statusOf(second)) === 404);
  await expectFocus(page, opener, "Ctrl+Z");
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("the list is narrowed, left, come back to and reloaded by keyboard", async () => {
  const { page, complaints, close } = await panel.open("/panel/links?sort=code&order=asc");
  await signInByKeyboard(page);
  await rowOf(page, "c000").waitFor();
  await press(page, "/");
  const search = page.getByLabel("Search links");
  await expectFocus(page, search, "/");
  await page.keyboard.type("example.com/1");
  const grid = page.getByRole("grid");
  for (const key of ["Enter", "ArrowDown"]) {
    await press(page, key);
    await expectFocus(page, grid, key);
    await page.getByText("11 links").waitFor();
    await soon(async () => expect(await grid.getAttribute("aria-activedescendant")).toBe("link-row-0"));
    await press(page, "j", "/");
    await expectFocus(page, search, "/");
  }
  const filter = page.getByRole("button", { name: /^Filter/ });
  await tabTo(page, filter);
  await press(page, "Enter");
  await page.getByRole("dialog", { name: "Filter" }).waitFor();
  await tabTo(page, page.getByRole("combobox", { name: "Has all tags" }));
  await page.keyboard.type("third");
  await page.getByRole("option", { name: "third" }).waitFor();
  await press(page, "ArrowDown", "Enter");
  await page.getByText("3 links", { exact: true }).waitFor();
  await press(page, "Escape", "Escape");
  await page.getByRole("dialog", { name: "Filter" }).waitFor({ state: "detached" });
  await expectFocus(page, filter, "the filter");
  await page.reload();
  await page.getByText("3 links", { exact: true }).waitFor();
  await press(page, "j", "Enter");
  await page.waitForURL(/\/link\/c012/);
  await page.getByRole("tab", { name: "History" }).waitFor();
  await page.goBack();
  await page.getByText("3 links", { exact: true }).waitFor();
  await page.waitForURL((url) => url.searchParams.get("q") === "example.com/1");
  const chip = page.getByRole("button", { name: "Remove the filter Tag: third" });
  await tabTo(page, chip);
  await press(page, "Enter");
  await page.getByText("11 links").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("keys reach the list from beside it, and when it is empty", async () => {
  const { page, complaints, close } = await panel.open("/panel/links?q=nothing-like-it");
  await signInByKeyboard(page);
  await page.getByText("No link matches.").waitFor();
  const form = page.getByRole("region", { name: "New link" });
  await press(page, "n");
  await expectFocus(page, form.getByLabel("Target"), "n in an empty list");
  await page.keyboard.type("example.com/typed");
  await press(page, "Escape");
  await form.waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("No link matches.").waitFor();
  await press(page, "/");
  const search = page.getByLabel("Search links");
  await expectFocus(page, search, "/ in an empty list");
  await retype(page, "example.com/2");
  await rowOf(page, "c020").waitFor();
  await press(page, "ArrowDown");
  await expectFocus(page, page.getByRole("grid"), "ArrowDown in the search");
  await press(page, "x");
  await page.getByText("1 selected").waitFor();
  const aside = page.getByRole("link", { name: "Files" });
  await tabTo(page, aside, "Shift+Tab");
  await press(page, "/");
  await expectFocus(page, search, "/ beside the list");
  await tabTo(page, aside, "Shift+Tab");
  await press(page, "n");
  await expectFocus(page, form.getByLabel("Target"), "n beside the list");
  await form.getByText("What you typed before is here again.").waitFor();
  await press(page, "Tab");
  expect(await form.getByLabel("Target").inputValue()).toBe("https://example.com/typed");
  await press(page, "Escape");
  await form.waitFor({ state: "detached" });
  await rowOf(page, "c020").waitFor();
  await press(page, "j");
  await expectFocus(page, page.getByRole("grid"), "j after Escape");
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)("a range is changed and deleted, and Ctrl+Z takes both back", async () => {
  const { page, complaints, close } = await panel.open("/panel/links?sort=code&order=asc");
  await signInByKeyboard(page);
  await rowOf(page, "c000").waitFor();
  const grid = page.getByRole("grid");
  await press(page, "j", "x", "Shift+ArrowDown", "Shift+ArrowDown");
  await page.getByText("3 selected").waitFor();
  await expectFocus(page, grid, "moving in the list");
  const edit = page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Edit" });
  await tabTo(page, edit);
  await press(page, "Enter");
  const form = page.getByRole("dialog");
  await expectFocus(page, form.getByLabel("Add tags"), "the form of the selection");
  await page.keyboard.type("bulk,");
  // The offered tags close with the field.
  await tabTo(page, form.getByRole("button", { name: "Cancel" }));
  await press(page, "Escape");
  await form.waitFor({ state: "detached" });
  await expectFocus(page, edit, "Escape");
  await press(page, "Enter");
  await expectFocus(page, form.getByLabel("Add tags"), "the form again");
  await page.keyboard.type("bulk,");
  await press(page, "Control+Enter");
  await page.getByText("3 links are changed.").waitFor();
  expect((await linkOf("c000")).tags).toEqual(["bulk", "third"]);
  await expectFocus(page, grid, "the change");
  await press(page, "Control+z");
  for (const code of ["c000", "c001", "c002"]) {
    await until(async () => !(await linkOf(code)).tags.includes("bulk"));
  }

  await expectFocus(page, grid, "Ctrl+Z");
  await press(page, "Delete");
  await page.getByText("3 links are deleted.").waitFor();
  expect(await statusOf("c001")).toBe(404);
  await expectFocus(page, grid, "the deletion");
  await press(page, "Control+z");
  await until(async () => (await statusOf("c001")) === 200);
  await rowOf(page, "c001").waitFor();

  // All that is found asks first, because it may be far more than is seen.
  await press(page, "Control+a", "Delete");
  await form.getByText("60 links will be deleted.").waitFor();
  await press(page, "Escape");
  await form.waitFor({ state: "detached" });
  await expectFocus(page, grid, "the question");
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)(
  "links are edited in place, and codes tell while typing whether they are free",
  async () => {
    const { page, complaints, close } = await panel.open("/panel/links?sort=code&order=asc");
    await signInByKeyboard(page);
    await rowOf(page, "c000").waitFor();
    const grid = page.getByRole("grid");
    await press(page, "j", "j", "F2");
    const row = page.getByRole("form", { name: "Edit c001" });
    await expectFocus(page, row.getByLabel("Target"), "F2");
    await retype(page, "https://example.com/by-keys");
    await tabTo(page, row.getByLabel("Title"), "Shift+Tab");
    await page.keyboard.type("By keys");
    await tabTo(page, row.getByLabel("Tags"));
    await page.keyboard.type("fresh,");
    await tabTo(page, row.getByLabel("Expires"));
    await page.keyboard.type("01022098");
    await press(page, "Tab");
    await page.keyboard.type("1030AM");
    await press(page, "Enter");
    await row.waitFor({ state: "detached" });
    await expectFocus(page, grid, "Enter");
    await until(async () => (await linkOf("c001")).title === "By keys");
    expect(await linkOf("c001")).toMatchObject({
      target: "https://example.com/by-keys",
      tags: ["fresh"],
      expires_at: expect.stringMatching(/^2098-/),
    });
    await press(page, "Control+z");
    await until(async () => (await linkOf("c001")).title === null);

    await press(page, "n");
    const form = page.getByRole("region", { name: "New link" });
    const target = form.getByLabel("Target");
    await expectFocus(page, target, "n");
    await page.keyboard.type("https://example.com/new");
    await tabTo(page, form.getByLabel("Code"));
    await page.keyboard.type("c002");
    await form.getByText("Another link has this code.").waitFor();
    await retype(page, "by/keys");
    await form.getByText("This code is available.").waitFor();
    await press(page, "Control+Enter");
    await page.getByRole("alert").getByText("/by/keys").waitFor();
    await page.waitForURL(/\/link\/by\/keys/);
    await expectFocus(page, page.getByRole("main"), "the new link");

    // Back from it is the list, without the form between.
    await page.goBack();
    await rowOf(page, "by/keys").waitFor();
    await press(page, "Home", "Enter");
    await page.waitForURL(/\/link\/by\/keys/);
    await tabTo(page, page.getByRole("tab", { name: "Link" }));
    const settings = page.getByRole("region", { name: "Settings of the link" });
    const opener = settings.getByRole("button", { name: "Edit: Title" });
    await tabTo(page, opener);
    await press(page, "Enter");
    await expectFocus(page, settings.getByRole("textbox", { name: "Title" }), "Enter on Edit");
    await page.keyboard.type("Not this");
    await press(page, "Escape");
    await expectFocus(page, opener, "Escape");
    expect((await linkOf("by/keys")).title).toBeNull();
    const tags = settings.getByRole("button", { name: "Edit: Tags" });
    await tabTo(page, tags);
    await press(page, "Enter");
    await expectFocus(page, settings.getByRole("combobox", { name: "Tags" }), "Enter on Edit");
    await page.keyboard.type("one,two,");
    await press(page, "Control+Enter");
    await until(async () => (await linkOf("by/keys")).tags.length === 2);
    await expectFocus(page, tags, "the saved tags");
    expect(complaints).toEqual([]);
    await close();
  },
);

test.skipIf(!CHROMIUM)("tags are renamed, merged and deleted, and Ctrl+Z takes each back", async () => {
  const codes = ["t1", "t2", "t3"];
  const tagsOf = async () =>
    Promise.all(codes.map(async (code): Promise<string> => (await linkOf(code)).tags.join(" ")));
  for (const [at, code] of codes.entries()) {
    const tags = at === 2 ? ["dusk"] : ["dawn"];
    await panel.client.call("POST", "/links", { code, target: "https://example.com/", tags });
  }
  const { page, complaints, close } = await panel.open("/panel/links/tags?q=d");
  await signInByKeyboard(page);
  const button = (name: string) => page.getByRole("button", { name });
  await button("Rename dawn").waitFor();
  await tabTo(page, button("Rename dawn"));
  await press(page, "Enter");
  await expectFocus(page, page.getByLabel("New name"), "the opened form");
  await retype(page, "Day");
  await press(page, "Enter");
  await page.getByText("dawn is now day.").waitFor();
  expect(await tagsOf()).toEqual(["day", "day", "dusk"]);
  // Meanwhile another link gets the new name, which it keeps.
  await panel.client.call("PATCH", "/links/t3", { add_tags: ["day"] });
  await expectFocus(page, page.locator("[data-holds-rows]"), "the rename");
  await press(page, "Control+z");
  await button("Rename dawn").waitFor();
  expect(await tagsOf()).toEqual(["dawn", "dawn", "day dusk"]);

  await tabTo(page, button("Rename dusk"));
  await press(page, "Enter");
  await expectFocus(page, page.getByLabel("New name"), "the opened form");
  await retype(page, "dawn");
  await page.getByText("There is such a tag on 2 links").waitFor();
  await press(page, "Enter");
  await page.getByText("dusk is merged with dawn.").waitFor();
  await tabTo(page, button("Delete dawn"));
  await press(page, "Enter");
  await page.getByText("The tag dawn is deleted.").waitFor();
  expect(await tagsOf()).toEqual(["", "", "day"]);
  await button("Delete dawn").waitFor({ state: "detached" });
  await expectFocus(page, page.locator("[data-holds-rows]"), "the deletion");
  await panel.client.call("PATCH", "/links/t2", { add_tags: ["dawn"] });
  await press(page, "Control+z");
  await page.getByText('1 link stays as it is. The tags of "t2" have been changed since').waitFor();
  expect(await tagsOf()).toEqual(["dawn", "dawn", "dawn day"]);
  await press(page, "Control+z");
  await button("Rename dusk").waitFor();
  expect(await tagsOf()).toEqual(["dawn", "dawn", "day dusk"]);
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(!CHROMIUM)(
  "a row opens as a whole, and its menu by the right button or the menu key",
  async () => {
    const { page, complaints, close } = await panel.open("/panel/links?q=example.com/5&sort=code&order=asc");
    await signInByKeyboard(page);
    await rowOf(page, "c005").waitFor();
    const isOnPage = (code: string) => page.waitForURL(new RegExp(`/link/${code}$`));
    const item = (name: string) => page.getByRole("menuitem", { name });
    await rowOf(page, "c050").locator("[data-cell=people]").click();
    await isOnPage("c050");
    await page.goBack();
    await rowOf(page, "c005").locator("[data-cell=created]").click({ button: "right" });
    const box = (await page.getByRole("menu").boundingBox())!;
    const row = (await rowOf(page, "c005").boundingBox())!;
    // Where the pointer is, not at the button.
    expect(box.x + box.width).toBeLessThan(row.x + row.width);
    await item("Edit here").click();
    const form = page.getByRole("form", { name: "Edit c005" });
    await expectFocus(page, form.getByLabel("Target"), "Edit here");
    await press(page, "Escape", "j", "ContextMenu");
    await waitInMenu(page);
    await press(page, "Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await press(page, "Shift+F10");
    await waitInMenu(page);
    await page.keyboard.type("QR");
    await press(page, "Enter");
    await page.getByRole("dialog", { name: "QR code" }).waitFor();
    await press(page, "Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // Every control of a row is at least 24 px wide and high.
    const small = await rowOf(page, "c050").evaluate((element) =>
      [...element.querySelectorAll("a, button, input")].flatMap((one) => {
        const { width, height } = one.getBoundingClientRect();
        return Math.min(width, height) < 24 ? [`${one.outerHTML.slice(0, 90)} ${width}×${height}`] : [];
      }),
    );
    expect(small).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  },
);

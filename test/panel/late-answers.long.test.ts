/** Requests take their time: what is pressed, closed and opened meanwhile is neither repeated nor lost. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { press } from "../support/keyboard.ts";
import { once, startPanel } from "../support/panel.ts";
import { soon } from "../support/until.ts";

const CODES = ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"];
const REFUSAL = { status: 400, json: { code: 1000, error: "BadRequest", message: "Refused late." } };

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  const links = CODES.map((code) => ({ code, target: `https://example.com/${code}` }));
  await panel.client.call("POST", "/links/batch", { links });
});
afterAll(() => panel.stop());

const rowOf = (page: Page, code: string) => page.getByRole("row").filter({ hasText: code });
const linkOf = async (code: string) => (await panel.client.call("GET", `/links/${code}`)).body.data;
const targets = async (search: string): Promise<number> =>
  (await panel.client.call("GET", `/links?search=${search}`)).body.pagination!.total;

async function openList(query = "") {
  const opened = await panel.enter(`/panel/links?sort=code${query}`);
  await opened.page.getByRole("grid").waitFor();
  return opened;
}

/** Writes wait from now on. Returns how many there are, and how they are let go: to the server, or to an answer. */
async function holdWrites(page: Page) {
  const held: (() => Promise<void>)[] = [];
  let answer: typeof REFUSAL | undefined;
  await page.route(/\/admin\/v1\/links/, async (route) => {
    if (route.request().method() === "GET") return route.continue();
    const { promise, resolve } = Promise.withResolvers<void>();
    held.push(async () => {
      await (answer === undefined ? route.continue() : route.fulfill(answer));
      resolve();
    });
    await promise;
  });
  return {
    count: () => held.length,
    async letGo(given?: typeof REFUSAL) {
      await soon(() => expect(held.length).toBeGreaterThan(0));
      answer = given;
      const answered = page.waitForResponse((response) => response.request().method() !== "GET");
      for (const go of held.splice(0)) await go();
      await answered;
    },
  };
}

/** Opens the editor of a row by keys. */
async function editRow(page: Page, code: string) {
  await rowOf(page, code).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Edit here" }).click();
  const form = page.getByRole("form", { name: `Edit ${code}` });
  await form.getByLabel("Title").focus();
  return form;
}

once("a form is sent once, however often Ctrl+Enter is pressed meanwhile", async () => {
  const { page, complaints, close } = await openList();
  const writes = await holdWrites(page);
  await press(page, "n");
  const form = page.getByRole("region", { name: "New link" });
  await form.getByLabel("Target").fill("https://example.com/sent-once");
  await press(page, "Control+Enter");
  await form.locator("[type=submit][data-loading]").waitFor();
  await press(page, "Control+Enter");
  // Also on the button itself.
  await form.getByRole("button", { name: "Cancel" }).focus();
  await form.getByLabel("Title").focus();
  await press(page, "Control+Enter", "Enter");
  expect(writes.count()).toBe(1);
  await writes.letGo();
  await page.getByText("Copied.").or(page.getByText("Link created.")).waitFor();
  expect(await targets("sent-once")).toBe(1);
  expect(complaints).toEqual([]);
  await close();
});

once("an answer to a form that was closed leaves the next one open, and its failure is told", async () => {
  const { page, close } = await openList();
  const writes = await holdWrites(page);
  await (await editRow(page, "a1")).getByLabel("Title").fill("first");
  await press(page, "Enter", "Escape");
  const second = await editRow(page, "a2");
  await page.keyboard.type("sec");
  await writes.letGo();
  await page.getByText("a1 is saved.").waitFor();
  // Letters would be keys of the list, had the editor gone.
  await page.keyboard.type("ond");
  expect(await second.getByLabel("Title").inputValue()).toBe("second");
  await press(page, "Enter", "Escape");
  await second.waitFor({ state: "detached" });

  // So does one on the page of the link.
  await press(page, "e");
  const target = page.getByRole("textbox", { name: "Target" });
  await target.fill("https://example.com/third");
  await writes.letGo(REFUSAL);
  await page.getByRole("alert").getByText("Refused late.").waitFor();
  expect(await target.inputValue()).toBe("https://example.com/third");
  await press(page, "Enter", "Escape");
  await target.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Edit: Title" }).click();
  const title = page.getByRole("form", { name: "Title" }).getByLabel("Title");
  await title.fill("fourth");
  await writes.letGo();
  await page.getByText("a2 is saved.").waitFor();
  await page.keyboard.type("!");
  expect(await title.inputValue()).toBe("fourth!");
  expect(await linkOf("a2")).toMatchObject({ target: "https://example.com/third", title: null });
  await close();
});

once("keys held down act once", async () => {
  const { page, context, complaints, close } = await openList("&q=example.com");
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: panel.origin });
  await page.evaluate(() => navigator.clipboard.writeText("https://example.com/pasted-once"));
  const writes = await holdWrites(page);
  const hold = async (key: string): Promise<void> => {
    for (let times = 0; times < 5; times++) await page.keyboard.down(key);
    await page.keyboard.up(key);
  };
  await rowOf(page, "b1").click({ button: "right" });
  await page.getByRole("menu").waitFor();
  await press(page, "Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await hold("Delete");
  // Somebody who is not sure presses it again.
  await press(page, "Delete");
  await writes.letGo();
  await page.getByText("b1 is deleted.").waitFor();
  await rowOf(page, "b1").waitFor({ state: "detached" });
  expect(await linkOf("b2")).toMatchObject({ code: "b2" });

  await page.keyboard.down("Control");
  await hold("v");
  await page.keyboard.up("Control");
  await press(page, "Control+v");
  await writes.letGo();
  await page.getByText("Copied.").waitFor();
  expect(await targets("pasted-once")).toBe(1);
  expect(complaints).toEqual([]);
  await close();
});

once("an answer or an undo does not bring somebody back to a page they have left", async () => {
  const { page, close } = await openList();
  const goTo = async (name: string): Promise<void> => {
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
  };
  const openLink = async (code: string): Promise<void> => {
    await page.getByRole("link", { name: code, exact: true }).click();
    await page.getByRole("region", { name: "Settings of the link" }).waitFor();
  };
  const writes = await holdWrites(page);
  await openLink("c1");
  await page.getByRole("button", { name: "Edit: Title" }).click();
  await page.getByRole("form", { name: "Title" }).getByLabel("Title").fill("changed on its page");
  await press(page, "Enter");
  await goTo("Shares");
  await writes.letGo();
  await page.getByText("c1 is saved.").waitFor();
  expect(new URL(page.url()).pathname).toBe("/panel/shares");
  await press(page, "Control+z");
  await writes.letGo();
  await soon(async () => expect((await linkOf("c1")).title).toBeNull());
  expect(new URL(page.url()).pathname).toBe("/panel/shares");

  await goTo("Links");
  await openLink("c2");
  await page.getByRole("button", { name: "Delete the link" }).click();
  await goTo("Shares");
  await writes.letGo();
  await page.getByText("c2 is deleted.").waitFor();
  expect(new URL(page.url()).pathname).toBe("/panel/shares");
  await press(page, "Control+z");
  await writes.letGo();
  await soon(async () => expect(await linkOf("c2")).toMatchObject({ code: "c2" }));
  expect(new URL(page.url()).pathname).toBe("/panel/shares");
  await close();
});

once("a double click acts once", async () => {
  const { page, complaints, close } = await panel.enter("/panel/files");
  const writes: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") writes.push(new URL(request.url()).pathname);
  });
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Pressed twice");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).dblclick();
  const row = rowOf(page, "Pressed twice");
  await row.waitFor();

  await page.getByRole("grid").focus();
  const answered = Promise.withResolvers<void>();
  await page.route(/\/trash$/, async (route) => {
    await answered.promise;
    await route.continue();
  });
  await press(page, "Delete", "Delete");
  await soon(() => expect(writes).toHaveLength(2));
  answered.resolve();
  await page.getByText("Pressed twice is in the trash.").waitFor();
  await row.waitFor({ state: "detached" });

  await page.getByRole("link", { name: "Trash" }).click();
  await page.getByRole("button", { name: /Put back/ }).dblclick();
  await page.getByText("The trash is empty.").waitFor();
  expect(writes.map((path) => path.replaceAll(/\d+/g, "id"))).toEqual([
    "/folders",
    "/folders/id/trash",
    "/trash/id/restore",
  ]);
  expect(complaints).toEqual([]);
  await close();
});

once("text typed into a setting while it is saved stays, and so does text in others", async () => {
  const { page, close } = await panel.enter("/panel/settings?q=_code_length");
  const [random, share] = ["features.random_code_length", "features.share_code_length"].map((key) =>
    page.getByRole("textbox", { name: new RegExp(key) }),
  );
  const saved = Promise.withResolvers<void>();
  await page.route(/\/config$/, async (route) => {
    if (route.request().postDataJSON()?.dry_run === false) await saved.promise;
    await route.continue();
  });
  await random!.fill("8");
  const sent = page.waitForRequest((request) => request.postDataJSON()?.dry_run === false);
  await press(page, "Enter");
  await sent;
  await random!.fill("9");
  await share!.fill("20");
  saved.resolve();
  await page.getByText("Random code length is saved.").waitFor();
  expect(await random!.inputValue()).toBe("9 characters");
  expect(await share!.inputValue()).toBe("20 characters");
  expect((await panel.client.call("GET", "/config/features.random_code_length")).body.data.value).toBe("8");
  await close();
});

once("keys of an input method close no editor", async () => {
  const { page, close } = await openList();
  const compose = (key: string): Promise<void> =>
    page.evaluate((pressed) => {
      const init = { key: pressed, isComposing: true, bubbles: true, cancelable: true };
      document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", init));
    }, key);
  const form = await editRow(page, "a3");
  await form.getByLabel("Title").fill("にほん");
  await compose("Escape");
  expect(await form.getByLabel("Title").inputValue()).toBe("にほん");
  await press(page, "Escape");
  await form.waitFor({ state: "detached" });

  await page.goto(`${panel.origin}/panel/files`);
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Plain");
  await press(page, "Enter");
  await rowOf(page, "Plain").click();
  await press(page, "F2");
  const name = page.getByLabel("New name of Plain");
  await name.fill("にほん");
  await compose("Enter");
  await compose("Escape");
  await press(page, "End");
  await page.keyboard.type("！");
  await press(page, "Enter");
  await rowOf(page, "にほん！").waitFor();
  await close();
});

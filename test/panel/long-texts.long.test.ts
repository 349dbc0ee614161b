/** Texts far longer than a field takes: the page goes on, and says so. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { press } from "../support/keyboard.ts";
import { once, startPanel, unboundedFields } from "../support/panel.ts";

const LONG_ADDRESS = `https://example.com/${"x".repeat(1_000_000)}`;
const LONG_LIST = "ab, cd. ".repeat(125_000);

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  const target = "https://example.com/";
  await panel.client.call("POST", "/links", { code: "long/code", target, tags: ["kept"] });
});
afterAll(() => panel.stop());

async function open(path: string) {
  const opened = await panel.enter(path);
  await opened.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: panel.origin });
  return opened;
}

async function paste(page: Page, field: Locator, text: string): Promise<void> {
  await page.evaluate((pasted) => navigator.clipboard.writeText(pasted), text);
  await field.focus();
  await press(page, "Control+v");
}

once("an address that is too long is refused at once, in the form and in the row", async () => {
  const { page, complaints, close } = await open("/panel/links");
  await page.getByRole("grid").waitFor();
  await press(page, "n");
  const form = page.getByRole("region", { name: "New link" });
  const target = form.getByRole("textbox", { name: "Target" });
  const sentence = "A target has at most 8,192 bytes. This one is longer.";
  await paste(page, target, LONG_ADDRESS);
  await form.getByText(sentence).waitFor();
  await form.getByRole("button", { name: "More", exact: true }).click();
  await form.getByRole("button", { name: /UTM/ }).click();
  expect(await unboundedFields(page)).toEqual([]);
  await target.fill("https://example.com/short");
  await form.getByText(sentence).waitFor({ state: "detached" });

  await paste(page, form.getByLabel("Tags"), LONG_LIST);
  await form.getByText("The pasted text is too long for tags.").waitFor();
  await paste(page, form.getByLabel("Tags"), "spring, Summer");
  await form.getByText("The pasted text is too long for tags.").waitFor({ state: "detached" });
  await form.getByText("Summer", { exact: true }).waitFor();
  await form.getByRole("button", { name: "Cancel" }).click();

  await page.getByRole("row").filter({ hasText: "long/code" }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Edit here" }).click();
  const row = page.getByRole("form", { name: "Edit long/code" });
  await paste(page, row.getByLabel("Target"), LONG_ADDRESS);
  await row.getByText(sentence).waitFor();
  await paste(page, row.getByLabel("Tags"), LONG_LIST);
  await row.getByText("The pasted text is too long for tags.").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("an address that is too long is not cut by the commands and shortened", async () => {
  const { page, close } = await open("/panel/links");
  await press(page, "Control+k");
  const field = page.locator("[cmdk-input]");
  await field.waitFor();
  await paste(page, field, LONG_ADDRESS);
  await page.getByText("Shorten and copy").waitFor();
  await press(page, "Enter");
  await page.getByRole("alert").getByText("The URL is longer than 8192 bytes.").waitFor();
  expect((await panel.client.call("GET", "/links")).body.pagination!.total).toBe(1);
  await close();
});

once("every field of a filter has a bound", async () => {
  const { page, close } = await open("/panel/links");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByLabel("Has all tags").first().waitFor();
  expect(await unboundedFields(page)).toEqual([]);
  await close();
});

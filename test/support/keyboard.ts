/** The panel by keyboard alone: where the focus is, and how keys bring it somewhere. */
import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { PASSWORD } from "./session.ts";
import { soon } from "./until.ts";

const MOST_TABS = 120;
/** An element that is not there has no focus. */
const MISSING_MS = 1_000;

export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

export const isFocused = (element: Locator): Promise<boolean> =>
  element
    .evaluate((node) => node === document.activeElement, null, { timeout: MISSING_MS })
    .catch(() => false);

/** Waits for the focus, and says where it is instead. */
export async function expectFocus(page: Page, element: Locator, after: string): Promise<void> {
  await element.waitFor();
  await soon(async () => {
    const where = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200) ?? "nowhere");
    expect([after, (await isFocused(element)) ? "focused" : where]).toEqual([after, "focused"]);
  });
}

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, element: Locator, key = "Tab"): Promise<void> {
  await element.waitFor();
  for (let tabs = 0; tabs < MOST_TABS && !(await isFocused(element)); tabs++) await page.keyboard.press(key);
  await expectFocus(page, element, `${MOST_TABS} times ${key}`);
}

/** A menu takes the focus a moment after it shows. Keys pressed before are lost. */
export async function waitInMenu(page: Page): Promise<void> {
  await page.waitForFunction(() => (document.activeElement?.closest("[role=menu]") ?? null) !== null);
}

/** In the field that has the focus, in the place of what it holds. */
export async function retype(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
}

/** On the page that asks for the password. */
export async function signInByKeyboard(page: Page): Promise<void> {
  await tabTo(page, page.getByLabel("Password", { exact: true }));
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /Account menu/ }).waitFor();
}

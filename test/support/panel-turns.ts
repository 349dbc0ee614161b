/** From page to page of the panel. */
import type { Page } from "playwright-core";

/** Until the page has its heading, and nothing that stands for what is still loading. */
export async function shown(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForFunction(() => document.querySelector(".mantine-Skeleton-root[data-visible]") === null);
}

/** Goes to a page inside the panel, as links do, which takes a third of a load. */
export async function turnTo(page: Page, path: string): Promise<void> {
  // What has closed over the page leaves the history a moment later, which would lead back.
  await page
    .waitForFunction(() => !history.state?.isOver, undefined, { timeout: 2_000 })
    .catch(() => undefined);
  await page.evaluate((address) => {
    document.querySelector("h1")?.setAttribute("data-left", "");
    history.pushState(null, "", address);
    dispatchEvent(new PopStateEvent("popstate"));
  }, `/panel/${path}`);
  await page.waitForFunction(() => document.querySelector("h1[data-left]") === null);
  await shown(page);
}

/**
 * Lists and ⌘K of the panel with 1,000,000 links on SQLite, in Chromium: from the last key to the painted answer.
 *
 *     bin/bun scripts/panel.ts && bin/bun bench/panel-lists.ts [links]
 *
 * Each search is another one. The list shows all links before it.
 */
import type { Page } from "playwright-core";
import { signInToPanel, startPanelBrowser, WIDE } from "../test/support/panel.ts";
import { PASSWORD, setPassword } from "./lib/csv-client.ts";
import { codeAt, createDataFolder } from "./lib/data-folder.ts";
import { startWaymark } from "./lib/subjects.ts";

const LINKS = Number(process.argv[2] ?? 1_000_000);
const RUNS = 20;
const SETTLED_MS = 1_000;
const FIRST_ROW = "[data-cell=code] a";
const FIRST_FOUND = "[cmdk-item]";

const data = await createDataFolder(LINKS, { titled: true });
await setPassword(data.path);
const server = await startWaymark(data, { CORES: "0,1" });
const browser = await startPanelBrowser();
try {
  const origin = `http://localhost:${server.port}`;
  const context = await browser.newContext({ viewport: WIDE, locale: "en", serviceWorkers: "block" });
  const page = await context.newPage();
  await page.addInitScript(() => {
    const clock = window as unknown as { keyAt: number };
    addEventListener("keydown", () => (clock.keyAt = performance.now()), true);
    addEventListener("pointerdown", () => (clock.keyAt = performance.now()), true);
  });
  await page.goto(`${origin}/panel/links`);
  await signInToPanel(page, PASSWORD);
  await page.locator(FIRST_ROW).first().waitFor();
  await page.waitForLoadState("networkidle");

  const odd = (run: number) => codeAt((run * 48_611 + 17) % LINKS);
  await measure("a rare word", 150, async (run) => {
    await search(page, odd(run));
    return painted(page, FIRST_ROW, odd(run));
  });
  await measure("a word in a thousandth", 300, async (run) => {
    const before = await search(page, `Campaign ${100 + run}`);
    return painted(page, FIRST_ROW, "", before);
  });
  await measure("a word in a tenth", 300, async (run) => {
    const before = await search(page, `${40 + run}`);
    return painted(page, FIRST_ROW, "", before);
  });
  await search(page, "");
  await page.locator(FIRST_ROW).first().waitFor();
  await measure("another order", 100, async () => {
    const header = page.getByRole("columnheader").getByRole("button", { name: "Link" });
    const before = await page.locator(FIRST_ROW).first().textContent();
    await header.click();
    return painted(page, FIRST_ROW, "", before);
  });
  await measure("⌘K", 100, async (run) => {
    await page.keyboard.press("Control+k");
    await page.locator("[cmdk-input]").waitFor();
    await typed(page, odd(run));
    const ms = await painted(page, FIRST_FOUND, odd(run));
    await page.keyboard.press("Escape");
    await page.locator("[cmdk-input]").waitFor({ state: "detached" });
    return ms;
  });
} finally {
  await browser.close();
  await server.stop();
  data.remove();
}

/** All but the last letter are there before. Returns the first row of then. */
async function typed(page: Page, text: string): Promise<string | null> {
  await page.keyboard.insertText(text.slice(0, -1));
  await page.waitForTimeout(SETTLED_MS);
  const before = await page
    .locator(FIRST_ROW)
    .first()
    .textContent({ timeout: 1_000 })
    .catch(() => null);
  await page.keyboard.press(text.at(-1)!);
  return before;
}

async function search(page: Page, text: string): Promise<string | null> {
  const field = page.getByRole("textbox", { name: /Search/ });
  await field.fill("");
  await page.waitForTimeout(SETTLED_MS);
  await field.focus();
  return text === "" ? null : typed(page, text);
}

/**
 * Milliseconds from the last key until a frame whose first such element holds `text`, and is not `before`. NaN: the last
 * letter changed nothing.
 */
function painted(page: Page, selector: string, text: string, before: string | null = null): Promise<number> {
  return page.evaluate(
    ([of, expected, former]) =>
      new Promise<number>((resolve) => {
        const { keyAt } = window as unknown as { keyAt: number };
        const look = (): void => {
          const shown = document.querySelector(of)?.textContent ?? null;
          if (shown?.includes(expected) && shown !== former) resolve(performance.now() - keyAt);
          else if (performance.now() - keyAt > 5_000) resolve(Number.NaN);
          else requestAnimationFrame(look);
        };
        look();
      }),
    [selector, text, before] as const,
  );
}

async function measure(name: string, goalMs: number, ask: (run: number) => Promise<number>): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) times.push(await ask(run));
  const known = times.filter((ms) => !Number.isNaN(ms)).toSorted((a, b) => a - b);
  const p95 = known[Math.ceil(known.length * 0.95) - 1] ?? 0;
  const over = p95 > goalMs ? `  over ${goalMs} ms` : "";
  console.log(
    `${name.padEnd(28)} median ${(known[known.length >> 1] ?? 0).toFixed(0).padStart(5)} ms   p95 ${p95.toFixed(0).padStart(5)} ms of ${known.length}${over}`,
  );
}

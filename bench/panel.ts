/**
 * The list of links in the panel over 1,000,000 links (SQLite), in Debian's Chromium: milliseconds from a key to the
 * painted result, rows of DOM, and the longest frame while scrolling.
 *
 *     bin/bun scripts/panel.ts && bin/bun bench/panel.ts [count]
 */
import type { Page } from "playwright-core";
import { panelOpener, signInToPanel, startPanelBrowser } from "../test/support/panel.ts";
import { createDataFolder } from "./lib/data-folder.ts";
import { freePort, startSubject } from "./lib/subject.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const PASSWORD = "a password for the benchmark";
const RUNS = 20;
/** A result that never comes ends the run. */
const MOST_MS = 30_000;
const GOALS = { search: 300, sort: 100, page: 100, jump: 100 };
const MOST_ROWS = 80;
const LONGEST_FRAME_MS = 50;
const WAYMARK = new URL("../bin/waymark", import.meta.url).pathname;

type Wanted = { kind: "search"; word: string } | { kind: "sort" | "page" | "jump" };

type Before = { active: string | null; sorted: string | undefined };
type Timed = typeof globalThis & { lastKey: number };

/** Runs in the page. What is shown before the key. */
function before(): Before {
  const grid = document.querySelector("[role=grid]")!;
  return {
    active: grid.getAttribute("aria-activedescendant"),
    sorted: grid.querySelector("[aria-sort=ascending], [aria-sort=descending]")?.outerHTML,
  };
}

type Asked = { wanted: Wanted; was: Before; share: number | null };

/**
 * Runs in the page. Resolves with the time from the last key, or from a jump to the share of the bar, to the frame that
 * shows what was asked for.
 */
function painted({ wanted, was: { active, sorted }, share }: Asked): Promise<number> {
  const grid = document.querySelector<HTMLElement>("[role=grid]");
  const start = share === null ? (globalThis as Timed).lastKey : performance.now();
  if (share !== null && grid !== null) grid.scrollTop = share * (grid.scrollHeight - grid.clientHeight);
  const isShown = (): boolean => {
    const list = document.querySelector<HTMLElement>("[role=grid]");
    if (list === null || list.getAttribute("aria-busy") === "true") return false;
    if (list.querySelector("[role=row][aria-busy]") !== null && wanted.kind !== "page") {
      const { top, bottom } = list.getBoundingClientRect();
      const isInSight = (row: Element): boolean => {
        const box = row.getBoundingClientRect();
        return box.bottom > top + 36 && box.top < bottom;
      };
      if ([...list.querySelectorAll("[role=row][aria-busy]")].some(isInSight)) return false;
    }
    if (wanted.kind === "search") {
      const isAsked = new URL(location.href).searchParams.get("q") === wanted.word;
      return isAsked && (list.querySelector("[data-row]")?.textContent ?? "").includes(wanted.word);
    }
    if (wanted.kind === "sort") {
      return list.querySelector("[aria-sort=ascending], [aria-sort=descending]")?.outerHTML !== sorted;
    }
    const now = list.getAttribute("aria-activedescendant");
    if (wanted.kind === "page") {
      return now !== active && now !== null && document.getElementById(now)?.dataset["row"] !== undefined;
    }
    return list.querySelector("[data-row]") !== null;
  };
  return new Promise((resolve) => {
    const look = (): void => {
      if (isShown()) requestAnimationFrame(() => resolve(performance.now() - start));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

async function timeOf(page: Page, wanted: Wanted, keys: readonly string[], share: number | null = null) {
  const was = await page.evaluate(before);
  for (const key of keys) await page.keyboard.press(key);
  const time = page.evaluate(painted, { wanted, was, share });
  const tooLate = Bun.sleep(MOST_MS).then(() => {
    throw new Error(`nothing was painted for ${JSON.stringify(wanted)}`);
  });
  return Promise.race([time, tooLate]);
}

/** Rows of DOM at most, and the longest frame, while the wheel turns. */
async function scroll(page: Page) {
  const watched = page.evaluate(
    (ms) =>
      new Promise<{ rows: number; frame: number }>((resolve) => {
        const grid = document.querySelector("[role=grid]")!;
        const end = performance.now() + ms;
        let [rows, frame, last] = [0, 0, performance.now()];
        const look = (): void => {
          const now = performance.now();
          frame = Math.max(frame, now - last);
          last = now;
          rows = Math.max(rows, grid.querySelectorAll("[role=row]").length);
          if (now < end) requestAnimationFrame(look);
          else resolve({ rows, frame });
        };
        requestAnimationFrame(look);
      }),
    4_000,
  );
  await page.mouse.move(700, 500);
  for (let turn = 0; turn < 60; turn++) {
    await page.mouse.wheel(0, 400);
    await Bun.sleep(30);
  }
  return watched;
}

const sortedTimes: Record<string, number[]> = {};
const note = (name: string, ms: number) => (sortedTimes[name] ??= []).push(ms);

async function measure(page: Page): Promise<{ rows: number; frame: number }> {
  await page.getByRole("grid").focus();
  for (let run = 0; run < RUNS; run++) {
    note("page", await timeOf(page, { kind: "page" }, ["PageDown"]));
    await Bun.sleep(100);
  }
  for (let run = 0; run < RUNS; run++) {
    note("jump", await timeOf(page, { kind: "jump" }, [], ((run * 7 + 3) % 19) / 19));
    await Bun.sleep(300);
  }
  const seen = await scroll(page);
  for (let run = 0; run < RUNS; run++) {
    const name = ["Code", "Clicks", "Created"][run % 3]!;
    await page.getByRole("columnheader").getByRole("button", { name }).focus();
    note("sort", await timeOf(page, { kind: "sort" }, ["Enter"]));
    await Bun.sleep(300);
  }
  const field = page.getByLabel("Search links");
  for (let run = 0; run < RUNS; run++) {
    const word = run % 2 === 0 ? `path/${4711 + run * 13}` : `c000${(0xa00 + run * 7).toString(16)}`;
    await field.fill("");
    await page.locator("[role=grid][aria-busy=false]").waitFor();
    await Bun.sleep(300);
    note("search", await timeOf(page, { kind: "search", word }, [...word]));
  }
  return seen;
}

const data = await createDataFolder(COUNT);
const port = freePort();
const environment = { WAYMARK__DATA__DIR: data.path, WAYMARK__SERVER__PORT: String(port), CORES: "0,1" };
const reset = Bun.spawn([WAYMARK, "reset-password", "--stdin"], {
  env: { ...process.env, ...environment },
  stdin: Buffer.from(PASSWORD),
  stdout: "ignore",
});
if ((await reset.exited) !== 0) throw new Error("the password could not be set");
const subject = await startSubject("waymark", port, [WAYMARK, "serve"], environment);
const browser = await startPanelBrowser();
try {
  const { page } = await panelOpener(browser, `http://127.0.0.1:${port}`)("/panel/links");
  await page.addInitScript(() => {
    addEventListener("keydown", ({ timeStamp }) => ((globalThis as Timed).lastKey = timeStamp), {
      capture: true,
    });
  });
  await page.reload();
  await signInToPanel(page, PASSWORD);
  await page.locator("[data-row]").first().waitFor();
  const { rows, frame } = await measure(page);
  console.log(
    `${COUNT.toLocaleString("en")} links, ${RUNS} runs each: milliseconds from key to paint, p50 and p95`,
  );
  for (const [name, goal] of Object.entries(GOALS)) {
    const times = sortedTimes[name]!.toSorted((a, b) => a - b);
    const [p50, p95] = [times[Math.floor(times.length / 2)]!, times[Math.ceil(times.length * 0.95) - 1]!];
    console.log(
      `${name.padEnd(8)}${p50.toFixed(0).padStart(6)}${p95.toFixed(0).padStart(6)}${p95 > goal ? `  over ${goal}` : ""}`,
    );
  }
  console.log(`rows of DOM at most: ${rows}${rows > MOST_ROWS ? `, over ${MOST_ROWS}` : ""}`);
  console.log(
    `longest frame: ${frame.toFixed(0)} ms${frame > LONGEST_FRAME_MS ? `, over ${LONGEST_FRAME_MS}` : ""}`,
  );
} finally {
  await browser.close();
  await subject.stop();
  data.remove();
}
process.exit(0);

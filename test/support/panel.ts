/** The panel in Debian's Chromium, driven by Playwright, against a program of its own. */
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { type DialectName, isLong, serverUrl } from "../../src/platform/db/fresh.test-support.ts";
import { createMigrated } from "../../src/platform/db/schema-copy.test-support.ts";
import { CHROMIUM } from "./chromium.ts";
import { installWithPassword, PASSWORD, signIn } from "./session.ts";
import { until } from "./until.ts";
import { type Installation, type RunningWaymark, type Settings } from "./waymark.ts";

const OPTIONS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // One process less, and renderers that start by themselves: a seventh of the processor time.
  "--in-process-gpu",
  "--no-zygote",
];

/** Widths at which every page is looked at. */
export const WIDE = { width: 1280, height: 800 } as const;
export const NARROW = { width: 390, height: 800 } as const;

export type OpenedPanel = {
  page: Page;
  context: BrowserContext;
  /** Errors and warnings of the console, and exceptions. */
  complaints: string[];
  close(): Promise<void>;
};

const BLOCKED = "Service Worker registration blocked by Playwright";

type Look = { size?: { width: number; height: number }; dark?: boolean; locale?: string; worker?: boolean };

/** Signs in on the page that is open. */
export async function signInToPanel(page: Page, password = PASSWORD, account?: string): Promise<void> {
  if (account !== undefined) await page.getByLabel("Username or e-mail address").fill(account);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await pressSignIn(page);
  await page.getByRole("button", { name: /Account menu/ }).waitFor();
}

/** Presses the button of a filled form, and again while the tests are faster than an address may sign in. */
export async function pressSignIn(page: Page, form: Page | Locator = page): Promise<void> {
  for (;;) {
    const answered = page.waitForResponse(/\/auth\/login$/);
    await form.getByRole("button", { name: "Sign in", exact: true }).click();
    const answer = await answered;
    if (answer.status() !== 429) return;
    const complaints = opened.get(page) ?? [];
    const refused = () => complaints.findIndex((said) => said.includes("429"));
    await until(() => refused() >= 0);
    complaints.splice(refused(), 1);
    await Bun.sleep(Number(answer.headers()["retry-after"]) * 1000);
  }
}

/** Presses Undo in the notice that says so. Notices leave after ten seconds: little may stand between. */
export const undo = (page: Page, message: string | RegExp): Promise<void> =>
  page.getByRole("alert").filter({ hasText: message }).getByRole("button", { name: "Undo" }).click();

/** Chooses a tab of the page, or of a list. */
export const openTab = (page: Page, name: string): Promise<void> =>
  page.getByRole("tab", { name, exact: true }).click();

/** Until it has the focus, which comes back a moment after a dialog or menu has closed. */
export const focused = (element: Locator): Promise<void> =>
  element.and(element.page().locator(":focus")).waitFor();

/** For every wait of a page: a busy machine is slow, and what never comes fails all the same. */
const WAIT_MS = 60_000;

type Checked = { rules?: string[] };

type Violations = { id: string; nodes: { html: string }[] }[];
/** In the page. */
declare const axe: { run(options: object): Promise<{ violations: Violations }> };
const AXE = Bun.file(join(import.meta.dir, "../../node_modules/axe-core/axe.min.js"));

/** In the page. A dialog that opens has its name a moment later. */
const isNamed = () => document.querySelector("[role=dialog]:not([aria-label], [aria-labelledby])") === null;

/** A page keeps its axe from the first time on. To join what frames found takes a page of its own. */
async function violationsOf(page: Page, rules: string[] | undefined): Promise<Violations> {
  const resultTypes: ["violations"] = ["violations"];
  if (page.frames().length > 1) {
    const builder = new AxeBuilder({ page }).options({ resultTypes });
    return (await (rules === undefined ? builder : builder.withRules(rules)).analyze()).violations;
  }
  await page.waitForFunction(isNamed, undefined, { timeout: 5_000 }).catch(() => undefined);
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await AXE.text());
  const options = { resultTypes, ...(rules && { runOnly: rules }) };
  return page.evaluate(async (given) => (await axe.run(given)).violations, options);
}

/** Fails with what axe finds on the page. `name` says which page it is. */
export async function expectAccessible(page: Page, name: string, { rules }: Checked = {}): Promise<void> {
  const violations = await violationsOf(page, rules);
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  expect([name, ...found]).toEqual([name]);
}

const MOST_CHARACTERS = 9_000;
/** Fields of the page that take any number of characters. */
export const unboundedFields = (page: Page): Promise<string[]> =>
  page
    .locator("input:not([type]), input[type=text], input[type=search], input[type=url], textarea")
    .evaluateAll((fields, most) => {
      const endless = (fields as HTMLInputElement[]).filter(
        (field) => !field.readOnly && field.tabIndex >= 0 && (field.maxLength < 0 || field.maxLength > most),
      );
      return endless.map((field) => field.labels?.[0]?.textContent ?? field.ariaLabel ?? field.outerHTML);
    }, MOST_CHARACTERS);

/** A width changes the layout alone, a scheme the colours alone: two looks have both of each, the long suite all four. */
export const LOOKS = isLong
  ? ([NARROW, WIDE] as const).flatMap((size) => [
      { size, dark: true },
      { size, dark: false },
    ])
  : [
      { size: NARROW, dark: true },
      { size: WIDE, dark: false },
    ];

/** As expectAccessible, in looks of both widths and both schemes. Leaves the page wide and light. */
export async function expectAccessibleInAllLooks(page: Page, name: string): Promise<void> {
  for (const { size, dark } of LOOKS) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
    await expectAccessible(page, `${name}, ${size.width} px, ${dark ? "dark" : "light"}`);
    await page
      .waitForFunction(() => document.documentElement.scrollWidth <= innerWidth)
      .catch(() => {
        throw new Error(`${name} is wider than ${size.width} px`);
      });
  }
}

export const startPanelBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM!, args: OPTIONS });

/** Open pages, with what their consoles complained of. */
const opened = new Map<Page, string[]>();
const MOST_SHOWN = 800;

/** When the test fails, prints what its pages show: the reason is seldom in the wait that ran out. */
const showingPages = (run: () => void | Promise<void>) => async (): Promise<void> => {
  try {
    await run();
  } catch (error) {
    for (const [page, complaints] of opened) {
      const shown = await page.evaluate(() => document.body.innerText).catch(String);
      console.error(page.url(), complaints, shown.replaceAll(/\s+/g, " ").slice(0, MOST_SHOWN));
    }
    throw error;
  } finally {
    opened.clear();
  }
};

/** Opens pages of the panel at `origin` in contexts of their own. `localhost` keeps secure cookies over plain HTTP. */
export const panelOpener =
  (browser: Browser, url: string, isSignedIn = false) =>
  async (
    path: string,
    { size = WIDE, dark = false, locale = "en", worker = false }: Look = {},
  ): Promise<OpenedPanel> => {
    const context = await browser.newContext({
      viewport: size,
      colorScheme: dark ? "dark" : "light",
      // What moves can't be clicked, and colours on their way have no contrast yet.
      reducedMotion: "reduce",
      // Its answers to navigations would pass by the routes of tests.
      serviceWorkers: worker ? "allow" : "block",
      locale,
    });
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    reloadSettled(page);
    const complaints: string[] = [];
    page.on("console", (message) => {
      const text = message.text();
      if (["error", "warning"].includes(message.type()) && !text.startsWith(BLOCKED)) complaints.push(text);
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    opened.set(page, complaints);
    page.on("close", () => opened.delete(page));
    // A session of its own, without the form, which takes as long as the page.
    if (isSignedIn) await signInContext(context, url);
    await page.goto(panelOrigin(url) + path);
    if (isSignedIn) await page.getByRole("button", { name: /Account menu/ }).waitFor();
    return { page, context, complaints, close: () => context.close() };
  };

/** Gives the context the cookies of a session. */
async function signInContext(context: BrowserContext, url: string): Promise<void> {
  const login = `${panelOrigin(url)}/admin/v1/auth/login`;
  const answer = await context.request.post(login, { data: { password: PASSWORD } });
  if (answer.ok()) return;
  if (answer.status() !== 429) throw new Error(`login answered ${answer.status()}: ${await answer.text()}`);
  await Bun.sleep(Number(answer.headers()["retry-after"]) * 1000);
  return signInContext(context, url);
}

/** What has closed over the page leaves the history a moment later, which would break off a reload. */
function reloadSettled(page: Page): void {
  const reload = page.reload.bind(page);
  const isSettled = () =>
    !history.state?.isOver || document.querySelector("[role=dialog], [role=menu]") !== null;
  page.reload = async (options) => {
    await page.waitForFunction(isSettled, undefined, { timeout: 2_000 }).catch(() => undefined);
    return reload(options);
  };
}

export const panelOrigin = (url: string): string => url.replace("127.0.0.1", "localhost");

/** The database of the panel's tests: WAYMARK_TEST_PANEL_DATABASE, such as `postgres`. */
const DATABASE = (process.env["WAYMARK_TEST_PANEL_DATABASE"] ?? "sqlite") as DialectName;
const isThere = DATABASE === "sqlite" || serverUrl(DATABASE) !== undefined;

/** A test of what the database may change: test/panel/postgres/ runs it once more, on PostgreSQL. */
export const story = (name: string, run: () => void | Promise<void>): void =>
  test.skipIf(!CHROMIUM || !isThere)(name, showingPages(run));

const isForStories = process.env["WAYMARK_TEST_PANEL_STORIES"] === "1";
/** Any other test beside stories. */
export const once = (name: string, run: () => void | Promise<void>): void => {
  if (!isForStories) test.skipIf(!CHROMIUM)(name, showingPages(run));
};

const TRIES = 3;

/** On a busy machine the database may answer too late. A server that starts then ends, to be started again. */
const serve = (installation: Installation, settings: Settings, tries = TRIES): Promise<RunningWaymark> =>
  installation.serve(settings).catch((error: Error) => {
    if (tries === 1 || !error.message.includes("The database is not available")) throw error;
    return serve(installation, settings, tries - 1);
  });

/**
 * An installation with the admin password set, running, a signed-in client, and a browser if there is one.
 *
 * @param settings of the start
 * @param stored run-time settings, set before the start
 */
export async function startPanel(settings: Settings = {}, stored: Record<string, string> = {}) {
  const database = DATABASE === "sqlite" || !isThere ? null : await createMigrated(DATABASE);
  const own = { ...(database && { WAYMARK__DATABASE__URL: database.url }), ...settings };
  const installation = await installWithPassword(own);
  for (const [key, value] of Object.entries(stored)) await installation.run(["config", "set", key, value]);
  const server = await serve(installation, {});
  const { port } = new URL(server.url);
  const client = await signIn(server.url);
  const browser = CHROMIUM ? await startPanelBrowser() : undefined;
  const panel = {
    installation,
    server,
    client,
    origin: panelOrigin(server.url),
    databaseUrl: database?.url ?? `sqlite:${join(installation.dataDir, "waymark.db")}`,
    open: panelOpener(browser!, server.url),
    /** As `open`, as administrator. */
    enter: panelOpener(browser!, server.url, true),
    /** The ended server, at the same address. */
    async startAgain(): Promise<void> {
      panel.server = await serve(installation, { WAYMARK__SERVER__PORT: port });
    },
    async stop() {
      await browser?.close();
      await installation.remove();
      await database?.drop();
    },
  };
  return panel;
}

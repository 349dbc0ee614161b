/**
 * Eleven jobs of people who use the panel all day, done in Chromium against the real program, with every key, click and
 * typed text counted. Prints the table. Exits with 1 if a job fails or takes more than its bound.
 *
 *     npm run jobs
 */
import type { Page } from "playwright-core";
import { CHROME } from "../src/clicks/analytics/analytics.test-support.ts";
import { driveClient } from "../test/support/drive.ts";
import { signInToPanel, startPanel } from "../test/support/panel.ts";
import { PASSWORD, signIn } from "../test/support/session.ts";
import { stranger } from "../test/support/stranger.ts";
import { until } from "../test/support/until.ts";

const HOST = "go.example.com";
const WAIT_MS = 20_000;
const panel = await startPanel({}, { "analytics.enable_detailed_logging": "true" });
const { client, origin, server } = panel;
const drive = driveClient(server.url, client.token);

/** What a person does, counted. Texts count once, however long. */
function handsOn(page: Page) {
  let count = 0;
  const did: string[] = [];
  const note = (what: string): void => {
    count += 1;
    did.push(what);
  };
  const short = (text: string): string => (text.length > 24 ? `${text.slice(0, 23)}…` : text);
  async function press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      note(key);
      await page.keyboard.press(key);
    }
  }
  async function type(text: string): Promise<void> {
    note(`“${short(text)}”`);
    await page.keyboard.type(text);
  }
  return {
    page,
    did,
    count: () => count,
    press,
    type,
    async click(target: ReturnType<Page["locator"]>, button: "left" | "right" = "left") {
      await target.click({ button, trial: true });
      const name = await target.evaluate((element) => {
        const label = (element as HTMLInputElement).labels?.[0]?.textContent;
        const copy = element.cloneNode(true) as HTMLElement;
        for (const hidden of copy.querySelectorAll("[aria-hidden=true]")) hidden.remove();
        return (element.getAttribute("aria-label") ?? label ?? copy.textContent).trim();
      });
      note(`[${short(name)}]`);
      await target.click({ button });
    },
    /** ⌘K, what is looked for, and until it is found. */
    async find(text: string) {
      await press("Control+k");
      await page.locator("[cmdk-input]").waitFor();
      await type(text);
      await page.getByRole("option", { selected: true }).filter({ hasText: text }).waitFor();
    },
  };
}
type Hands = ReturnType<typeof handsOn>;
type Job = { name: string; most: number; from: string; run(hands: Hands): Promise<void> };

const linkOf = async (code: string, domain = "") =>
  (await client.call("GET", `/links/${code}${domain && `?domain=${domain}`}`)).body.data;

function check(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`not so: ${what}`);
}

const JOBS: readonly Job[] = [
  {
    name: "Make ten links of URLs from a sheet",
    most: 6,
    from: "",
    async run({ page, press }) {
      const rows = Array.from({ length: 10 }, (_, at) => `https://example.com/sheet/${at}\tRow ${at}`);
      await page.evaluate((text) => navigator.clipboard.writeText(text), rows.join("\n"));
      await press("Control+v");
      await page.getByRole("button", { name: "Create 10 links" }).waitFor();
      await press("Control+Enter");
      await until(async () => {
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        return copied.split("\n").length === 10 && !copied.includes("sheet");
      });
    },
  },
  {
    name: "Export the best links of a campaign in this month",
    most: 8,
    from: "",
    async run({ page, press, type, click }) {
      await press("g", "a");
      await page.getByRole("heading", { name: "Analytics" }).waitFor();
      await press("f");
      await page.getByRole("option", { name: "autumn" }).first().waitFor();
      await type("autumn this month");
      await page.locator("[data-combobox-selected]", { hasText: "autumn · This month" }).waitFor();
      await press("Enter");
      await page.getByRole("region", { name: "What was clicked" }).getByText("best").waitFor();
      await click(page.getByRole("button", { name: "Export", exact: true }));
      const download = page.waitForEvent("download");
      await click(page.getByRole("menuitem", { name: "Chart and lists as CSV" }));
      const text = await Bun.file(await (await download).path()).text();
      check(text.includes("link,best") && !text.includes("flyer"), "the links of the campaign alone");
    },
  },
  {
    name: "Retarget a printed QR code",
    most: 6,
    from: "",
    async run({ page, press, type, find }) {
      await find("flyer");
      await press("Tab", "e");
      const form = page.getByRole("form", { name: "Target" });
      await form.getByRole("textbox", { name: "Target" }).and(page.locator(":focus")).waitFor();
      await type("https://example.com/new-menu");
      await press("Enter");
      await form.waitFor({ state: "detached" });
      check((await linkOf("flyer")).target === "https://example.com/new-menu", "the code leads elsewhere");
    },
  },
  {
    name: "Share a folder with a password until Friday",
    most: 8,
    from: "",
    async run({ page, type, click }) {
      await click(page.getByRole("link", { name: "Files", exact: true }));
      await click(page.getByRole("row").filter({ hasText: "Drawings" }).getByText("Drawings"), "right");
      await click(page.getByRole("menuitem", { name: "Share" }));
      const form = page.getByRole("main");
      await click(form.getByRole("button", { name: "Limits" }));
      await click(form.locator("label", { hasText: "Ask for a password" }));
      await form.getByLabel("Password", { exact: true }).and(page.locator(":focus")).waitFor();
      await type("only for you");
      await click(form.getByText(/^Until Friday/));
      await click(form.getByRole("button", { name: "Share", exact: true }));
      await form.getByRole("img", { name: /QR code/ }).waitFor();
      const [share] = (await drive.call("GET", "/shares?kind=folder")).body.data;
      check(share.password !== null && new Date(share.expires_at).getDay() === 5, "locked, until Friday");
    },
  },
  {
    name: "Collect files from five strangers",
    most: 8,
    from: "",
    async run({ page, press, click }) {
      await click(page.getByRole("link", { name: "Files", exact: true }));
      await click(page.getByRole("row").filter({ hasText: "Drawings" }).getByText("Drawings"), "right");
      await click(page.getByRole("menuitem", { name: "Share" }));
      const form = page.getByRole("main");
      await click(form.getByText("Drop box"));
      await click(form.getByRole("button", { name: "Create" }));
      await form.getByRole("img", { name: /QR code/ }).waitFor();
      const address = (await form.locator("a[href^=http]").first().getAttribute("href"))!;
      for (let at = 1; at <= 5; at++) {
        const sent = await stranger().put(address.replace("localhost", "127.0.0.1"), {
          [`from-${at}.txt`]: `${at}`,
        });
        check(sent.status < 400, "the box takes a file");
      }
      await press("g", "s");
      await page.getByRole("row").getByText("5 of 100 files").last().waitFor();
    },
  },
  {
    name: "Let a colleague in as editor",
    most: 9,
    from: "",
    async run({ page, press, type, find, click }) {
      await find("New account");
      await press("Enter");
      const form = page.getByRole("dialog");
      await form.getByLabel("Name").and(page.locator(":focus")).waitFor();
      await type("anna");
      await press("Tab");
      await type("a good password");
      await click(form.getByLabel("Role"));
      await click(page.getByRole("option", { name: "Editor" }));
      await click(form.getByRole("button", { name: "Create" }));
      await form.waitFor({ state: "detached" });
      const [anna] = (await client.call("GET", "/users?search=anna")).body.data;
      check(anna.role === "editor", "an editor");
    },
  },
  {
    name: "Make a token for a program",
    most: 6,
    from: "",
    async run({ page, press, type, find, click }) {
      await find("New token");
      await press("Enter");
      const form = page.getByRole("dialog");
      await form.getByLabel("Name").and(page.locator(":focus")).waitFor();
      await type("reports");
      await click(form.getByLabel("links:read"));
      await press("Control+Enter");
      await page.getByText(/^wmk_/).waitFor();
    },
  },
  {
    name: "Take back a change of fifty links",
    most: 2,
    from: "links?tag=%5B%22fifty%22%5D",
    async run({ page, press }) {
      const hands = handsOn(page);
      await page.getByText("50 links", { exact: true }).waitFor();
      // Not counted: the change itself.
      await hands.press("Control+a", "Delete");
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("50 links are deleted.").waitFor();
      check((await client.call("GET", "/links?tag=fifty")).body.pagination?.total === 0, "all are gone");
      await press("Control+z");
      await until(async () => (await client.call("GET", "/links?tag=fifty")).body.pagination?.total === 50);
    },
  },
  {
    name: "See who changed a link",
    most: 4,
    from: "",
    async run({ page, press, find, click }) {
      await find("changed-by");
      await press("Enter");
      await click(page.getByRole("tab", { name: "History" }));
      await page
        .getByRole("region", { name: "History" })
        .filter({ hasText: /\bben\b/ })
        .waitFor();
    },
  },
  {
    name: "Lead iPhones and Germany elsewhere, and try both",
    most: 13,
    from: "link/ruled",
    async run({ page, press, type, click }) {
      const adding = page.getByRole("group", { name: "Add a rule" });
      const visiting = page.getByRole("group", { name: "Visit as" });
      await click(adding.getByRole("button", { name: "System" }));
      await click(page.getByRole("option", { name: "iPhone and iPad" }));
      await type("apps.example/app");
      await click(adding.getByRole("button", { name: "Country" }));
      await page.getByRole("combobox", { name: "Country" }).and(page.locator(":focus")).waitFor();
      await type("Germany");
      await press("Enter");
      await type("example.de");
      await visiting.getByText("→ https://apps.example/app").waitFor();
      // The browser's own list: Escape stands for the choice in it.
      await click(visiting.getByLabel("Device"));
      await press("Escape");
      await visiting.getByLabel("Device").selectOption("Windows");
      await click(visiting.getByRole("combobox", { name: "Country" }));
      await type("Germany");
      await press("Enter");
      await visiting.getByText("→ https://example.de").waitFor();
      await click(page.getByRole("button", { name: "Save rules" }));
      await until(async () => (await linkOf("ruled")).rules?.length === 2);
    },
  },
  {
    name: "Move the links of a tag to another domain",
    most: 8,
    from: "",
    async run({ page, press, find, click }) {
      await find("to-move");
      await press("Enter");
      await page.getByText("4 links", { exact: true }).waitFor();
      await press("Control+a");
      await click(page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Edit" }));
      await click(page.getByRole("dialog").getByRole("combobox", { name: "Domain" }));
      await click(page.getByRole("option", { name: HOST }));
      await click(page.getByRole("dialog").getByRole("button", { name: "Change" }));
      await until(async () => (await linkOf("move-3", HOST))?.code === "move-3");
    },
  },
];

async function fill(): Promise<void> {
  const link = (code: string, more: object = {}) =>
    client.call("POST", "/links", { code, target: `https://example.com/${code}`, ...more });
  for (const code of ["flyer", "changed-by", "ruled"]) await link(code, { title: `Printed ${code}` });
  for (const code of ["good", "best", "fair"])
    await link(code, { target: `https://example.com/${code}?utm_campaign=autumn` });
  for (let at = 0; at < 50; at++) await link(`fifty-${at}`, { tags: ["fifty"] });
  for (let at = 0; at < 4; at++) await link(`move-${at}`, { tags: ["to-move"] });
  const visit = { headers: { "User-Agent": CHROME }, redirect: "manual" } as const;
  for (const code of ["best", "good", "best", "flyer", "best"]) await fetch(`${server.url}/${code}`, visit);
  await until(async () => (await linkOf("best")).click_count === 3);
  await client.call("POST", "/domains", { host: HOST });
  await drive.folder("Drawings");
  await client.call("POST", "/users", { username: "ben", password: PASSWORD, role: "admin" });
  const ben = await signIn(server.url, PASSWORD, "ben");
  await ben.call("PATCH", "/links/changed-by", { title: "Changed by somebody else" });
}

const lines: string[] = [];
let isFailed = false;
try {
  await fill();
  const { page, context, close } = await panel.open("/panel/");
  context.setDefaultTimeout(WAIT_MS);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signInToPanel(page, PASSWORD);
  for (const { name, most, from, run } of JOBS) {
    await page.goto(`${origin}/panel/${from}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const hands = handsOn(page);
    const failure = await run(hands).then(
      () => null,
      (error: Error) => error,
    );
    const isOver = hands.count() > most;
    isFailed ||= failure !== null || isOver;
    const verdict = failure !== null ? "failed" : isOver ? "too many" : "ok";
    lines.push(`${String(hands.count()).padStart(3)} of ${most}  ${verdict.padEnd(8)}  ${name}`);
    lines.push(`            ${hands.did.join("  ")}`);
    if (failure !== null) lines.push(`            ${failure.message.split("\n")[0]}`);
  }
  await close();
} finally {
  await panel.stop();
}
console.log(lines.join("\n"));
process.exit(isFailed ? 1 : 0);

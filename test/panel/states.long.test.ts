/** Every list of the panel while its answer is on its way, refused, failed and empty. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/chromium.ts";
import { startPanel } from "../support/panel.ts";
import { soon } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

/** `asked`: the pathname of the list. `shown`: its sentence on an installation without entries, or its first words. */
const LISTS: readonly { path: string; asked: string; shown: string }[] = [
  { path: "", asked: "/admin/v1/stats", shown: "Create your first short link" },
  { path: "links", asked: "/admin/v1/links", shown: "There are no links yet." },
  { path: "links?q=none", asked: "/admin/v1/links", shown: "No link matches." },
  { path: "links/deleted", asked: "/admin/v1/links/deleted", shown: "No deleted links." },
  { path: "links/deleted?q=none", asked: "/admin/v1/links/deleted", shown: "No deleted link matches." },
  { path: "links/tags", asked: "/admin/v1/tags", shown: "No link has a tag yet." },
  { path: "files", asked: "/folders", shown: "This folder is empty." },
  { path: "files?q=none", asked: "/files/search", shown: "No name matches." },
  { path: "files/trash", asked: "/trash", shown: "The trash is empty." },
  { path: "shares", asked: "/shares", shown: "There are no shares yet." },
  { path: "shares?q=none", asked: "/shares", shown: "No share matches." },
  { path: "tokens", asked: "/admin/v1/tokens", shown: "There are no tokens yet." },
  { path: "users", asked: "/admin/v1/users", shown: "There are no other accounts yet." },
  { path: "users?q=none", asked: "/admin/v1/users", shown: "No account matches." },
  { path: "domains", asked: "/admin/v1/domains", shown: "There is only the default domain." },
  { path: "events?actor=nobody", asked: "/admin/v1/events", shown: "No events match." },
  { path: "policies", asked: "/admin/policies", shown: "Test the storage" },
  { path: "health", asked: "/admin/v1/system", shown: "Everything works" },
  { path: "settings", asked: "/admin/v1/config/schema", shown: "Files and sharing" },
];

type Answers = "waits" | "fails" | "refuses" | "passes";

const FAILURE = "The disk of the database is full.";
const REFUSAL = "This needs the role of an administrator.";

const FAILURES = {
  fails: { status: 500, message: FAILURE },
  refuses: { status: 403, message: REFUSAL },
} as const;

type Teller = { tell(next: Answers): void };

/**
 * Answers the requests for one pathname as it is told, from the next document on. It stands for the network inside the
 * page, because a route of Playwright's has every page load all scripts again.
 */
async function controlled(page: Page, asked: string, first: Answers = "waits") {
  await page.evaluate((told) => sessionStorage.setItem("told", JSON.stringify(told)), { asked, first });
  return (next: Answers) => page.evaluate((told) => (window as unknown as Teller).tell(told), next);
}

const control = (page: Page) =>
  page.addInitScript((failures) => {
    const told = JSON.parse(sessionStorage.getItem("told") ?? "{}") as { asked?: string; first: Answers };
    const ask = window.fetch;
    let answers = told.first;
    let change = Promise.withResolvers<void>();
    const tell = (next: Answers) => {
      answers = next;
      change.resolve();
      change = Promise.withResolvers();
    };
    const answer = async (input: RequestInfo | URL, init?: RequestInit) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input, location.href);
      if (pathname !== told.asked) return ask(input, init);
      if (answers === "waits") await change.promise;
      if (answers === "passes" || answers === "waits") return ask(input, init);
      const { status, message } = failures[answers];
      return Response.json({ code: 1, message, error: "Internal" }, { status });
    };
    Object.assign(window, { tell, fetch: answer });
  }, FAILURES);

test.skipIf(!CHROMIUM)("a list waits, fails with the server's sentence, retries and is empty", async () => {
  const { page, close } = await panel.enter("/panel/api");
  await control(page);
  for (const { path, asked, shown } of LISTS) {
    const answer = await controlled(page, asked);
    await page.goto(`${panel.origin}/panel/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.locator("main [aria-busy=true]").first().waitFor();
    expect([path, await page.getByText(shown).count()]).toEqual([path, 0]);

    await answer("fails");
    const alert = page.getByRole("alert").filter({ hasText: FAILURE });
    await alert.waitFor();
    // Lists in view heal by themselves; this one is left to its button.
    await page.evaluate(() => Object.defineProperty(document, "visibilityState", { value: "hidden" }));
    await answer("passes");
    await alert.getByRole("button", { name: "Try again" }).click();
    await page.getByText(shown).first().waitFor();
    expect([path, await page.getByRole("alert").count()]).toEqual([path, 0]);
  }
  await close();
});

test.skipIf(!CHROMIUM)("a list that the server refuses says so in the server's words", async () => {
  const { page, close } = await panel.enter("/panel/api");
  await control(page);
  for (const { path, asked } of LISTS.filter((list) => !list.path.includes("?q="))) {
    await controlled(page, asked, "refuses");
    await page.goto(`${panel.origin}/panel/${path}`);
    const alert = page.getByRole("alert").filter({ hasText: "Your account may not see this" });
    // A list that asks again shows no alert meanwhile.
    await soon(async () => expect([path, await alert.getByText(REFUSAL).count()]).toEqual([path, 1]));
  }
  await close();
});

test.skipIf(!CHROMIUM)("the page of a link that does not exist says so and leads to the links", async () => {
  const { page, close } = await panel.enter("/panel/link/not/there");
  await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
  await page.getByText('There is no link "not/there".').waitFor();
  await page.getByRole("link", { name: "Show the links" }).click();
  await page.getByText("There are no links yet.").waitFor();
  await close();
});

test.skipIf(!CHROMIUM)("polling repeats sooner after a failure", async () => {
  const { page, close } = await panel.enter("/panel/api");
  await control(page);
  await page.clock.install();
  const answer = await controlled(page, "/health", "fails");
  await page.goto(`${panel.origin}/panel/`);
  await page.getByRole("status").filter({ hasText: FAILURE }).waitFor();
  await answer("passes");
  // Healthy, it is asked for once a minute.
  await page.clock.runFor(10_000);
  await page.getByRole("status").filter({ hasText: FAILURE }).waitFor({ state: "detached" });
  await close();
});

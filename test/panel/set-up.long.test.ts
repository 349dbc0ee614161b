/** The first start in a browser: the one-time address, the sign-in page before and after it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createFresh, serverUrl } from "../../src/platform/db/fresh.test-support.ts";
import { CHROMIUM } from "../support/chromium.ts";
import {
  expectAccessible,
  expectAccessibleInAllLooks,
  focused,
  panelOpener,
  startPanelBrowser,
} from "../support/panel.ts";
import { PASSWORD, signIn } from "../support/session.ts";
import { soon, until } from "../support/until.ts";
import { type Installation, install, type Settings } from "../support/waymark.ts";

let browser: Awaited<ReturnType<typeof startPanelBrowser>>;
const installations: Installation[] = [];
beforeAll(async () => {
  if (CHROMIUM !== null) browser = await startPanelBrowser();
});
afterAll(async () => {
  await browser?.close();
  await Promise.all(installations.map((made) => made.remove()));
});

async function start(settings: Settings = {}) {
  const installation = install(settings);
  installations.push(installation);
  const server = await installation.serve();
  await until(() => server.log().includes("admin API is"));
  const [path] = /\/panel\/set-up#[\w-]{22}/.exec(server.log())!;
  return { installation, server, path, open: panelOpener(browser, server.url) };
}

type Page = Awaited<ReturnType<ReturnType<typeof panelOpener>>>["page"];

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel("Password of the administrator").fill(PASSWORD);
  await page.getByRole("button", { name: "Set up and sign in" }).click();
  await page.getByRole("button", { name: /Account menu/ }).waitFor();
}

test.skipIf(!CHROMIUM)("the set-up asks once, signs in, and every other tab continues", async () => {
  const { server, path, open } = await start();
  const waiting = await open("/panel/links");
  await waiting.page.getByText("The panel is off").waitFor();
  await waiting.page.getByText("waymark reset-password").waitFor();
  await expectAccessibleInAllLooks(waiting.page, "sign-in while the API is off");
  expect((await fetch(`${server.url}/admin/v1/links`)).status).toBe(404);

  const wrong = await open("/panel/set-up#wrong");
  await wrong.page
    .getByRole("alert")
    .filter({ hasText: "wrong, already used or older than an hour" })
    .waitFor();
  await expectAccessible(wrong.page, "a wrong address");

  const { page, complaints, close } = await open(path);
  await page.getByLabel("Password of the administrator").waitFor();
  await expectAccessibleInAllLooks(page, "set-up");
  await soon(async () =>
    expect(await page.getByLabel("Public address").inputValue()).toBe(new URL(page.url()).origin),
  );
  await page.getByLabel("Public address").fill("not an address");
  await page.getByLabel("Password of the administrator").fill(PASSWORD);
  await page.getByRole("button", { name: "Set up and sign in" }).click();
  // Once, at its field.
  await page.getByText("The public address must be empty, or like").waitFor();
  await focused(page.getByLabel("Public address"));
  expect((await fetch(`${server.url}/admin/v1/links`)).status).toBe(404);
  await page.getByLabel("Public address").fill("https://go.example.com");
  await page.reload();
  await page.getByText("What you typed before is here again.").waitFor();
  expect(await page.getByLabel("Public address").inputValue()).toBe("https://go.example.com");
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(PASSWORD);
  await page.getByRole("switch", { name: "Keep details of clicks" }).press("Space");
  await page.getByRole("switch", { name: "Keep IP addresses" }).press("Space");
  await fillIn(page);
  await page.waitForURL((url) => url.hash === "");
  await page.reload();
  await page.getByRole("button", { name: /Account menu/ }).waitFor();

  // The workers have started anew for it.
  await soon(async () => {
    const { value } = await page.evaluate(async () => {
      const response = await fetch("/admin/v1/config/analytics.enable_detailed_logging");
      return ((await response.json()) as { data: { value: string } }).data;
    });
    expect(value).toBe("true");
  });

  // The overview leads until there is a link.
  const first = page.getByRole("heading", { name: "Create your first short link" });
  await first.waitFor();
  for (const way of ["Move from another service", "Share a file", "Invite people"])
    await page.getByRole("link", { name: way }).waitFor();
  await expectAccessibleInAllLooks(page, "first run");
  await page.getByLabel("URL to shorten").fill("no address");
  await page.keyboard.press("Enter");
  await page.getByText("Enter a URL such as").waitFor();
  await page.getByLabel("URL to shorten").fill("example.com/first");
  await page.keyboard.press("Enter");
  await first.waitFor({ state: "detached" });
  await page.getByRole("region", { name: "Most clicked links" }).waitFor();
  expect(complaints).toEqual([
    "Failed to load resource: the server responded with a status of 400 (Bad Request)",
  ]);

  await waiting.page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  expect(waiting.complaints).toEqual([]);
  const used = await open(path);
  await used.page.getByText("A password is set already.").waitFor();
  await used.page.getByRole("link", { name: "Sign in" }).click();
  await used.page.getByRole("button", { name: "Sign in", exact: true }).waitFor();

  const { call } = await signIn(server.url);
  const valueOf = async (key: string) => (await call("GET", `/config/${key}`)).body.data;
  expect(await valueOf("features.public_url")).toMatchObject({ value: "https://go.example.com" });
  expect(await valueOf("analytics.enable_detailed_logging")).toMatchObject({ value: "true" });
  expect(await valueOf("analytics.enable_ip_logging")).toMatchObject({ value: "false" });
  expect(await valueOf("features.enforce_link_passwords")).toMatchObject({ value: "true" });
  await close();
});

test.skipIf(!CHROMIUM)("a wrong public address shows the message of the form", async () => {
  const { path, open } = await start();
  const { page, close } = await open(path, { locale: "de" });
  const [password, address] = [page.getByLabel("Passwort des Administrators"), "Öffentliche Adresse"];
  await password.fill(PASSWORD);
  await page.getByLabel(address).fill("https://go.example.com/a/path");
  await page.keyboard.press("Enter");
  await page.getByText("Die öffentliche Adresse muss leer sein oder wie https://go.example.com").waitFor();
  await focused(page.getByLabel(address));
  expect(await page.getByRole("main").or(page.locator("body")).first().textContent()).not.toContain(
    "public_url",
  );
  await close();
});

test.skipIf(!CHROMIUM)("whoever finishes the set-up second sees why it failed", async () => {
  const { path, open } = await start();
  const pages = [await open(path), await open(path)];
  for (const { page } of pages) {
    await page.getByLabel("Password of the administrator").fill(PASSWORD);
  }
  const [first, second] = pages;
  await fillIn(first!.page);
  await second!.page.getByRole("button", { name: "Set up and sign in" }).click();
  await second!.page.getByRole("alert").filter({ hasText: "A password is set already. Sign in." }).waitFor();
});

test.skipIf(!CHROMIUM || serverUrl("postgres") === undefined)(
  "the set-up works on PostgreSQL with two workers",
  async () => {
    const fresh = await createFresh("postgres");
    const { installation, path, open } = await start({
      WAYMARK__DATABASE__URL: fresh.url,
      WAYMARK__SERVER__WORKERS: "2",
    });
    const { page, complaints } = await open(path);
    await fillIn(page);
    expect(complaints).toEqual([]);
    await installation.remove();
    await fresh.drop();
  },
);

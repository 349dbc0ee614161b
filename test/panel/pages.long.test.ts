/** The pages of the panel in Chromium, against the real program. */
import { afterAll, beforeAll, expect } from "bun:test";
import {
  expectAccessible,
  expectAccessibleInAllLooks,
  once,
  pressSignIn,
  signInToPanel,
  startPanel,
  story,
} from "../support/panel.ts";
import { soon } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

const expectStatus = (address: string, status: number): Promise<void> =>
  soon(async () => {
    const answer = await fetch(address, { redirect: "manual", headers: { Accept: "text/html" } });
    expect(answer.status).toBe(status);
  });

story("sign in, make a link, find it, delete it and undo", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links?q=spring");
  await page.waitForURL((url) => url.search === "?q=spring");
  await page.getByText("No link matches").waitFor();

  await page.getByRole("button", { name: "New link" }).click();
  const form = page.getByRole("region", { name: "New link" });
  await form.getByLabel("Target").fill("https://example.com/spring?<script>alert(1)</script>");
  await form.getByLabel("Code").fill("spring/flyer");
  await form.getByLabel("Title").fill("<img src=x onerror=alert(1)>");
  await form.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/link\/spring\/flyer$/);
  const answer = await fetch(`${panel.server.url}/spring/flyer`, { redirect: "manual" });
  expect(answer.headers.get("location")).toStartWith("https://example.com/spring");

  await page.goto(`${panel.origin}/panel/links?q=spring`);
  await page.getByRole("button", { name: "Actions for spring/flyer" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByText("No link matches").waitFor();
  await expectStatus(`${panel.server.url}/spring/flyer`, 404);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("row").filter({ hasText: "spring/flyer" }).waitFor();
  await expectStatus(`${panel.server.url}/spring/flyer`, 307);
  expect(complaints).toEqual([]);
  await close();
});

once("a session that ended in the middle of a form asks once, and a wrong password says so", async () => {
  const { page, close } = await panel.open("/panel/");
  await page.getByLabel("Password", { exact: true }).fill("a wrong password");
  await pressSignIn(page);
  await page
    .getByRole("alert")
    .filter({ hasText: /password/i })
    .waitFor();
  await signInToPanel(page);
  await page.getByRole("link", { name: "Links" }).click();
  // The access token has ended; the session has not.
  await page.context().clearCookies({ name: "svc_access" });
  await page.getByRole("button", { name: "New link" }).click();
  await page.getByLabel("Target").fill("https://example.com/renewed");
  await page.getByLabel("Code").fill("renewed");
  await page.getByRole("button", { name: "Create link" }).click();
  await page.waitForURL(/link\/renewed$/);
  await close();
});

story("an administrator makes a token, an account and a domain; the token works", async () => {
  const { page, complaints, close } = await panel.enter("/panel/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Name").fill("ci");
  await form.getByLabel("links:read").check();
  await form.getByRole("button", { name: "Create" }).click();
  const token = (await page.getByText(/^wmk_/).textContent())!;
  const list = await fetch(`${panel.server.url}/admin/v1/links`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(list.status).toBe(200);
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("There are no tokens yet.").waitFor();
  const later = await fetch(`${panel.server.url}/admin/v1/links`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(later.status).toBe(401);

  await page.getByRole("button", { name: "New token" }).click();
  await form.getByLabel("Name").fill("kept");
  await form.getByLabel("links:read").check();
  await form.getByRole("button", { name: "Create" }).click();
  await page.getByText(/^wmk_/).waitFor();

  await page.getByRole("link", { name: "Accounts" }).click();
  await page.getByRole("button", { name: "New account" }).click();
  await form.getByLabel("Name", { exact: true }).fill("anna");
  await form.getByLabel("Password", { exact: true }).fill("anna's password");
  await form.getByRole("button", { name: "Create" }).click();
  await page.getByRole("row").filter({ hasText: "anna" }).waitFor();

  await page.getByRole("link", { name: "Domains" }).click();
  await page.getByRole("button", { name: "New domain" }).click();
  await form.getByLabel("Host").fill("go.example.com");
  await form.getByRole("button", { name: "Create" }).click();
  await page.getByRole("row").filter({ hasText: "go.example.com" }).waitFor();

  await page.getByRole("link", { name: "Events" }).click();
  await page.getByRole("row").filter({ hasText: "Domain added" }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("files are uploaded into a folder, shared with a password, moved to the trash and back", async () => {
  const { page, complaints, close } = await panel.enter("/panel/files");
  await page.getByRole("button", { name: "New folder" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Name").fill("<i>Reports");
  await form.getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: "<i>Reports" }).click();
  await page.getByText("This folder is empty.").waitFor();
  const bytes = Buffer.alloc(3_000_000, "report ");
  const choice = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload" }).click();
  await page.getByRole("menuitem", { name: "Files" }).click();
  await (await choice).setFiles({ name: "<img src=x>.txt", mimeType: "text/plain", buffer: bytes });
  const row = page.getByRole("row").filter({ hasText: "<img src=x>.txt" });
  await row.waitFor();

  await row.getByRole("button", { name: /Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Share" }).click();
  await page.getByRole("main").getByRole("button", { name: "Limits" }).click();
  await page.getByRole("main").locator("label", { hasText: "Ask for a password" }).click();
  await page.getByRole("main").getByLabel("Password", { exact: true }).fill("a good password");
  await page.getByRole("main").getByRole("button", { name: "Share" }).click();
  await page
    .getByRole("main")
    .getByRole("img", { name: /QR code/ })
    .waitFor();
  const address = (await page.getByRole("main").locator("a[href^=http]").first().getAttribute("href"))!;
  await expectStatus(address, 401);
  await page.goBack();

  await row.getByRole("button", { name: /Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Move to the trash" }).click();
  await form.getByRole("button", { name: "Move to the trash" }).click();
  await page.getByText("This folder is empty.").waitFor();
  await expectStatus(address, 404);
  await page.getByRole("button", { name: "Undo" }).click();
  await row.waitFor();
  expect(complaints).toEqual([]);
  await close();
});

story("an editor sees links, files and tokens, and only own links", async () => {
  const { page, close } = await panel.open("/panel/");
  await page.getByLabel("Username or e-mail address").fill("anna");
  await page.getByLabel("Password", { exact: true }).fill("anna's password");
  await pressSignIn(page);
  await page.getByText("Create your first short link").waitFor();
  await soon(async () =>
    expect(
      await page
        .getByRole("navigation", { name: "Pages" })
        .locator("a > span:first-of-type")
        .allTextContents(),
    ).toEqual(["Overview", "Analytics", "Links", "Files", "Shares", "Teams", "API tokens", "API", "Domains"]),
  );
  await close();
});

once("axe finds nothing on the sign-in and a link", async () => {
  const link = { code: "looked-at", target: "https://example.com/", title: "Looked at" };
  await panel.client.call("POST", "/links", link);
  const { page, complaints, close } = await panel.open("/panel/");
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  await expectAccessibleInAllLooks(page, "sign-in");
  await signInToPanel(page);
  await page.goto(`${panel.origin}/panel/link/looked-at`);
  await page.getByRole("slider", { name: "Values by time" }).waitFor();
  await expectAccessibleInAllLooks(page, "link");
  await page.getByRole("button", { name: "QR" }).click();
  await page.getByRole("img", { name: /QR code/ }).waitFor();
  await expectAccessibleInAllLooks(page, "QR code");
  expect(complaints).toEqual([]);
  await close();
});

once("the API's reference tries out calls with a token made in place", async () => {
  const { page, complaints, close } = await panel.enter("/panel/api");
  await page.locator("iframe[data-ready=true]").waitFor();
  await expectAccessible(page, "API");
  await page.getByRole("button", { name: "Create a token" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Name").fill("reference");
  await form.getByLabel("links:read").check();
  await form.getByRole("button", { name: "Create" }).click();
  const token = (await page.getByText(/^wmk_/).textContent())!;
  const docs = page.frameLocator("iframe");
  // Of many operations Swagger UI draws those in sight.
  await docs.locator(".operation-filter-input").fill("links");
  await docs.locator("#operations-links-listLinks .opblock-summary-control").click();
  await docs.getByRole("button", { name: "Try it out" }).click();
  const asked = page.waitForRequest((request) => request.url().includes("/admin/v1/links?"));
  await docs.getByRole("button", { name: "Execute", exact: true }).click();
  expect((await (await asked).allHeaders())["authorization"]).toBe(`Bearer ${token}`);
  await docs.locator(".responses-table .response-col_status", { hasText: "200" }).first().waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  await docs.locator("html.dark-mode").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("the languages of the browser are spoken", async () => {
  const texts = { de: "Anmelden", fr: "Se connecter", ja: "サインイン", zh: "登录" };
  for (const [locale, text] of Object.entries(texts)) {
    const { page, close } = await panel.open("/panel/", { locale });
    await page.getByRole("button", { name: text, exact: true }).waitFor();
    await soon(async () => expect(await page.locator("html").getAttribute("lang")).toBe(locale));
    await close();
  }
});

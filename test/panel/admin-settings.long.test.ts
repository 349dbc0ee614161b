/** Settings, storages and health in Chromium, against the real program. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectAccessibleInAllLooks, once, startPanel, story } from "../support/panel.ts";
import { storagesFor } from "../support/storages.ts";
import { soon } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

/** Its label is the name in words, then the key. */
const field = (page: Page, key: string) => page.getByLabel(new RegExp(`, ${key.replaceAll(".", "\\.")}$`));

once("settings are refused at their field, kept while away, and saved together", async () => {
  const { page, complaints, close } = await panel.enter("/panel/settings?q=default_url");
  await field(page, "features.default_url").fill("no address");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "http" }).waitFor();
  await soon(async () =>
    expect(await field(page, "features.default_url").getAttribute("aria-invalid")).toBe("true"),
  );
  await field(page, "features.default_url").fill("https://example.com/start");
  await page.getByLabel("Search settings").fill("trash");
  await field(page, "files.trash_days").fill("7 days");

  // What was typed is there after leaving, and after a reload.
  await page.getByRole("link", { name: "Domains" }).click();
  await page.getByRole("heading", { name: "Domains" }).waitFor();
  await page.goto(`${panel.origin}/panel/settings`);
  await page.getByText("2 changes are not saved").waitFor();
  await soon(async () =>
    expect(await field(page, "features.default_url").inputValue()).toBe("https://example.com/start"),
  );
  await expectAccessibleInAllLooks(page, "settings with changes");
  await page.getByRole("button", { name: "Save all" }).click();
  await page.getByText("2 changes are not saved").waitFor({ state: "detached" });
  await soon(async () => {
    const root = await fetch(`${panel.server.url}/`, { redirect: "manual" });
    expect(root.headers.get("location")).toBe("https://example.com/start");
  });
  expect((await panel.client.call("GET", "/config/files.trash_days")).body.data.value).toBe("7");

  await page.getByLabel("Search settings").fill("");
  await page.getByRole("navigation", { name: "Groups of settings" }).getByText("Files").click();
  await page.getByRole("button", { name: "History of Trash days" }).click();
  await page.getByRole("dialog", { name: "History of Trash days" }).getByText("admin").waitFor();
  await page.getByRole("button", { name: "Take back 30" }).click();
  await page.getByText("1 change is not saved").waitFor();
  await soon(async () => expect(await field(page, "files.trash_days").inputValue()).toBe("30 days"));
  await page.getByRole("button", { name: "Discard the change of Trash days" }).click();
  await page.locator("[id='files.trash_days']").getByRole("button", { name: "Use the default" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Trash days is saved.").waitFor();
  expect((await panel.client.call("GET", "/config/files.trash_days")).body.data.value).toBe("30");
  expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  await close();
});

once("a list is changed in rows by keyboard, and each row says what is wrong with it", async () => {
  const { page, close } = await panel.enter("/panel/settings?q=trusted_proxies");
  const list = page.getByRole("group", { name: "api.trusted_proxies" });
  const row = (at: number) =>
    list.getByLabel(`Trusted proxies, api.trusted_proxies, entry ${at}`, { exact: true });
  await list.getByRole("button", { name: "Add an entry" }).click();
  await page.keyboard.type("10.0.0.1");
  await page.keyboard.press("Enter");
  await page.keyboard.type("proxy.local");
  await page.keyboard.press("Enter");
  await page.keyboard.type("172.16.0.0/12");
  await page.keyboard.press("Tab");
  await list.locator("[aria-invalid=true]").waitFor();
  await soon(async () => expect(await row(2).getAttribute("aria-invalid")).toBe("true"));
  await list.getByText("must be a list of IP addresses").waitFor();
  await list.getByRole("button", { name: "Remove: proxy.local" }).click();
  await list.getByRole("button", { name: "Move up: 172.16.0.0/12" }).click();
  await soon(async () => {
    expect(await row(1).inputValue()).toBe("172.16.0.0/12");
    expect(await row(1).evaluate((input) => input === document.activeElement)).toBe(true);
  });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Trusted proxies is saved.").waitFor();
  const { body } = await panel.client.call("GET", "/config/api.trusted_proxies");
  expect(body.data.value).toBe('["172.16.0.0/12","10.0.0.1"]');
  await close();
});

once("a secret is replaced and removed, and never shown", async () => {
  const { page, close } = await panel.enter("/panel/settings?q=health_token");
  await page.getByText("No value is set.").waitFor();
  await page.getByRole("button", { name: "Generate a value for api.health_token" }).click();
  await page.getByText("1 change is not saved").waitFor();
  const secret = await field(page, "api.health_token").inputValue();
  expect(secret).toHaveLength(64);
  // It is in no draft.
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(secret);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("A value is set. It is never shown.").waitFor();
  expect(await page.content()).not.toContain(secret);
  const health = await fetch(`${panel.server.url}/health`, {
    headers: { Authorization: `Bearer ${secret}` },
  });
  expect(health.status).toBe(200);
  await page.getByRole("button", { name: "Remove the value of api.health_token" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("No value is set.").waitFor();
  await close();
});

once("a storage is made, tested and removed; one that is away or in use says so", async () => {
  const { page, complaints, close } = await panel.enter("/panel/policies");
  const form = page.getByRole("dialog");
  await page.getByRole("button", { name: "New storage" }).click();
  await form.getByLabel("Name").fill("<b>Archive");
  await form.getByRole("button", { name: "Create" }).click();
  const card = page.getByRole("region", { name: "<b>Archive" });
  await card.getByText("It works: a small object was written").waitFor();
  await card.getByRole("button", { name: "Edit <b>Archive" }).click();
  await form.getByLabel("Largest file", { exact: true }).fill("5");
  await form.getByRole("button", { name: "Save" }).click();
  await card.getByText("Files of at most 5 MB.").waitFor();
  // Also before the server has said what it holds as the default.
  const held = Promise.withResolvers<void>();
  await page.route(/\/usage$/, (route) => held.promise.then(() => route.continue()));
  await card.getByRole("button", { name: "Make it the default" }).click();
  await card.getByText("Default", { exact: true }).waitFor();
  expect(await card.getByRole("button", { name: "Delete" }).count()).toBe(0);
  held.resolve();

  // A file goes to the default, then the storage is in use.
  const body = new FormData();
  body.append("file", new Blob(["content"]), "a.txt");
  const headers = { Authorization: `Bearer ${panel.client.token}` };
  const sent = await fetch(`${panel.server.url}/files/upload`, { method: "POST", headers, body });
  expect(sent.status).toBe(201);
  const local = page.getByRole("region", { name: "local" });
  await local.getByRole("button", { name: "Make it the default" }).click();
  await local.getByText("Default", { exact: true }).waitFor();
  await card.getByText("1 object").waitFor();
  await card.getByText("Why it can't be deleted").click();
  await card.getByText("admin: 1 file, 7 bytes").waitFor();
  expect(await card.getByRole("button", { name: "Delete" }).count()).toBe(0);

  await page.getByRole("button", { name: "New storage" }).click();
  await form.getByLabel("Name").fill("away");
  await form.getByText("S3 storage").click();
  await form.getByLabel("Endpoint").fill("http://127.0.0.1:1");
  await form.getByLabel("Bucket", { exact: true }).fill("bucket");
  await form.getByLabel("Access key", { exact: true }).fill("access");
  await form.getByLabel("Secret key", { exact: true }).fill("secret");
  await form.getByRole("button", { name: "Create" }).click();
  const away = page.getByRole("region", { name: "away" });
  await away
    .getByRole("alert")
    .filter({ hasText: "Writing, reading and removing a small object failed:" })
    .waitFor();
  await expectAccessibleInAllLooks(page, "storages");

  await page.goto(`${panel.origin}/panel/health`);
  const said = page.getByRole("status").filter({ hasText: "1 part is in trouble" });
  // It is read out whenever it changes, so without the time of the last check.
  expect(await said.textContent()).not.toContain("Checked at");
  await page.getByRole("heading", { name: "away" }).waitFor();
  await page.getByText("In trouble", { exact: true }).first().waitFor();
  // Jobs have words, and their keys only as titles.
  const jobs = page.getByRole("table", { name: "Background jobs" });
  await jobs.getByText("Remove old events").waitFor();
  expect(await jobs.locator("[lang=en]").allTextContents()).toEqual([]);
  await expectAccessibleInAllLooks(page, "health");

  await page.goto(`${panel.origin}/panel/policies`);
  await away.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await away.waitFor({ state: "detached" });
  expect(complaints.filter((text) => !text.includes("502"))).toEqual([]);
  await close();
});

const S3 = storagesFor("panel")[1]?.[1] as Record<string, string> | undefined;
(S3 === undefined ? test.skip : once)("a storage on S3 is tested", async () => {
  const { page, close } = await panel.enter("/panel/policies");
  const form = page.getByRole("dialog");
  await page.getByRole("button", { name: "New storage" }).click();
  await form.getByText("S3 storage").click();
  const fields = {
    Name: "bucket",
    Endpoint: S3!["endpoint"]!,
    Bucket: S3!["bucket"]!,
    "Access key": S3!["access_key"]!,
    "Secret key": S3!["secret_key"]!,
    "Prefix in the bucket": S3!["base_path"]!,
  };
  for (const [label, text] of Object.entries(fields))
    await form.getByLabel(label, { exact: true }).fill(text);
  await form.getByRole("button", { name: "Create" }).click();
  const card = page.getByRole("region", { name: "bucket" });
  // A busy S3 server may take too long for the first test.
  await soon(async () => {
    if (await card.getByRole("alert").isVisible())
      await card.getByRole("button", { name: "Test the storage" }).click();
    await card.getByText("It works: a small object was written").waitFor({ timeout: 5_000 });
  });
  await card.getByRole("button", { name: "Edit bucket" }).click();
  const secret = form.getByLabel("Secret key", { exact: true });
  await soon(async () => expect(await secret.inputValue()).toBe(""));
  expect(await page.content()).not.toContain(S3!["secret_key"]!);
  await close();
});

story("a setting that needs a restart is counted until the server has restarted", async () => {
  const { page, close } = await panel.enter("/panel/settings?q=enable_detailed_logging");
  const name = "analytics.enable_detailed_logging";
  await page.locator("label", { has: field(page, name) }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Until the restart it is false.").waitFor();
  await page.getByText("Restart needed: 1 setting waits for it").waitFor();
  await expectAccessibleInAllLooks(page, "settings that wait for a restart");
  await panel.server.stop();
  await panel.startAgain();
  await page.reload();
  await field(page, name).waitFor();
  await page.getByText("Restart needed").first().waitFor({ state: "detached" });
  await soon(async () => expect(await field(page, name).isChecked()).toBe(true));
  await close();
});

once(
  "on a slow network a setting is saved once, however often one presses, and can't be discarded meanwhile",
  async () => {
    const { page, context, close } = await panel.enter("/panel/settings");
    const writes: string[] = [];
    const sent = Promise.withResolvers<void>();
    await context.route(/\/v1\/config$/, async (route) => {
      const body = route.request().postData();
      if (route.request().method() !== "PATCH" || body!.includes('"dry_run":true')) return route.continue();
      writes.push(body!);
      await sent.promise;
      await route.continue();
    });
    const rowOf = (key: string) => page.locator(`[id='${key}']`);
    await field(page, "features.default_url").fill("https://example.com/once");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await field(page, "events.retention_days").fill("9");
    await rowOf("events.retention_days").getByRole("button", { name: "Save this one" }).click();
    await soon(async () => expect(writes).toHaveLength(2));
    for (const key of ["features.default_url", "events.retention_days"]) {
      expect(await rowOf(key).getByRole("button", { name: "Save this one" }).isDisabled()).toBe(true);
      expect(
        await rowOf(key)
          .getByRole("button", { name: /^Discard/ })
          .isDisabled(),
      ).toBe(true);
    }
    await field(page, "features.default_url").focus();
    await page.keyboard.press("Enter");
    // What is typed on stays a change.
    await field(page, "features.default_url").fill("https://example.com/later");
    sent.resolve();
    await page.getByText("1 change is not saved").waitFor();
    await page.getByText("Event retention is saved.").waitFor();
    expect(writes).toHaveLength(2);
    expect(await field(page, "features.default_url").inputValue()).toBe("https://example.com/later");
    const { body } = await panel.client.call("GET", "/config/features.default_url");
    expect(body.data.value).toBe("https://example.com/once");
    await page.getByRole("button", { name: "Discard it" }).click();
    await close();
  },
);

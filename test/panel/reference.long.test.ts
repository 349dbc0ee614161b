/** The reference of the API, which Swagger UI draws, in a check of accessibility that takes it half a minute. */
import { afterAll, beforeAll, expect } from "bun:test";
import { expectAccessible, once, startPanel } from "../support/panel.ts";
import { soon } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

once("axe finds nothing on the reference of the API", async () => {
  const { page, complaints, close } = await panel.enter("/panel/");
  await page.goto(`${panel.origin}/admin/v1/docs`);
  await page.locator(".opblock").first().waitFor();
  await expectAccessible(page, "reference");
  // Of many operations Swagger UI draws those in sight.
  for (const path of ["/auth/login", "/auth/password", "/links/{code}/explain"]) {
    await page.locator(".operation-filter-input").fill(path);
    const operations = page.locator(".opblock-tag-section .opblock");
    const operation = operations.filter({ has: page.locator(`[data-path$="${path}"]`) });
    // The filter has been applied. It leaves webhooks, which have no tags.
    await soon(async () => expect(await operations.count()).toBe(1));
    await operation.getByRole("button").first().click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByRole("button", { name: "Execute" }).waitFor();
    await expectAccessible(page, `reference of ${path}`);
  }
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page, "reference, dark", { rules: ["color-contrast"] });
  await page.getByRole("button", { name: "Authorize" }).first().click();
  await page.locator(".modal-ux").waitFor();
  await page.emulateMedia({ colorScheme: "light" });
  await expectAccessible(page, "credentials of the reference");
  expect(complaints).toEqual([]);
  await close();
});

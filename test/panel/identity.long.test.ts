/** The instance's name, colour and logo in the panel, on visitors' pages and as icons; and pages that are not there. */
import { afterAll, beforeAll, expect } from "bun:test";
import { COLOURS } from "../../src/lib/tokens.ts";
import { expectAccessible, once, startPanel } from "../support/panel.ts";
import { soon } from "../support/until.ts";

const NAME = "Söhne & Co";
const GREEN = "#0a7d4f";
const YELLOW = "#ffd400";
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>alert(1)</script><rect width="9" height="9" fill="red"/></svg>`;

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel({}, { "features.instance_name": NAME, "features.accent_color": GREEN });
});
afterAll(() => panel.stop());

const lost = async (): Promise<string> =>
  (await fetch(`${panel.server.url}/nothing`, { headers: { "Sec-Fetch-Dest": "document" } })).text();
const set = (key: string, value: string) => panel.client.call("PUT", `/config/${key}`, { value });
const rgb = (hex: string): string =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(", ")})`;

once("panel and visitors' pages have the instance's name, its colour and one set of greys", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links");
  await page.getByRole("navigation").getByText(NAME).waitFor();
  expect(await page.title()).toContain(NAME);
  const button = page.getByRole("button", { name: "New link" });
  const colours = await button.evaluate((shown) => ({
    button: getComputedStyle(shown).backgroundColor,
    ink: getComputedStyle(document.body).color,
  }));
  expect(colours).toEqual({ button: rgb(GREEN), ink: rgb(COLOURS.light.ink) });
  const visited = await lost();
  for (const part of [`--accent:${GREEN}`, `--ink:${COLOURS.light.ink}`, "· Söhne &amp; Co</title>"])
    expect(visited).toContain(part);

  // Nobody could read white on it.
  await set("features.accent_color", YELLOW);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.reload();
    await button.waitFor();
    await expectAccessible(page, `a yellow accent, ${colorScheme}`, { rules: ["color-contrast"] });
  }
  await set("features.accent_color", GREEN);
  expect(complaints).toEqual([]);
  await close();
});

once("a logo is uploaded, shows everywhere, and its history takes it back", async () => {
  const { page, complaints, close } = await panel.enter("/panel/settings?q=logo");
  const group = page.getByRole("group", { name: /features\.logo/ });
  await group
    .locator("input[type=file]")
    .setInputFiles({ name: "logo.svg", mimeType: "image/svg+xml", buffer: Buffer.from(LOGO) });
  await group.getByRole("img", { name: "Logo" }).waitFor();
  await expectAccessible(page, "a logo in the settings");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Logo is saved.").waitFor();
  const { body } = await panel.client.call("GET", "/config/features.logo");
  expect(body.data.value).toStartWith("data:image/png;base64,");
  await page.reload();
  const mark = page.getByRole("navigation").locator("img");
  await soon(async () =>
    expect(await mark.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(512),
  );
  const [, address = ""] = /<img src="(\/favicon\.ico\?logo=[0-9a-f]+)"/.exec(await lost())!;
  const icon = await fetch(panel.server.url + address);
  expect([
    icon.headers.get("content-type"),
    Buffer.from(await icon.arrayBuffer()).toString("base64"),
  ]).toEqual(["image/png", body.data.value.split(",")[1]]);
  const { body: events } = await panel.client.call("GET", "/events?action=setting.update&limit=1");
  expect(events.data[0].after.value).toBe("image/png, 512 × 512");

  await page.getByRole("button", { name: "History of Logo" }).click();
  await page.getByRole("button", { name: "Take back empty" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Logo is saved.").waitFor();
  expect(await lost()).not.toContain("<img");
  expect(complaints).toEqual([]);
  await close();
});

once("what is no picture is refused with a sentence", async () => {
  const { page, close } = await panel.enter("/panel/settings?q=logo");
  const group = page.getByRole("group", { name: /features\.logo/ });
  const file = { name: "logo.png", mimeType: "image/png", buffer: Buffer.from("no picture") };
  await group.locator("input[type=file]").setInputFiles(file);
  await group.getByRole("alert").filter({ hasText: "This is no picture" }).waitFor();
  await close();
});

once("a page that is not there keeps the menu", async () => {
  const { page, complaints, close } = await panel.enter("/panel/no/such/page");
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Files" }).click();
  await page.waitForURL(/\/panel\/files/);
  expect(complaints).toEqual([]);
  await close();
});

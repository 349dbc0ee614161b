/** Form, settings, QR code and history of a link in Chromium, against the real program. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { utmIn, withUtm } from "../../panel/src/links/form/utm.ts";
import { CHROMIUM } from "../support/chromium.ts";
import { expectAccessible, NARROW, signInToPanel, startPanel, WIDE } from "../support/panel.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

const HOSTILE = `"><img src=x onerror=alert(1)>`;
const LOOKS = [WIDE, NARROW].flatMap((size) =>
  (["light", "dark"] as const).map((scheme) => ({ size, scheme })),
);

test("UTM parameters change and everything else of an address stays as it was typed", () => {
  const address = "https://x.y/a%20b?q=1+2&utm_source=old&utm_source=twice&flag#top?utm_term=no";
  expect(utmIn(address, "source")).toBe("old");
  expect(utmIn(address, "term")).toBe("");
  expect(withUtm(address, "source", "a&b #c")).toBe(
    "https://x.y/a%20b?q=1+2&utm_source=a%26b%20%23c&flag#top?utm_term=no",
  );
  expect(withUtm(address, "source", "")).toBe("https://x.y/a%20b?q=1+2&flag#top?utm_term=no");
  expect(withUtm("https://x.y", "medium", "e mail ")).toBe("https://x.y?utm_medium=e%20mail%20");
  expect(utmIn("https://x.y?utm_medium=e%20mail%20", "medium")).toBe("e mail ");
  expect(withUtm("https://x.y?utm_medium=1", "medium", "")).toBe("https://x.y");
  expect(utmIn("https://x.y?utm_term", "term")).toBe("");
  expect(utmIn("https://x.y?utm_term=%E0%A4%A", "term")).toBe("%E0%A4%A");
});

test.skipIf(!CHROMIUM)(
  "a link is made with all its settings, by keyboard, and nothing typed is lost",
  async () => {
    await panel.client.call("POST", "/links", {
      code: "taken",
      target: "https://example.com/",
      tags: ["spring"],
    });
    const { page, close } = await panel.open("/panel/links");
    await signInToPanel(page);
    await page.keyboard.press("c");
    const form = page.getByRole("dialog");
    await form.getByLabel("Target").fill("https://example.com/sale?utm_source=shop&q=1");
    await form.getByLabel("Code").fill("taken");
    await form.getByText("Another link has this code.").waitFor();
    await form.getByLabel("Code").fill("sale/2027");
    await form.getByText("This code is free.").waitFor();
    await form.getByLabel("Title").fill(HOSTILE);
    await form.getByRole("button", { name: "UTM" }).press("Enter");
    expect(await form.getByLabel("Source").inputValue()).toBe("shop");
    await form.getByLabel("Campaign", { exact: true }).fill("<b> & co");
    await form.getByLabel("Tags").fill("spring");
    await page.getByRole("option", { name: "spring" }).click();

    // Closed by accident, and reloaded.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "hidden" });
    await page.reload();
    await page.getByRole("button", { name: "New link" }).click();
    await form.getByText("What you typed before is here again.").waitFor();
    expect(await form.getByLabel("Title").inputValue()).toBe(HOSTILE);

    await form.getByRole("button", { name: "More" }).press("Enter");
    await form.getByLabel("Fallback").fill("no address");
    await form.getByRole("button", { name: "Create" }).press("Enter");
    await form.getByText("The URL must be absolute").waitFor();
    expect(await form.getByLabel("Fallback").evaluate((field) => field === document.activeElement)).toBe(
      true,
    );
    for (const { size, scheme } of LOOKS) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      await expectAccessible(page, `form, ${size.width} px, ${scheme}`);
    }
    await page.setViewportSize(WIDE);
    await form.getByLabel("Fallback").fill("https://example.com/over");
    await form.getByRole("textbox", { name: "Starts" }).fill("2026-01-02T03:04");
    await form.getByRole("button", { name: "in 7 days" }).first().click();
    await form.getByLabel("Most people").fill("1200");
    await form.getByRole("combobox", { name: "Redirect" }).click();
    await page.getByRole("option", { name: /^302/ }).click();
    await form.getByLabel("Password", { exact: true }).fill("a secret");
    await form.getByRole("switch", { name: "Pass the query on" }).press(" ");
    await form.getByLabel("Note").press("Control+Enter");
    await page.getByText("/sale/2027 is ready.").waitFor();

    const { data } = (await panel.client.call("GET", "/links/sale/2027")).body;
    expect(data).toMatchObject({
      target: "https://example.com/sale?utm_source=shop&q=1&utm_campaign=%3Cb%3E%20%26%20co",
      title: HOSTILE,
      tags: ["spring"],
      starts_at: new Date("2026-01-02T03:04").toISOString(),
      max_clicks: 1200,
      fallback_url: "https://example.com/over",
      redirect_status: 302,
      forward_query: true,
      password: "[REDACTED]",
    });
    expect(Date.parse(data.expires_at)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    expect(await page.evaluate(() => Object.values(localStorage).join())).not.toContain("sale");
    await close();
  },
);

/** The rules of a link in the panel, in Chromium against the real program. */
import { afterAll, beforeAll, expect } from "bun:test";
import { focused, once, startPanel } from "../support/panel.ts";
import { soon } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

once("rules are made, moved and saved, and the link is asked where it leads", async () => {
  const target = "https://example.com/";
  await panel.client.call("POST", "/links", { code: "ruled", target });
  const rules = async () => (await panel.client.call("GET", "/links/ruled")).body.data.rules;
  const { page, close } = await panel.enter("/panel/link/ruled?tab=settings");
  const edit = page.getByRole("button", { name: "Edit the rules" });
  await edit.press("Enter");
  const add = page.getByRole("button", { name: "Add a rule" });
  await focused(add);
  await page.keyboard.press("Enter");
  const first = page.getByRole("region", { name: "Rule 1" });
  await focused(first.getByLabel("Condition", { exact: true }));
  await page.keyboard.press("Tab");
  await page.keyboard.type("mobile, tablet");
  await first.getByLabel("Target").fill("https://m.example/");
  await add.click();
  const second = page.getByRole("region", { name: "Rule 2" });
  await focused(second.getByLabel("Condition", { exact: true }));
  await second.getByLabel("Condition", { exact: true }).selectOption("query");
  await focused(second.getByLabel("Condition", { exact: true }));
  await second.getByRole("textbox", { name: "Query" }).fill("ref=mail");
  await second.getByLabel("Target").fill("ftp://x.example/");
  await page.getByRole("button", { name: "Move rule 2 up" }).click();
  await focused(page.getByRole("button", { name: "Move rule 1 down" }));
  const form = page.getByRole("form", { name: "Rules" });
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByRole("alert").filter({ hasText: "rules.0.target" }).waitFor();
  await first.getByLabel("Target").fill("https://q.example/");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("2 rules", { exact: true }).waitFor();
  await page.getByRole("link", { name: "+2 rules" }).waitFor();
  expect(await rules()).toEqual([
    { if: { query: { ref: "mail" } }, target: "https://q.example/" },
    { if: { device: ["mobile", "tablet"] }, target: "https://m.example/" },
  ]);
  await page.getByRole("button", { name: "Edit the rules" }).click();
  const asking = page.getByRole("region", { name: "Where does it lead?" });
  await asking.getByLabel("Query").fill("ref=mail");
  await asking.getByRole("button", { name: "Ask" }).click();
  await asking.getByText("307 → https://q.example/").waitFor();
  await page.getByRole("button", { name: "Remove rule 2" }).click();
  await focused(add);
  await page.getByRole("button", { name: "Remove rule 1" }).click();
  await form.getByRole("button", { name: "Save" }).click();
  await soon(async () => expect(await rules()).toBeNull());
  await close();
});

once(
  "a path behind the code is explained, and a domain that ignores case has codes in capitals",
  async () => {
    const target = "https://example.com/manual";
    await panel.client.call("POST", "/domains", { host: "go.example.com" });
    const made = { code: "Docs", domain: "go.example.com", target, forward_path: true };
    await panel.client.call("POST", "/links", made);
    const { page, close } = await panel.enter("/panel/domains");
    await page.getByRole("button", { name: "Edit go.example.com" }).click();
    await page.getByLabel("Ignore upper and lower case in codes").check({ force: true });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Case is ignored in codes.").waitFor();
    const path = "/links/docs?domain=go.example.com";
    await soon(async () => expect((await panel.client.call("GET", path)).status).toBe(200));
    await page.goto(`${panel.origin}/panel/link/docs?domain=go.example.com&tab=settings`);
    await page.getByRole("button", { name: "Edit the rules" }).click();
    const asking = page.getByRole("region", { name: "Where does it lead?" });
    await asking.getByLabel("After the code").fill("/some/page");
    await asking.getByRole("button", { name: "Ask" }).click();
    await asking.getByText(`307 → ${target}/some/page`).waitFor();
    await asking.getByText("The link docs passes the path on.").waitFor();
    await page.getByRole("button", { name: "QR" }).first().click();
    const dialog = page.getByRole("dialog", { name: "QR code" });
    await dialog.getByLabel("Address in capitals").check({ force: true });
    await dialog.getByText("GO.EXAMPLE.COM/DOCS").waitFor();
    await close();
  },
);

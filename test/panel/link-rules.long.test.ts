/** Where a link leads and links beside each other, in Chromium against the real program. */
import { afterAll, beforeAll, expect } from "bun:test";
import { expectAccessibleInAllLooks, focused, NARROW, once, startPanel, WIDE } from "../support/panel.ts";
import { soon } from "../support/until.ts";

const TARGET = "https://example.com/";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

once("rules for iPhone and Germany are chosen from lists and seen before they are saved", async () => {
  await panel.client.call("POST", "/links", { code: "ruled", target: TARGET });
  const rules = async () => (await panel.client.call("GET", "/links/ruled")).body.data.rules;
  const { page, complaints, close } = await panel.enter("/panel/link/ruled");
  const adding = page.getByRole("group", { name: "Add a rule" });
  const form = page.getByRole("form", { name: "Rules" });
  const first = form.getByRole("group", { name: "Rule 1" });
  const second = form.getByRole("group", { name: "Rule 2" });

  // By keyboard, as somebody types it.
  await adding.getByRole("button", { name: "Country" }).press("Enter");
  await focused(first.getByRole("combobox", { name: "Country" }));
  await page.keyboard.type("Germ");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await first.getByLabel("Leads to").fill("example.de");
  // By the pointer.
  await adding.getByRole("button", { name: "System" }).click();
  await second.getByRole("option", { name: "iPhone and iPad" }).click();
  await second.getByLabel("Leads to").fill("apps.example/app");

  const visiting = form.getByRole("group", { name: "Visit as" });
  await visiting.getByText("→ https://apps.example/app").waitFor();
  const line = (name: RegExp) => form.getByRole("listitem").filter({ hasText: name }).first();
  const decides = "Decides for this visitor";
  // Before a visitor is chosen nothing is marked.
  expect(await page.getByText(decides).count()).toBe(0);
  await visiting.getByLabel("Device").focus();
  await line(/iPhone and iPad/)
    .getByText(decides)
    .waitFor();
  await visiting.getByRole("combobox", { name: "Country" }).fill("Germany");
  await page.getByRole("option", { name: "Germany" }).click();
  await visiting.getByText("→ https://example.de").waitFor();
  await line(/Germany/)
    .getByText(decides)
    .waitFor();
  expect(await rules()).toBeNull();

  await second.getByRole("button", { name: "Move rule 2 up" }).click();
  await focused(page.getByRole("button", { name: "Move rule 1 down" }));
  await visiting.getByText("→ https://apps.example/app").waitFor();
  await expectAccessibleInAllLooks(page, "rules");
  await page.setViewportSize(WIDE);
  await form.getByRole("button", { name: "Save rules" }).click();
  await soon(async () =>
    expect(await rules()).toEqual([
      { if: { os: "iOS" }, target: "https://apps.example/app" },
      { if: { country: "DE" }, target: "https://example.de" },
    ]),
  );
  await page.getByText("ruled is saved.").waitFor();
  await page.getByText(`Leads to example.com unless a rule matches`).waitFor();
  // The list says the sentence too.
  await page.goto(`${panel.origin}/panel/links`);
  await page
    .getByRole("row")
    .getByRole("img", { name: /^iPhone and iPad: apps.example\/app; / })
    .waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("a choice in a rule leads on to its target, and nothing typed is lost", async () => {
  await panel.client.call("POST", "/links", { code: "led", target: TARGET });
  const linkNow = async () => (await panel.client.call("GET", "/links/led")).body.data;
  const { page, complaints, close } = await panel.enter("/panel/link/led");
  const form = page.getByRole("form", { name: "Rules" });
  const first = form.getByRole("group", { name: "Rule 1" });
  const second = form.getByRole("group", { name: "Rule 2" });
  const adding = page.getByRole("group", { name: "Add a rule" });
  const decides = form.getByText("The first rule that matches decides.");
  const targets = page.getByRole("form", { name: "Target" });
  const options = form.getByRole("group", { name: /^Rule/ }).getByRole("option");

  await adding.getByRole("button", { name: "Country" }).press("Enter");
  const country = first.getByRole("combobox", { name: "Country" });
  await focused(country);
  await page.keyboard.type("India");
  await first.getByRole("option", { name: "British Indian Ocean Territory" }).waitFor();
  await page.keyboard.press("Enter");
  await focused(first.getByLabel("Leads to"));
  await options.first().waitFor({ state: "detached" });
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await focused(country);
  await page.keyboard.type("germany");
  await page.keyboard.press("Enter");
  await options.first().waitFor({ state: "detached" });
  await focused(country);
  expect(await country.inputValue()).toBe("");
  await page.keyboard.press("Enter");
  await country.click();
  await options.first().waitFor();
  await page.keyboard.press("Enter");
  // Not the scroller of the open list, which goes.
  await page.keyboard.press("Tab");
  await focused(first.getByRole("button", { name: "Add a condition" }));
  await page.keyboard.press("Enter");
  await focused(first.getByRole("menuitem").first());
  await page.keyboard.press("Escape");
  await focused(first.getByRole("button", { name: "Add a condition" }));
  await page.keyboard.press("Tab");
  await focused(first.getByLabel("Leads to"));
  await page.keyboard.type("in.example");
  expect((await linkNow()).rules).toBeNull();
  expect(await decides.count()).toBe(0);
  await page.keyboard.press("Enter");
  await page.getByText("led is saved.").waitFor();
  const sentence = form.getByRole("button", { name: /India/ });
  await focused(sentence);
  expect((await linkNow()).rules).toEqual([{ if: { country: ["IN", "DE"] }, target: "https://in.example" }]);
  // It stays there when the page has loaded anew.
  await page.getByRole("button", { name: "Save rules" }).waitFor({ state: "detached" });
  await focused(sentence);

  // By the pointer.
  await adding.getByRole("button", { name: "System" }).click();
  await second.getByRole("option", { name: "iPhone and iPad" }).click();
  await focused(second.getByLabel("Leads to"));
  await decides.waitFor();
  await second.getByRole("combobox", { name: "System" }).click();
  await options.first().waitFor();
  await form.getByText("where to?").click();
  await focused(second.getByLabel("Leads to"));
  await page.keyboard.press("Escape");
  await focused(form.getByRole("button", { name: /iPhone/ }));
  await second.waitFor({ state: "detached" });
  await form.getByText("where to?").click();
  await focused(second.getByLabel("Leads to"));

  // What is typed beside an editor is no shortcut; Escape closes it from anywhere.
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.type("eq");
  await page.keyboard.press("Escape");
  await second.waitFor({ state: "detached" });
  expect([await targets.count(), await page.getByRole("dialog").count()]).toEqual([0, 0]);
  await form.getByRole("button", { name: "Cancel" }).click();
  await focused(form.getByRole("button", { name: /India/ }));
  // A rule without anything goes with Escape, after its list.
  await adding.getByRole("button", { name: "Language" }).click();
  await page.keyboard.type("french");
  await second.getByRole("option", { name: "Canadian French" }).waitFor();
  expect(await second.getByRole("option").first().textContent()).toBe("French");
  await page.keyboard.press("Escape");
  await second.waitFor();
  await page.keyboard.press("Escape");
  await second.waitFor({ state: "detached" });
  await focused(adding.getByRole("button").first());
  expect(await form.getByRole("listitem").count()).toBe(1);

  // A target that is wrong.
  await page.keyboard.press("e");
  await focused(targets.getByRole("textbox", { name: "Target" }));
  await page.keyboard.type("ftp://x.example/");
  await page.keyboard.press("Enter");
  await targets.getByText("The URL must").waitFor();
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("Escape");
  await targets.waitFor({ state: "detached" });
  await focused(page.getByRole("button", { name: "Edit: Target" }));
  expect((await linkNow()).target).toBe(TARGET);
  expect(complaints.filter((said) => !said.includes("400"))).toEqual([]);
  await close();
});

once("what is wrong in a rule is said at its field, and a draft of rules stays", async () => {
  await panel.client.call("POST", "/links", { code: "wrong", target: TARGET });
  const { page, close } = await panel.enter("/panel/link/wrong");
  const form = page.getByRole("form", { name: "Rules" });
  const first = form.getByRole("group", { name: "Rule 1" });
  await form.getByRole("button", { name: "Language" }).click();
  await page.keyboard.type("Portug");
  await first.getByRole("option", { name: "Portuguese", exact: true }).click();
  await form.getByRole("button", { name: "Save rules" }).click();
  await first.getByText("Say where it leads.").waitFor();
  await focused(first.getByLabel("Leads to"));
  await first.getByLabel("Leads to").fill("ftp://x.example/");
  await page.reload();
  await form.getByText("What you typed before is here again.").waitFor();
  await form.getByRole("button", { name: /Portuguese/ }).click();
  await form.getByRole("button", { name: "Save rules" }).click();
  await first.getByText("The URL must be absolute").waitFor();
  await focused(first.getByLabel("Leads to"));
  // A folded rule opens for its error.
  await first.getByLabel("Leads to").fill("pt.example");
  await form.getByRole("button", { name: "Country" }).click();
  await form.getByRole("button", { name: "Save rules" }).click();
  await form.getByRole("group", { name: "Rule 2" }).getByText("Choose whom it is for.").waitFor();
  await form.getByRole("button", { name: "Remove rule 2" }).click();
  await form.getByRole("button", { name: "Save rules" }).click();
  await page.getByText("wrong is saved.").waitFor();
  await form.getByRole("button", { name: /Portuguese/ }).click();
  await form.getByRole("button", { name: "Remove rule 1" }).click();
  await form.getByRole("button", { name: "Save rules" }).click();
  const rules = async () => (await panel.client.call("GET", "/links/wrong")).body.data.rules;
  await soon(async () => expect(await rules()).toBeNull());
  await close();
});

once("links of a selection are compared in a chart and a table", async () => {
  for (const code of ["one", "two", "three"])
    await panel.client.call("POST", "/links", { code, target: TARGET, tags: ["compared"] });
  for (const code of ["one", "one", "two"])
    await fetch(`${panel.server.url}/${code}`, {
      redirect: "manual",
      headers: { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" },
    });
  const { page, complaints, close } = await panel.enter("/panel/links?tag=compared");
  for (const code of ["one", "two"]) await page.getByRole("checkbox", { name: `Select ${code}` }).click();
  await page.getByRole("region", { name: "Selection" }).getByRole("link", { name: "Compare" }).click();
  const table = page.getByRole("table", { name: "Figures of the links" });
  await table.getByRole("columnheader", { name: "two" }).waitFor();
  const clicks = table.getByRole("row", { name: /^Human clicks/ });
  await soon(async () => {
    await page.reload();
    expect(await clicks.getByRole("cell").allTextContents()).toEqual(["2", "1"]);
  });
  await page.getByRole("figure", { name: "Clicks by time" }).getByText("two").first().waitFor();
  await page.getByLabel("Compare with links").fill("three");
  await page.locator("[data-combobox-selected]", { hasText: "three" }).waitFor();
  await page.keyboard.press("Enter");
  await table.getByRole("columnheader", { name: "three" }).waitFor();
  await page.getByRole("button", { name: "Without one" }).click();
  await table.getByRole("columnheader", { name: "one" }).waitFor({ state: "detached" });
  // Two links fit on a phone.
  await page.setViewportSize(NARROW);
  const { x, width } = (await table.boundingBox())!;
  expect(x + width).toBeLessThanOrEqual(NARROW.width);
  await expectAccessibleInAllLooks(page, "compared links");
  await page.setViewportSize(WIDE);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Compare links");
  await page.keyboard.press("Enter");
  await page.getByText("Choose two to five links", { exact: true }).waitFor();
  // The list would cover the explanation.
  const field = page.getByRole("combobox", { name: "Compare with links", expanded: false });
  await focused(field);
  await page.keyboard.press("ArrowDown");
  await page.getByRole("option", { name: "three" }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("a new link is seen as it will be, and its page follows", async () => {
  const { page, complaints, close } = await panel.enter("/panel/links/new");
  await focused(page.getByRole("textbox", { name: "Target" }));
  await page.keyboard.type("https://example.com/menu");
  const preview = page.getByRole("region", { name: "Preview" });
  await preview.getByText("example.com", { exact: true }).waitFor();
  await page.getByLabel("Code").fill("menu/2027");
  await preview.getByText("/menu/2027").waitFor();
  await preview.getByRole("img", { name: "QR code of menu/2027" }).waitFor();
  await page.getByLabel("Title").fill("The menu");
  await preview.getByText("The menu").waitFor();
  await expectAccessibleInAllLooks(page, "a new link");
  await page.setViewportSize(WIDE);
  await page.getByRole("button", { name: "Create link" }).click();
  await page.waitForURL(/\/panel\/link\/menu\/2027$/);
  await page.getByRole("heading", { name: "The menu" }).waitFor();
  await page.getByRole("link", { name: "example.com/menu" }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

once("a domain that ignores case has codes in capitals", async () => {
  const target = "https://example.com/manual";
  await panel.client.call("POST", "/domains", { host: "go.example.com" });
  const made = { code: "Docs", domain: "go.example.com", target };
  await panel.client.call("POST", "/links", made);
  const { page, close } = await panel.enter("/panel/domains");
  await page.getByRole("button", { name: "Edit go.example.com" }).click();
  await page.getByLabel("Ignore upper and lower case in codes").check({ force: true });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Case is ignored in codes.").waitFor();
  const path = "/links/docs?domain=go.example.com";
  await soon(async () => expect((await panel.client.call("GET", path)).status).toBe(200));
  await page.goto(`${panel.origin}/panel/link/docs?domain=go.example.com`);
  await page.getByRole("button", { name: "QR" }).first().click();
  const dialog = page.getByRole("dialog", { name: "QR code" });
  await dialog.getByLabel("Address in capitals").check({ force: true });
  await dialog.getByText("GO.EXAMPLE.COM/DOCS").waitFor();
  await close();
});

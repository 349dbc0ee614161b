/** What all lists of the panel do: rows open as a whole and have a menu, filters are in a sheet on phones, visits move. */
import { afterAll, beforeAll, expect } from "bun:test";
import { CHROME } from "../../src/clicks/analytics/analytics.test-support.ts";
import { driveClient } from "../support/drive.ts";
import { expectAccessible, NARROW, once, startPanel } from "../support/panel.ts";
import { soon } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

once("rows of accounts, domains and tags open as a whole; those of tokens too have a menu", async () => {
  const account = { username: "anna", password: "anna's password", role: "editor" };
  expect((await panel.client.call("POST", "/users", account)).status).toBe(201);
  await panel.client.call("POST", "/domains", { host: "go.example.com" });
  await panel.client.call("POST", "/links", {
    code: "tagged",
    target: "https://e.example/",
    tags: ["spring"],
  });
  await panel.client.call("POST", "/tokens", { name: "reports", scopes: ["links:read"] });
  const { page, complaints, close } = await panel.enter("/panel/users");
  const form = page.getByRole("dialog");
  const item = (name: string) => page.getByRole("menuitem", { name, exact: true });
  for (const [path, name] of [
    ["users", "anna"],
    ["domains", "go.example.com"],
  ] as const) {
    await page.goto(`${panel.origin}/panel/${path}`);
    const row = page.getByRole("row").filter({ hasText: name });
    await row.getByText(name).first().click();
    await page.getByRole("dialog", { name: `Edit ${name}` }).waitFor();
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });
    await row.getByText(name).first().click({ button: "right" });
    await item("Delete").waitFor();
    await expectAccessible(page, `menu of ${path}`);
    await item("Edit").click();
    await page.getByRole("dialog", { name: `Edit ${name}` }).waitFor();
  }
  await page.goto(`${panel.origin}/panel/tokens`);
  await page.getByText("reports", { exact: true }).click({ button: "right" });
  await item("Revoke").click();
  await form.getByText("Programs that use reports lose access at once.").waitFor();
  const small = (): Promise<number[]> =>
    page.$$eval("tbody :is(a, button)", (parts) =>
      parts.map((part) => part.getBoundingClientRect().height).filter((height) => height < 24),
    );
  expect(await small()).toEqual([]);
  await page.goto(`${panel.origin}/panel/links/tags`);
  const tag = page.getByRole("row").filter({ hasText: "spring" });
  await tag.waitFor();
  expect(await small()).toEqual([]);
  await tag.getByRole("cell", { name: "1", exact: true }).click();
  await page.waitForURL((url) => url.pathname.endsWith("/links") && url.search.includes("spring"));
  expect(complaints).toEqual([]);
  await close();
});

once("on a phone the filters of events, shares and accounts are in a sheet", async () => {
  const { page, complaints, close } = await panel.enter("/panel/events", { size: NARROW });
  const sheet = page.getByRole("dialog", { name: "Filter" });
  for (const [path, field, option, chosen] of [
    ["events", "How", "with a token", "via="],
    ["shares", "Kind", "Folders", "kind=folder"],
    ["users", "Role", "Editor", "role=editor"],
  ] as const) {
    await page.goto(`${panel.origin}/panel/${path}`);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await sheet.getByRole("combobox", { name: field }).waitFor();
    const edges = await sheet
      .getByRole("combobox")
      .evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect()).map(({ y, bottom }) => [y, bottom]),
      );
    for (const [at, [, bottom]] of edges.slice(0, -1).entries())
      expect(edges[at + 1]![0]! - bottom!).toBeLessThan(60);
    await sheet.getByRole("combobox", { name: field }).click();
    await page.getByRole("option", { name: option }).click();
    await page.waitForURL((url) => url.search.includes(chosen));
    await expectAccessible(page, `filters of ${path}`);
    await sheet.getByRole("button", { name: "Close" }).click();
    await sheet.waitFor({ state: "detached" });
    const button = page.getByRole("button", { name: "Filter 1" });
    await button.waitFor();
    if (path === "events") continue;
    const { x, width } = (await button.boundingBox())!;
    expect(x + width).toBeCloseTo(NARROW.width - 16, 0);
  }
  // What explains the title stands above actions that have no room beside it.
  await page.goto(`${panel.origin}/panel/api`);
  const sentence = (await page.getByText("Everything you can do in this panel").boundingBox())!;
  const action = (await page.getByRole("link", { name: "Open in a new tab" }).boundingBox())!;
  expect(sentence.y + sentence.height).toBeLessThan(action.y);
  expect(action.x).toBeLessThan(17);
  await page.goBack();
  // A swipe down on its title closes it, one to the side does not.
  await page.getByRole("button", { name: "Filter 1" }).click();
  const touch = await page.context().newCDPSession(page);
  const { x, y } = (await sheet.getByRole("heading", { name: "Filter" }).boundingBox())!;
  for (const [right, down] of [
    [60, 10],
    [10, 60],
  ] as const) {
    await sheet.waitFor();
    for (const [type, touchPoints] of [
      ["touchStart", [{ x, y }]],
      ["touchMove", [{ x: x + right, y: y + down }]],
      ["touchEnd", []],
    ] as const)
      await touch.send("Input.dispatchTouchEvent", { type, touchPoints: [...touchPoints] });
  }
  await sheet.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
  await close();
});

once("visits in the list of shares move as they come", async () => {
  const drive = driveClient(panel.server.url, panel.client.token);
  const folder = await drive.folder("Photos");
  const share = (await drive.call("POST", `/folders/${folder}/share`, { code: "photos" })).body.data;
  expect(share.code).toBe("photos");
  const { page, close } = await panel.enter("/panel/shares");
  const visits = page.getByRole("row").filter({ hasText: "/photos" }).getByRole("cell").nth(2);
  await soon(async () => expect(await visits.textContent()).toBe("0"));
  // Nothing else asks the server again.
  let isRequested = false;
  await page.route(/\/shares\?/, (route) => {
    isRequested = true;
    return route.abort();
  });
  await soon(async () => {
    await fetch(`${panel.server.url}/photos`, { headers: { Accept: "text/html", "User-Agent": CHROME } });
    expect(Number(await visits.textContent())).toBeGreaterThan(0);
  });
  expect(isRequested).toBe(false);
  await close();
});

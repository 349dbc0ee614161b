/** The page of teams in the panel. */
import { afterAll, beforeAll, expect } from "bun:test";
import { NARROW, once, signInToPanel, startPanel, WIDE } from "../support/panel.ts";

const SECRET = "a long password";
let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  for (const username of ["anna", "ben"]) {
    await panel.client.call("POST", "/users", { username, password: SECRET, role: "editor" });
  }
});
afterAll(() => panel.stop());

once("an administrator makes a team, changes its members, and says who gets its links", async () => {
  const { page, complaints, close } = await panel.enter("/panel/teams");
  await page.getByText("There are no teams yet.").waitFor();
  await page.getByRole("button", { name: "New team" }).click();
  await page.getByLabel("Name", { exact: true }).fill("press");
  await page.getByLabel("Space for files", { exact: true }).fill("5");
  await page.getByRole("button", { name: "Add a member" }).click();
  await page.getByRole("dialog").getByLabel("Account", { exact: true }).fill("anna");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByText("anna", { exact: true }).filter({ visible: true }).waitFor();
  const team = page.getByRole("rowheader").getByRole("link", { name: "press", exact: true });
  expect(await team.getAttribute("href")).toBe("/panel/teams/press");
  const teams = async () => (await panel.client.call("GET", "/teams")).body.data;
  expect(await teams()).toMatchObject([
    { name: "press", quota_bytes: 5_000_000, members: [{ account: "anna", role: "editor" }] },
  ]);
  await panel.client.call("POST", "/links", {
    code: "ours",
    target: "https://example.com/",
    owner: "team:press",
  });
  await page.getByRole("button", { name: "Delete press" }).click();
  await page.getByRole("button", { name: "Delete for good" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("combobox", { name: "What it owns goes to" }).fill("anna");
  await page.getByRole("button", { name: "Delete for good" }).click();
  await page.getByText("There are no teams yet.").waitFor();
  expect((await panel.client.call("GET", "/links/ours")).body.data.owner).toBe("anna");
  expect(complaints.filter((text) => !text.includes("409"))).toEqual([]);
  await close();
});

once("a manager sees the teams page, gives a link to the team, and filters by it", async () => {
  const members = [{ account: "ben", role: "manager" }];
  await panel.client.call("POST", "/teams", { name: "sales", members });
  const { page, complaints, close } = await panel.open("/panel/teams");
  await signInToPanel(page, SECRET, "ben");
  await page.getByRole("button", { name: "Edit sales" }).click();
  expect(await page.getByLabel("Space for files").count()).toBe(0);
  await page.getByRole("button", { name: "Add a member" }).click();
  await page.getByRole("dialog").getByLabel("Account", { exact: true }).last().fill("anna");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("cell", { name: "anna, ben" }).waitFor();
  // A phone has no room for their column.
  await page.setViewportSize(NARROW);
  await page.getByRole("rowheader").getByText("anna, ben").waitFor();
  await page.setViewportSize(WIDE);
  expect(await page.getByRole("button", { name: "New team" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Delete sales" }).count()).toBe(0);
  await page.getByRole("link", { name: "Links", exact: true }).first().click();
  await page.getByRole("button", { name: "New link" }).first().click();
  const form = page.getByRole("region", { name: "New link" });
  await form.getByLabel("Target").fill("https://example.com/");
  await form.getByLabel("Code").fill("theirs");
  await form.getByLabel("Owner").fill("sal");
  await page.getByRole("option", { name: "sales Team" }).click();
  await form.getByRole("button", { name: "Create link" }).click();
  await page.getByText("Owner: Team sales").waitFor();
  expect((await panel.client.call("GET", "/links/theirs")).body.data.owner).toBe("team:sales");
  await page.getByRole("link", { name: "Links", exact: true }).first().click();
  await page.getByRole("button", { name: /^Filter/ }).click();
  await page.getByRole("combobox", { name: "Owner", exact: true }).click();
  await page.getByRole("option", { name: "ben", exact: true }).click();
  await page.getByText("No link matches").waitFor();
  await page.goto(`${page.url().split("/panel/")[0]}/panel/link/theirs`);
  await page.getByText("Owner: Team sales").waitFor();
  expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
  await close();
});

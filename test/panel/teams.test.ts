/** The page of teams in the panel. */
import { afterAll, beforeAll, expect } from "bun:test";
import { once, startPanel } from "../support/panel.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
  for (const username of ["anna", "ben"]) {
    await panel.client.call("POST", "/users", { username, password: "a long password", role: "editor" });
  }
});
afterAll(() => panel.stop());

once("an administrator makes a team, changes its members, and says who gets its links", async () => {
  const { page, complaints, close } = await panel.enter("/panel/teams");
  await page.getByText("There are no teams yet.").waitFor();
  await page.getByRole("button", { name: "New team" }).click();
  await page.getByLabel("Name", { exact: true }).fill("press");
  await page.getByRole("button", { name: "Add a member" }).click();
  await page.getByRole("dialog").getByLabel("Account", { exact: true }).fill("anna");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("anna", { exact: true }).waitFor();
  const teams = async () => (await panel.client.call("GET", "/teams")).body.data;
  expect(await teams()).toMatchObject([{ name: "press", members: [{ account: "anna", role: "editor" }] }]);
  await panel.client.call("POST", "/links", {
    code: "ours",
    target: "https://example.com/",
    owner: "team:press",
  });
  await page.getByRole("button", { name: "Delete press" }).click();
  await page.getByRole("button", { name: "Delete for good" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Its links go to").fill("anna");
  await page.getByRole("button", { name: "Delete for good" }).click();
  await page.getByText("There are no teams yet.").waitFor();
  expect((await panel.client.call("GET", "/links/ours")).body.data.owner).toBe("anna");
  expect(complaints.filter((text) => !text.includes("409"))).toEqual([]);
  await close();
});

/** A storage moves to another one in Chromium: the form, progress, stop and the end. */
import { afterAll, beforeAll, expect } from "bun:test";
import { type DriveClient, driveClient } from "../support/drive.ts";
import { expectAccessibleInAllLooks, once, startPanel } from "../support/panel.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let me: DriveClient;
beforeAll(async () => {
  panel = await startPanel();
  me = driveClient(panel.server.url, panel.client.token);
  const policy = { name: "elsewhere", driver_type: "local", base_path: "elsewhere" };
  expect((await me.call("POST", "/admin/policies", policy)).status).toBe(201);
  for (const name of ["one", "two"]) await me.upload(name, name.repeat(2_000_000));
});
afterAll(() => panel.stop());

once("an administrator moves a storage, stops the move and continues it", async () => {
  const { page, complaints, close } = await panel.enter("/panel/policies");
  const card = page.getByRole("region", { name: "local" });
  await card.getByRole("button", { name: "Move the content of local" }).click();
  const form = page.getByRole("dialog", { name: "Move the content of local" });
  await form.getByText("2 objects with 12 MB will move.").waitFor();
  await expectAccessibleInAllLooks(page, "form of a move");
  await form.getByRole("textbox", { name: "Speed limit per second" }).fill("0.01");
  await form.getByRole("button", { name: "Move", exact: true }).click();
  await card.getByText("0 of 2 objects are in elsewhere, 12 MB left.").waitFor();
  await expectAccessibleInAllLooks(page, "progress of a move");
  await card.getByRole("button", { name: "Stop the move" }).click();
  await card.getByText("The move to elsewhere was stopped").waitFor();
  const [{ id }] = (await me.call("GET", "/admin/policies")).body.data;
  const { data } = (await me.call("GET", `/admin/policies/${id}/move`)).body;
  expect(data).toMatchObject({ state: "stopped", rate: 10_000 });
  await me.call("POST", `/admin/policies/${id}/move`, { to: data.to });
  await page.reload();
  await card.getByText("Everything is in elsewhere.").waitFor();
  await close();
  expect(complaints).toEqual([]);
});

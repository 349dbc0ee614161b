/** The storage of a folder, chosen in Chromium: who may, what is shown, saved, refused and undone. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { type DriveClient, driveClient } from "../support/drive.ts";
import {
  expectAccessibleInAllLooks,
  focused,
  NARROW,
  once,
  signInToPanel,
  startPanel,
  undo,
} from "../support/panel.ts";
import { signIn } from "../support/session.ts";

const PASSWORD = "a long password";

let panel: Awaited<ReturnType<typeof startPanel>>;
let me: DriveClient;
/** Policies. */
let archive: number;
let fast: number;
beforeAll(async () => {
  panel = await startPanel();
  me = driveClient(panel.server.url, panel.client.token);
  const policy = async (name: string): Promise<number> =>
    (await me.call("POST", "/admin/policies", { name, driver_type: "local", base_path: name })).body.data.id;
  [archive, fast] = [await policy("archive"), await policy("fast")];
});
afterAll(() => panel.stop());

const policyOf = async (folder: number): Promise<number | null> =>
  (await me.call("GET", `/folders/${folder}`)).body.data.folder.policy_id;

async function openStorage(page: Page, folder: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${folder}` }).click();
  await page.getByRole("menuitem", { name: "Storage…" }).click();
}

once("an administrator chooses the storage of a folder by keyboard, and undoes it", async () => {
  const top = await me.folder("projects");
  const inner = await me.folder("films", top);
  await me.upload("old.txt", "old", { folder: `${inner}` });
  const [standard] = (await me.call("GET", "/admin/policies")).body.data;
  const { page, complaints, close } = await panel.enter(`/panel/files?folder=${top}`);
  await page.getByRole("row").filter({ hasText: "films" }).waitFor();
  await page.getByRole("grid").focus();
  await page.getByRole("button", { name: "Actions for films" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Storage…" }).press("Enter");
  const form = page.getByRole("dialog", { name: "Storage of films" });
  const inherited = form.getByRole("radio", { name: "As the folder above" });
  await focused(inherited);
  expect(await inherited.isChecked()).toBe(true);
  await form.getByText(`Now the default, ${standard.name}.`).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await focused(form.getByRole("radio", { name: "archive" }));
  await page.keyboard.press("Enter");
  await page.getByText("New files of films go to archive now.").waitFor();
  expect(await policyOf(inner)).toBe(archive);
  await focused(page.getByRole("button", { name: "Actions for films" }));

  // New files only.
  await me.upload("new.txt", "new", { folder: `${inner}` });
  expect((await me.call("GET", `/admin/policies/${archive}/usage`)).body.data.objects).toBe(1);
  await undo(page, "New files of films go to archive now.");
  await page.getByText("New files of films go to archive now.").waitFor({ state: "detached" });
  await openStorage(page, "films");
  await form.getByRole("radio", { name: "As the folder above", checked: true }).waitFor();
  expect(await policyOf(inner)).toBeNull();
  expect(complaints).toEqual([]);
  await close();
});

once("the form shows what a folder inherits and the server's sentence, also on a phone", async () => {
  const top = await me.folder("inherits");
  const inner = await me.folder("deep", await me.folder("middle", top));
  await me.call("PATCH", `/folders/${top}`, { policy_id: fast });
  const middle = (await me.call("GET", `/folders/${inner}`)).body.data.folder.parent_id;
  const { page, complaints, close } = await panel.enter(`/panel/files?folder=${middle}`, { size: NARROW });
  await openStorage(page, "deep");
  const form = page.getByRole("dialog", { name: "Storage of deep" });
  await form.getByText("Now fast, as set for inherits.").waitFor();
  await expectAccessibleInAllLooks(page, "storage of a folder");
  // Deleted meanwhile.
  const gone = (
    await me.call("POST", "/admin/policies", { name: "gone", driver_type: "local", base_path: "gone" })
  ).body.data.id;
  await page.reload();
  await openStorage(page, "deep");
  await form.getByRole("radio", { name: "gone" }).check();
  await me.call("DELETE", `/admin/policies/${gone}`);
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByRole("alert").filter({ hasText: "There is no such storage policy." }).waitFor();
  await form.getByRole("radio", { name: "gone" }).waitFor({ state: "detached" });
  await form.getByRole("radio", { name: "archive" }).check();
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("New files of deep go to archive now.").waitFor();
  expect(await policyOf(inner)).toBe(archive);
  expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
  await close();
});

once("an account that may not list the storages is not offered them", async () => {
  await me.call("POST", "/admin/v1/users", { username: "anna", password: PASSWORD, role: "user" });
  const anna = driveClient(panel.server.url, (await signIn(panel.server.url, PASSWORD, "anna")).token);
  await anna.folder("hers");
  const { page, close } = await panel.open("/panel/files");
  await signInToPanel(page, PASSWORD, "anna");
  await page.getByRole("button", { name: "Actions for hers" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Storage…" }).count()).toBe(0);
  await close();
});

/** The files of a team in the panel: an editor adds, a viewer looks, a manager gives. */
import { afterAll, beforeAll, expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { driveClient, type DriveClient } from "../support/drive.ts";
import { once, signInToPanel, startPanel, undo } from "../support/panel.ts";
import { signIn } from "../support/session.ts";
import { soon } from "../support/until.ts";

const SECRET = "a long password";
const MEMBERS = ["viewer", "editor", "manager"] as const;
let panel: Awaited<ReturnType<typeof startPanel>>;
const drives = {} as Record<(typeof MEMBERS)[number], DriveClient>;
beforeAll(async () => {
  panel = await startPanel();
  for (const username of MEMBERS) {
    await panel.client.call("POST", "/users", { username, password: SECRET, role: "user" });
    drives[username] = driveClient(
      panel.server.url,
      (await signIn(panel.server.url, SECRET, username)).token,
    );
  }
  const members = MEMBERS.map((role) => ({ account: role, role }));
  await panel.client.call("POST", "/teams", { name: "press", members });
});
afterAll(() => panel.stop());

const switchTo = async (page: Page, name: string, within: Page | Locator = page): Promise<void> => {
  await within.getByRole("combobox", { name: "Owner" }).click();
  await page.getByRole("option", { name, exact: true }).click();
};
/** By the dialog, into the root of another tree. */
const moveTo = async (page: Page, row: string, tree: string): Promise<void> => {
  await chooseIn(page, row, "Move to…");
  await switchTo(page, tree, page.getByRole("dialog"));
  await page.getByRole("dialog").getByRole("button", { name: "Move here" }).click();
};
/** Names of folders and files in the root of the team. */
const inTeam = async (): Promise<string[]> => {
  const { folders, files } = (await drives.viewer.call("GET", "/folders?team=press")).body.data;
  return [...folders, ...files].map(({ name }: { name: string }) => name);
};
const enterAs = async (who: (typeof MEMBERS)[number], path: string) => {
  const opened = await panel.open(`/panel/${path}`);
  await signInToPanel(opened.page, SECRET, who);
  return opened;
};
const chooseIn = async (page: Page, row: string, action: string): Promise<void> => {
  await page.getByRole("button", { name: `Actions for ${row}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
};

once("an editor uploads into the tree of the team and makes a folder there", async () => {
  const { page, complaints, close } = await enterAs("editor", "files");
  await switchTo(page, "Team press");
  await page.waitForURL((url) => url.searchParams.get("team") === "press");
  await page
    .locator("input[type=file]:not([webkitdirectory])")
    .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("text") });
  await page.getByRole("row", { name: "notes.txt" }).waitFor();
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("drafts");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("row", { name: "drafts" }).waitFor();
  expect(await inTeam()).toEqual(["drafts", "notes.txt"]);
  await chooseIn(page, "notes.txt", "Share");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByText("Whoever has this short URL can open it.").waitFor();
  await page.goBack();
  await switchTo(page, "My files");
  await page.getByText("This folder is empty.").waitFor();
  await page.goBack();
  await page.getByRole("row", { name: "notes.txt" }).waitFor();
  await page.goForward();
  await page.getByText("This folder is empty.").waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("notes");
  await page.getByRole("option", { name: "notes.txt Team press" }).click();
  await page.waitForURL((url) => url.searchParams.get("team") === "press" && url.searchParams.has("file"));
  await page.getByRole("dialog", { name: "notes.txt" }).waitFor();
  expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
  await close();
});

once("a viewer sees files, trash and shares of the team without actions that change them", async () => {
  const trashed = await drives.editor.folder(
    "old",
    (await drives.editor.call("GET", "/folders?team=press")).body.data.folders[0].id,
  );
  await drives.editor.call("POST", `/folders/${trashed}/trash`);
  const { page, complaints, close } = await enterAs("viewer", "files?team=press");
  await page.getByRole("row", { name: "notes.txt" }).waitFor();
  expect(await page.getByRole("button", { name: /New folder|Upload/ }).count()).toBe(0);
  await page.getByRole("button", { name: "Actions for notes.txt" }).click();
  await page.getByRole("menuitem", { name: "Download" }).waitFor();
  expect(await page.getByRole("menuitem").allInnerTexts()).toEqual([
    expect.stringMatching("Preview"),
    "Download",
  ]);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "drafts" }).click();
  await page.getByText("This folder is empty.").waitFor();
  await page.getByRole("link", { name: "Trash", exact: true }).click();
  await page.getByRole("row", { name: "old" }).waitFor();
  expect(await page.getByRole("button", { name: /Put back|Delete|Empty/ }).count()).toBe(0);
  await page.goto(`${panel.origin}/panel/shares?team=press`);
  await page.getByRole("button", { name: /^Actions for / }).click();
  expect(await page.getByRole("menuitem").allInnerTexts()).toEqual([
    expect.stringMatching("Open"),
    expect.stringMatching("QR code"),
  ]);
  expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
  await close();
});

once(
  "a manager moves a folder to the team and takes it back; an editor moves a file there for good",
  async () => {
    const folder = await drives.manager.folder("plans");
    await drives.manager.upload("plan.txt", "text", { folder: String(folder) });
    const { page, complaints, close } = await enterAs("manager", "files");
    await moveTo(page, "plans", "Team press");
    await page.getByText("This folder is empty.").waitFor();
    expect(await inTeam()).toContain("plans");
    await undo(page, "belongs to Team press");
    await page.getByRole("row", { name: "plans" }).waitFor();
    await soon(async () => expect(await inTeam()).not.toContain("plans"));
    await drives.editor.upload("mine.txt", "text");
    const editor = await enterAs("editor", "files");
    await moveTo(editor.page, "mine.txt", "Team press");
    await editor.page.getByText("belongs to Team press").waitFor();
    expect(await editor.page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    expect(await inTeam()).toContain("mine.txt");
    await switchTo(editor.page, "Team press");
    // What an editor may not do is not offered.
    await chooseIn(editor.page, "mine.txt", "Move to…");
    await editor.page.getByRole("dialog").getByRole("listbox").waitFor();
    expect(await editor.page.getByRole("dialog").getByRole("combobox").count()).toBe(0);
    for (const found of [complaints, editor.complaints]) {
      expect(found.filter((text) => !text.includes("401"))).toEqual([]);
    }
    await Promise.all([close(), editor.close()]);
  },
);

once("an administrator gives a file to another account", async () => {
  const admin = driveClient(panel.server.url, (await signIn(panel.server.url)).token);
  await admin.upload("report.txt", "text");
  const { page, close } = await panel.open("/panel/files");
  await signInToPanel(page);
  await chooseIn(page, "report.txt", "Change owner…");
  await page.getByRole("combobox", { name: "New owner" }).fill("edi");
  await page.getByRole("option", { name: "editor" }).click();
  await page.getByRole("button", { name: "Change owner" }).click();
  await page.getByText("belongs to editor").waitFor();
  const { files } = (await drives.editor.call("GET", "/folders")).body.data;
  expect(files.map(({ name }: { name: string }) => name)).toEqual(["report.txt"]);
  await close();
});

/** Mails that lead into the panel, an invitation and a new password, and those of shares. */
import { afterAll, beforeAll, expect } from "bun:test";
import { driveClient } from "../support/drive.ts";
import { linkIn, type MailServer, startMailServer } from "../support/mail-server.ts";
import {
  expectAccessible,
  expectAccessibleInAllLooks,
  focused,
  once,
  signInToPanel,
  startPanel,
} from "../support/panel.ts";
import { until } from "../support/until.ts";

let smtp: MailServer;
let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  smtp = await startMailServer();
  panel = await startPanel(smtp.settings);
  await panel.client.call("PUT", "/config/features.public_url", { value: panel.origin });
});
afterAll(async () => {
  await panel.stop();
  smtp.stop();
});

/** Follows the link of the newest mail and chooses a password there, which ends signed in. */
async function choosePassword(password: string, { name }: { name?: string } = {}): Promise<void> {
  const link = linkIn(smtp.mails.at(-1));
  const { page, complaints, close } = await panel.open(link.slice(panel.origin.length));
  await page.getByLabel(name === undefined ? "New password" : "Password", { exact: true }).fill(password);
  if (name !== undefined) {
    await page.getByRole("heading", { name: "Welcome to Waymark" }).waitFor();
    await page.getByText("You sign in with berta@example.com").waitFor();
    await page.getByLabel("Your name").fill(name);
  }
  await expectAccessible(page, "new password");
  await page.getByRole("button", { name: name === undefined ? "Set the password" : "Sign in" }).click();
  await page.getByText(name === undefined ? "The password is set." : `Welcome, ${name}`).waitFor();
  await page.getByRole("button", { name: "Account menu of Bertä" }).click();
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
  await page.getByLabel("Username or e-mail address").waitFor();
  await signInToPanel(page, password, "berta@example.com");
  expect(complaints).toEqual([]);
  await close();
}

once(
  "who is invited chooses a password by the mail, also when it was sent again, and another one later",
  async () => {
    const { page, complaints, close } = await panel.enter("/panel/users");
    const row = page.getByRole("row").filter({ hasText: "berta" });
    const again = page.getByRole("menuitem", { name: "Invite again" });
    const menu = page.getByRole("button", { name: "Actions for berta" });
    const sent = page.getByText("The invitation was sent to berta@example.com.");
    // An address alone is no invitation.
    const anna = { username: "anna", email: "anna@example.com", password: "a long password" };
    await panel.client.call("POST", "/users", anna);
    await until(() => smtp.mails.length === 1);
    smtp.mails.length = 0;
    const invitations = () =>
      smtp.mails.filter(({ subject }) => subject === "Your account on Waymark").length;
    await page.getByRole("button", { name: "New account" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("E-mail address").fill("berta@example.com");
    await form.getByLabel("E-mail address").press("Tab");
    expect(await form.getByLabel("Username").inputValue()).toBe("berta");
    await form.getByRole("button", { name: "Invite", exact: true }).click();
    await sent.waitFor();
    await row.getByText("Invited").waitFor();
    await until(() => invitations() === 1);
    await menu.click();
    await again.click();
    await sent.nth(1).waitFor();
    await page.getByRole("button", { name: "Actions for anna" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).waitFor();
    expect(await again.count()).toBe(0);
    await page.keyboard.press("Escape");
    await until(() => invitations() === 2);
    await choosePassword("the first password", { name: "Bertä" });
    await page.reload();
    await row.waitFor();
    expect(await row.getByText("Invited").count()).toBe(0);
    await row.getByText("Bertä").waitFor();
    expect(complaints).toEqual([]);
    await close();

    const visitor = await panel.open("/panel/sign-in");
    await visitor.page.getByRole("link", { name: "Forgotten the password?" }).click();
    // The page before it has a field of the same name.
    await visitor.page.getByRole("heading", { name: "New password" }).waitFor();
    await visitor.page.getByLabel("Username or e-mail address").fill("berta");
    await visitor.page.getByRole("button", { name: "Send the link" }).click();
    await visitor.page.getByRole("status").filter({ hasText: "a mail is on its way" }).waitFor();
    const isReset = () => smtp.mails.at(-1)?.subject === "New password for Waymark";
    await until(isReset);
    await visitor.close();
    await choosePassword("the second password");
    // The link works once.
    const used = await panel.open(
      linkIn(smtp.mails.findLast(({ subject }) => subject === "New password for Waymark")).slice(
        panel.origin.length,
      ),
    );
    await used.page.getByLabel("New password", { exact: true }).fill("the third password");
    await used.page.getByRole("button", { name: "Set the password" }).click();
    await used.page.getByRole("alert").filter({ hasText: "This link was already used" }).waitFor();
    await used.close();
  },
);

once(
  "several files go to recipients, who get the link again from its page, which tells what became of each mail",
  async () => {
    const drive = driveClient(panel.server.url, panel.client.token);
    for (const name of ["one.txt", "two.txt"]) await drive.upload(name, name);
    const { page, complaints, close } = await panel.enter("/panel/files");
    await page.getByRole("row", { name: /one\.txt/ }).click();
    await page.keyboard.press("Control+a");
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const form = page.getByRole("main");
    await form.getByRole("textbox", { name: "Recipients" }).fill("anna@example.com, ben@example.com");
    await form.getByLabel("For recipients only").check();
    // As a server says that is slower.
    await page.route(
      /\/shares\/[^/]+\/mails$/,
      async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as { data: object[] };
        const data = body.data.map((mail) => ({ ...mail, state: "queued", accepted_at: null }));
        await route.fulfill({ response, json: { ...body, data } });
      },
      { times: 1 },
    );
    await form.getByRole("button", { name: "Share and send", exact: true }).click();
    await form.getByText("The mail is waiting to be sent.").nth(1).waitFor();
    const again = form.getByRole("button", { name: "Send again to ben@example.com" });
    expect(await again.isDisabled()).toBe(true);
    await form.getByText("The mail is sent.").nth(1).waitFor();
    expect(await again.isDisabled()).toBe(false);
    await form.getByRole("img", { name: /QR code/ }).waitFor();
    await form.getByText("Only the recipients can open it, with a code from a mail.").waitFor();
    const mailed = () =>
      smtp.mails.map(({ to }) => JSON.stringify(to)).filter((to) => /anna|ben/.test(to)).length;
    await until(() => mailed() === 2);

    await form.getByText("Nobody has opened it yet.").waitFor();
    await expectAccessibleInAllLooks(page, "recipients of a share");
    await again.click();
    await until(() => mailed() === 3);
    await form.getByRole("button", { name: "Send again to all" }).click();
    await until(() => mailed() === 5);
    expect(complaints).toEqual([]);
    await close();
  },
);

once("an address that is none is named at its field, and a refused drop box leaves no folder", async () => {
  const drive = driveClient(panel.server.url, panel.client.token);
  const folders = async () =>
    (await drive.call("GET", "/folders")).body.data.folders.map(({ name }: { name: string }) => name);
  const before = await folders();
  const { page, close } = await panel.enter("/panel/shares/new", { size: { width: 1280, height: 700 } });
  const form = page.getByRole("main");
  await form.getByText("Drop box").click();
  const recipients = form.getByRole("textbox", { name: "Recipients" });
  // The second one the server alone knows to be wrong.
  for (const wrong of ["Abc", "a..b@example.com"]) {
    await recipients.fill(`anna@example.com; ben@example.com\n${wrong}`);
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText(`“${wrong}” is no e-mail address.`).waitFor();
    await focused(recipients);
    expect(await form.getByRole("alert").count()).toBe(0);
    expect(await folders()).toEqual(before);
  }
  await recipients.fill("");
  await form.getByRole("button", { name: "Create" }).click();
  await form.getByRole("img", { name: /QR code/ }).waitFor();
  expect(await folders()).toEqual([...before, "Drop box"].sort());
  await close();
});

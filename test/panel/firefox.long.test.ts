/** The main story of the panel in Firefox (Debian: firefox-esr). */
import { expect, test } from "bun:test";
import { FIREFOX, startFirefox, TAB } from "../support/firefox.ts";
import { panelOrigin } from "../support/panel.ts";
import { PASSWORD, startSignedIn } from "../support/session.ts";
import { soon } from "../support/until.ts";

const TARGET = "https://example.com/from/firefox";

test.skipIf(FIREFOX === null)("sign in, shorten a URL, find its link, delete it and undo", async () => {
  const { installation, server } = await startSignedIn();
  const firefox = await startFirefox();
  const statusOf = async (code: string) =>
    (await fetch(`${server.url}/${code}`, { redirect: "manual" })).status;
  try {
    await firefox.open(`${panelOrigin(server.url)}/panel/links`);
    await firefox.seen({ role: "button", name: "Sign in" });
    // From the username to the password.
    await firefox.typeAndEnter(TAB + PASSWORD);
    await firefox.click({ role: "button", name: "New link" });
    await firefox.click({ role: "textbox", name: "Code" });
    await firefox.typeAndEnter("from/firefox");
    await firefox.click({ role: "textbox", name: "Target" });
    await firefox.typeAndEnter(TARGET);
    // The message of the new link has an Undo of its own.
    await firefox.seen({ role: "button", name: "Edit: Target" });
    await firefox.open(`${panelOrigin(server.url)}/panel/links`);
    await firefox.dismiss({ role: "button", name: "Close" });
    expect(await statusOf("from/firefox")).toBe(307);
    await firefox.click({ role: "button", name: "Actions for from/firefox" });
    await firefox.click({ role: "menuitem", name: "Delete" });
    await soon(async () => expect(await statusOf("from/firefox")).toBe(404));
    await firefox.click({ role: "button", name: "Undo" });
    await firefox.seen({ role: "button", name: "Actions for from/firefox" });
    expect(await statusOf("from/firefox")).toBe(307);
    expect(firefox.complaints).toEqual([]);
  } finally {
    await firefox.close();
    await installation.remove();
  }
});

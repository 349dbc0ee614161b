/** Form, settings, QR code and history of a link in Chromium, against the real program. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { decode } from "fast-png";
import { setUtm, utmIn } from "../../src/lib/utm.ts";
import { withScheme } from "../../panel/src/links/form/with-scheme.ts";
import {
  expectAccessibleInAllLooks,
  focused,
  once,
  openTab,
  startPanel,
  story,
  undo,
  WIDE,
} from "../support/panel.ts";
import { driveClient } from "../support/drive.ts";
import { soon } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

const HOSTILE = `"><img src=x onerror=alert(1)>`;

test("UTM parameters change and everything else of an address stays as it was typed", () => {
  const address = "https://x.y/a%20b?q=1+2&utm_source=old&utm_source=twice&flag#top?utm_term=no";
  expect(utmIn(address, "source")).toBe("old");
  expect(utmIn(address, "term")).toBe("");
  expect(setUtm(address, "source", "a&b #c")).toBe(
    "https://x.y/a%20b?q=1+2&utm_source=a%26b%20%23c&flag#top?utm_term=no",
  );
  expect(setUtm(address, "source", "")).toBe("https://x.y/a%20b?q=1+2&flag#top?utm_term=no");
  expect(setUtm("https://x.y", "medium", "e mail ")).toBe("https://x.y?utm_medium=e%20mail%20");
  expect(utmIn("https://x.y?utm_medium=e%20mail%20", "medium")).toBe("e mail ");
  expect(setUtm("https://x.y?utm_medium=1", "medium", "")).toBe("https://x.y");
  expect(utmIn("https://x.y?utm_term", "term")).toBe("");
  expect(utmIn("https://x.y?utm_term=%E0%A4%A", "term")).toBe("%E0%A4%A");
});

test("an address without a scheme gets one, and nothing else does", () => {
  expect(withScheme(" example.com ")).toBe("https://example.com");
  expect(withScheme("Example.co.uk:8080/a?b#c")).toBe("https://Example.co.uk:8080/a?b#c");
  expect(withScheme("bücher.example?q")).toBe("https://bücher.example?q");
  for (const other of ["", "no", "no address", "localhost:80", "/a.html", "mailto:a@b.c", "a@b.example"]) {
    expect(withScheme(other)).toBe(other);
  }
  expect(withScheme("http://example.com")).toBe("http://example.com");
});

once("a link is made with all its settings, by keyboard, and nothing typed is lost", async () => {
  await panel.client.call("POST", "/links", {
    code: "taken",
    target: "https://example.com/",
    tags: ["spring"],
  });
  const { page, context, close } = await panel.enter("/panel/links");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("row").filter({ hasText: "taken" }).waitFor();
  await page.keyboard.press("n");
  const form = page.getByRole("region", { name: "New link" });
  // What is said of the target and of the code moves nothing.
  const below = async () => (await form.getByLabel("Title").boundingBox())!.y;
  const place = await below();
  const target = form.getByRole("textbox", { name: "Target" });
  await target.fill("https://example.com");
  await form
    .getByText("A link leads there already:")
    .getByRole("link", { name: /\/taken$/ })
    .waitFor();
  await target.fill(`${panel.origin}/taken`);
  await form
    .getByText("This is a short link already:")
    .getByRole("link", { name: /\/taken$/ })
    .waitFor();
  expect(await below()).toBe(place);
  await target.fill("https://example.com/sale?utm_source=shop&q=1");
  await form.getByText("Where the link leads.").waitFor();
  for (const [code, said] of [
    ["taken", "Another link has this code."],
    ["sale/2027", "This code is available."],
  ] as const) {
    await form.getByLabel("Code").fill(code);
    await form.getByText(said).waitFor();
    expect([said, await below()]).toEqual([said, place]);
  }
  await form.getByLabel("Title").fill(HOSTILE);
  await form.getByRole("button", { name: "UTM" }).press("Enter");
  await soon(async () => expect(await form.getByLabel("Source").inputValue()).toBe("shop"));
  await form.getByLabel("Campaign", { exact: true }).fill("<b> & co");
  await form.getByLabel("Tags").fill("spring");
  await page.getByRole("option", { name: "spring" }).click();

  // Closed by accident, and reloaded.
  await page.keyboard.press("Escape");
  // Two presses before the page has gone leave the form only, not the panel.
  await page.evaluate(() => {
    const escape = { key: "Escape", bubbles: true, cancelable: true };
    for (let press = 0; press < 2; press++)
      document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", escape));
  });
  await form.waitFor({ state: "hidden" });
  await page.reload();
  await page.getByRole("button", { name: "New link" }).click();
  await form.getByText("What you typed before is here again.").waitFor();
  await soon(async () => expect(await form.getByLabel("Title").inputValue()).toBe(HOSTILE));

  await form.getByRole("button", { name: "More" }).press("Enter");
  await form.getByLabel("Fallback").fill("no address");
  await form.getByRole("button", { name: "Create" }).press("Enter");
  await form.getByText("The URL must be absolute").waitFor();
  await focused(form.getByLabel("Fallback"));
  await expectAccessibleInAllLooks(page, "form");
  await page.setViewportSize(WIDE);
  await form.getByLabel("Fallback").fill("https://example.com/over");
  await form.getByRole("textbox", { name: "Starts" }).fill("2026-01-02T03:04");
  await form.getByRole("button", { name: "In 7 days" }).first().click();
  await form.getByLabel("Max. visitors").fill("1200");
  await form.getByRole("combobox", { name: "Redirect" }).click();
  await page.getByRole("option", { name: /^302/ }).click();
  await form.getByLabel("Password", { exact: true }).fill("a secret");
  await form.getByRole("switch", { name: "Pass the query on" }).press(" ");
  await form.getByLabel("Note").press("Control+Enter");
  const notice = page.getByRole("alert").filter({ hasText: "/sale/2027" });
  await notice.getByText("Link created, short URL copied.").waitFor();
  // Its page is shown.
  expect(await notice.getByRole("button", { name: "Show the link" }).count()).toBe(0);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/sale\/2027$/);

  const { data } = (await panel.client.call("GET", "/links/sale/2027")).body;
  expect(data).toMatchObject({
    target: "https://example.com/sale?utm_source=shop&q=1&utm_campaign=%3Cb%3E%20%26%20co",
    title: HOSTILE,
    tags: ["spring"],
    starts_at: new Date("2026-01-02T03:04").toISOString(),
    max_clicks: 1200,
    fallback_url: "https://example.com/over",
    redirect_status: 302,
    forward_query: true,
    password: "[REDACTED]",
  });
  expect(Date.parse(data.expires_at)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
  // What was opened last is kept; what was typed is not.
  const kept = () =>
    page.evaluate(() =>
      Object.entries(localStorage)
        .filter(([name]) => !name.endsWith(" recent"))
        .join(),
    );
  await soon(async () => expect(await kept()).not.toContain("sale"));
  await close();
});

story(
  "settings are edited in place, the history tells them and goes back, and all of it can be undone",
  async () => {
    await panel.client.call("POST", "/links", {
      code: "poster",
      target: "https://example.com/1",
      title: HOSTILE,
    });
    const { page, complaints, close } = await panel.enter("/panel/link/poster");
    const settings = page.getByRole("region", { name: "Settings of the link" });
    const history = page.getByRole("region", { name: "History" });
    await settings.getByRole("button", { name: "Edit: Target" }).press("Enter");
    await settings.getByRole("textbox", { name: "Target" }).fill("no address");
    await page.keyboard.press("Enter");
    await settings.getByText("The URL must be absolute").waitFor();
    await settings.getByRole("textbox", { name: "Target" }).fill("https://example.com/2");
    await page.keyboard.press("Enter");
    await focused(settings.getByRole("button", { name: "Edit: Target" }));

    await settings.getByRole("button", { name: "Edit: Code" }).press("Enter");
    await settings.getByRole("textbox", { name: "Code" }).fill("poster/2027");
    await settings.getByText("This code is available.").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/link\/poster\/2027$/);
    for (const code of ["poster", "poster/2027"]) await expectLocation(code, "https://example.com/2");
    await expectAccessibleInAllLooks(page, "a link's settings");
    await page.setViewportSize(WIDE);

    await openTab(page, "History");
    await history.getByText("https://example.com/1").waitFor();
    await expectAccessibleInAllLooks(page, "a link's history");
    await history.getByRole("button", { name: "Go back to this" }).last().press("Enter");
    await expectLocation("poster/2027", "https://example.com/1");
    await undo(page, "The link is as it was");
    await expectLocation("poster/2027", "https://example.com/2");

    await page.goBack();
    await settings.getByRole("button", { name: "Delete the link" }).press("Enter");
    await page.waitForURL(/\/links$/);
    await expectLocation("poster/2027", null);
    await undo(page, "is deleted");
    await expectLocation("poster/2027", "https://example.com/2");
    // Of what was mistyped alone: nothing asks for the link that is gone.
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
    await close();
  },
);

once("a lock shows only if visitors are asked for passwords, and a switch makes the server ask", async () => {
  const link = { code: "locked", target: "https://example.com/locked", password: "a secret" };
  await panel.client.call("POST", "/links", link);
  const drive = driveClient(panel.server.url, panel.client.token);
  const share = { code: "locked-share", password: link.password };
  await drive.call("POST", `/folders/${await drive.folder("Locked")}/share`, share);
  const { page, complaints, close } = await panel.enter("/panel/links");
  const rowOf = (code: string) =>
    page.getByRole("row").filter({ has: page.getByText(code, { exact: true }) });
  const row = rowOf(link.code);
  const lock = row.getByRole("img", { name: "With a password" });
  await row.waitFor();
  expect(await lock.count()).toBe(0);
  await expectLocation("locked", link.target);

  // Visitors of a share are always asked.
  const settings = page.getByRole("region", { name: "Settings of the link" });
  await rowOf(share.code).getByRole("img", { name: "With a password" }).waitFor();
  await rowOf(share.code).getByRole("link", { name: share.code }).click();
  await settings.getByRole("button", { name: "Edit: Password" }).click();
  await settings.getByRole("form", { name: "Password" }).waitFor();
  expect(await page.getByText(/not asked|Not protected|Ask visitors/).count()).toBe(0);
  await page.getByRole("button", { name: "Actions for locked-share" }).click();
  await page.getByRole("menuitem", { name: "Change what it leads to" }).click();
  await page.waitForURL(/\/share\/locked-share\?use=true$/);
  await page.getByText("Choose another").waitFor();
  expect(await page.getByText(/not asked|Not protected|Ask visitors/).count()).toBe(0);
  await page.goto(`${panel.origin}/panel/links`);

  await row.getByRole("link", { name: "locked" }).click();
  const warning = settings.getByText("Not protected: this server doesn't ask for link passwords.");
  await warning.waitFor();
  await expectAccessibleInAllLooks(page, "a password that nobody is asked for");
  const ask = page.getByRole("switch", { name: "Ask visitors for the passwords of all links" });
  await ask.press("Space");
  await ask.waitFor({ state: "detached" });
  expect(await warning.count()).toBe(0);
  await expectLocation("locked", null);
  await page.goBack();
  await lock.waitFor();
  await undo(page, "Visitors are asked for the passwords of all links.");
  await lock.waitFor({ state: "detached" });
  await expectLocation("locked", link.target);
  expect(complaints).toEqual([]);
  await close();
});

once("a QR code takes colours and a logo, and warns of colours that can't be scanned", async () => {
  await panel.client.call("POST", "/links", { code: "qr", target: "https://example.com/" });
  const { page, close } = await panel.enter("/panel/link/qr");
  await page.getByRole("button", { name: "QR", exact: true, disabled: false }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "QR code" });
  await dialog.getByRole("img", { name: "QR code of qr" }).waitFor();
  await dialog.getByText("The code leads to localhost, which is a different machine").waitFor();
  const modules = dialog.getByRole("textbox", { name: "Color", exact: true });
  await modules.fill("ddd");
  await dialog.getByText("too similar for scanners").waitFor();
  await dialog.getByRole("button", { name: "SVG", disabled: true }).waitFor();
  await modules.fill("#1a4d2e");
  await dialog.getByRole("alert").waitFor({ state: "detached" });

  const choice = page.waitForEvent("filechooser");
  await dialog.getByRole("button", { name: "Choose a picture" }).press("Enter");
  const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="alert(1)"><script>alert(1)</script><rect width="9" height="9" fill="#c00"/></svg>`;
  await (await choice).setFiles({ name: "x.svg", mimeType: "image/svg+xml", buffer: Buffer.from(logo) });
  await dialog.getByText("With a logo always the highest.").waitFor();
  await expectAccessibleInAllLooks(page, "QR code");
  const saved = async (format: "SVG" | "PNG" | "PDF"): Promise<Uint8Array> => {
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: format }).click();
    expect((await download).suggestedFilename()).toBe(`qr.${format.toLowerCase()}`);
    return Bun.file(await (await download).path()).bytes();
  };
  const svg = Buffer.from(await saved("SVG")).toString();
  expect(svg).toContain('href="data:image/png;base64,');
  expect(svg).toContain("#1a4d2e");
  expect(svg).not.toContain("script");
  const { width, height, data, channels } = decode(await saved("PNG"));
  const middle = ((height / 2) * width + width / 2) * channels;
  expect([width, height, ...data.slice(middle, middle + 3)]).toEqual([1024, 1024, 204, 0, 0]);

  await dialog.getByLabel("Frame").fill("Scan <me> & go");
  expect(Buffer.from(await saved("SVG")).toString()).toContain("Scan &lt;me> &amp; go</text>");
  const framed = decode(await saved("PNG"));
  expect(framed.height).toBeGreaterThan(1100);
  // The frame has the colour of the code.
  const edge = (600 * framed.width + 8) * framed.channels;
  expect([framed.width, ...framed.data.slice(edge, edge + 3)]).toEqual([1024, 0x1a, 0x4d, 0x2e]);
  // 25 mm are 70.866 points.
  const inMm = dialog.getByLabel("Width in mm");
  await inMm.fill("");
  await inMm.pressSequentially("4");
  expect(await inMm.inputValue()).toBe("4");
  await inMm.fill("25");
  await dialog.getByText(/the printed code is about (1\d|2[0-4]) mm wide/).waitFor();
  expect(Buffer.from(await saved("SVG")).toString()).toMatch(/<svg [^>]*width="25mm" height="\d+(\.\d+)?mm"/);
  const pdf = Buffer.from(await saved("PDF")).toString("latin1");
  expect(pdf).toMatch(/^%PDF-1\.4\n[^]*\/MediaBox\[0 0 70\.866 \d+\.\d+\][^]*\/DCTDecode[^]*%%EOF\n$/);
  await page.keyboard.press("Escape");
  await focused(page.getByRole("button", { name: "QR", exact: true }));
  await close();
});

const expectLocation = (code: string, target: string | null): Promise<void> =>
  soon(async () => {
    const { headers } = await fetch(`${panel.server.url}/${code}`, { redirect: "manual" });
    expect(headers.get("location")).toBe(target);
  });

once(
  "a save says what somebody has changed meanwhile, and offers both; other fields stay as they are",
  async () => {
    const target = "https://example.com/";
    await panel.client.call("POST", "/links", { code: "both", target, title: "first" });
    const elsewhere = (patch: object) => panel.client.call("PATCH", "/links/both", patch);
    const stored = async () => (await panel.client.call("GET", "/links/both")).body.data;
    const { page, complaints, close } = await panel.enter("/panel/link/both");
    const notice = page.getByRole("alert").filter({ hasText: "admin has changed this since you opened it" });
    const edit = async (title: string) => {
      await page.getByRole("button", { name: "Edit: Title" }).click();
      const form = page.getByRole("form", { name: "Title" });
      await form.getByLabel("Title").fill(title);
      return form;
    };
    const form = await edit("mine");
    await elsewhere({ title: "theirs", note: "their note" });
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await notice.getByText("Title: theirs").waitFor();
    expect((await stored()).title).toBe("theirs");
    await notice.getByRole("button", { name: "Save mine" }).click();
    await form.waitFor({ state: "detached" });
    expect(await stored()).toMatchObject({ title: "mine", note: "their note" });
    await undo(page, "both is saved.");
    await soon(async () => expect((await stored()).title).toBe("theirs"));

    const again = await edit("mine again");
    await elsewhere({ title: "theirs again", note: "another note" });
    await again.getByRole("button", { name: "Save", exact: true }).click();
    await notice.getByText("Title: theirs again").waitFor();
    await notice.getByRole("button", { name: "Keep theirs" }).click();
    await again.waitFor({ state: "detached" });
    await page.getByText("theirs again").first().waitFor();
    expect(await stored()).toMatchObject({ title: "theirs again", note: "another note" });

    await page.goto(`${panel.origin}/panel/links`);
    await page.getByRole("row").filter({ hasText: "both" }).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Edit here" }).click();
    const row = page.getByRole("form", { name: "Edit both" });
    await row.getByLabel("Title").fill("mine");
    await elsewhere({ title: "theirs" });
    await row.getByRole("button", { name: "Save" }).click();
    await notice.getByRole("button", { name: "Save mine" }).click();
    await row.waitFor({ state: "detached" });
    expect((await stored()).title).toBe("mine");
    expect(complaints).toEqual([]);
    await close();
  },
);

once("a target that the form has changed is undone from its notice, and wraps on a phone", async () => {
  const target = `https://example.com/${"long/".repeat(12)}?page=1`;
  await panel.client.call("POST", "/links", { code: "moved", target });
  const { page, complaints, close } = await panel.enter("/panel/link/moved");
  await page.getByRole("button", { name: "Edit: Target" }).click();
  await page.getByRole("textbox", { name: "Target" }).fill("https://example.com/new");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("link", { name: "example.com/new" }).waitFor();
  await undo(page, "moved is saved.");
  const link = page.locator(`a[href="${target}"]`);
  await link.waitFor();
  await expectLocation("moved", target);
  await page.setViewportSize({ width: 390, height: 800 });
  await soon(async () => expect((await link.boundingBox())!.height).toBeGreaterThan(35));
  expect(complaints).toEqual([]);
  await close();
});

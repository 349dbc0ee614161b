/** Every page of the panel and of visitors, with the longest and widest values that a person can write. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/chromium.ts";
import { driveClient } from "../support/drive.ts";
import { NARROW, signInToPanel, startPanel, WIDE } from "../support/panel.ts";
import { PANEL_ROUTES } from "../support/panel-routes.ts";
import { shown, turnTo } from "../support/panel-turns.ts";
import type { Envelope } from "../support/session.ts";
import { stranger } from "../support/stranger.ts";
import { until } from "../support/until.ts";

const wide = (count: number, start = ""): string => start + "W".repeat(count - start.length);
/** Distinct ones of 64. */
const wideTags = Array.from({ length: 16 }, (_, at) => wide(64, `${at}`));
const HOST = `${"w".repeat(63)}.${"w".repeat(63)}.${"w".repeat(63)}.${"w".repeat(50)}.example`;
const ACCOUNT = "w".repeat(64);
const CODE = wide(128);
const NAME = wide(255);

let panel: Awaited<ReturnType<typeof startPanel>>;
const places = { share: "", folder: "", file: "", locked: "", box: "", folderId: 0 };

beforeAll(async () => {
  panel = await startPanel(
    {},
    {
      "analytics.enable_detailed_logging": "true",
      "features.instance_name": wide(64),
      "features.report_links": "true",
      "privacy.imprint_url": "https://example.com/imprint",
      "privacy.notice_url": "https://example.com/privacy",
    },
  );
  await fill();
});
afterAll(() => panel.stop());

async function fill(): Promise<void> {
  const { client, server } = panel;
  const drive = driveClient(server.url, client.token);
  const done = async (answer: Promise<{ status: number; body: Envelope }>) => {
    const { status, body } = await answer;
    if (status >= 300) throw new Error(`${status} ${body.message}`);
    return body.data;
  };
  const add = (path: string, body: object) => done(client.call("POST", path, body));
  const target = wide(8_000, "https://example.com/");
  const link = { title: wide(200), note: wide(2_000), target, tags: wideTags };
  const more = {
    fallback_url: target,
    max_clicks: Number.MAX_SAFE_INTEGER,
    expires_at: "2999-12-31T23:59:59Z",
  };
  await add("/links", { ...link, ...more, code: CODE });
  await add("/links", { ...link, code: "long/code" });
  await client.call("PATCH", `/links/${CODE}`, {
    title: wide(200, "new"),
    note: wide(2_000, "new"),
    tags: [],
  });
  await client.call("PATCH", "/links/long/code", { title: wide(200, "new"), tags: wideTags.slice(1) });
  await add("/links", { ...link, code: wide(128, "gone") });
  await client.call("DELETE", `/links/${wide(128, "gone")}`);
  await add("/domains", { host: HOST, not_found_url: target });
  await add("/links", { ...link, code: wide(128, "there"), domain: HOST });
  await add("/tokens", { name: wide(64), scopes: ["links:read", "links:write"] });
  await add("/users", { username: ACCOUNT, password: "a good password", role: "editor" });
  const folder = { driver_type: "local", base_path: wide(200) };
  const { id: policy } = await done(drive.call("POST", "/admin/policies", { name: wide(64), ...folder }));
  places.folderId = await drive.folder(NAME);
  await done(drive.call("PATCH", `/folders/${places.folderId}`, { policy_id: policy }));
  const inner = await drive.folder(NAME, places.folderId);
  const text = { type: "text/plain" };
  const { id } = await done(drive.upload(wide(255, "file"), "text", text));
  await done(drive.upload(wide(255, "file"), wide(10_000), { ...text, folder: String(inner) }));
  const { id: trashed } = await done(drive.upload(wide(255, "trashed"), "text", text));
  await done(drive.call("POST", `/files/${trashed}/trash`));
  const share = { title: wide(200) };
  places.file = (
    await done(drive.call("POST", `/files/${id}/share`, { ...share, code: wide(128, "file") }))
  ).url;
  places.folder = (await done(drive.call("POST", `/folders/${places.folderId}/share`, share))).url;
  places.locked = (await done(drive.call("POST", `/files/${id}/share`, { password: "a good password" }))).url;
  const limits = { ...share, code: wide(128, "box"), max_bytes: 10_000, max_files: 10 };
  places.box = (await done(drive.call("POST", `/folders/${inner}/drop`, limits))).url;
  await stranger().put(places.box, { [wide(255, "sent")]: "sent" }, wide(80));
  for (const code of [CODE, "long/code"])
    await fetch(`${server.url}/${code}?source=${wide(200)}`, {
      headers: { "User-Agent": `Mozilla/5.0 ${wide(300)}`, Referer: `https://${HOST}/${wide(300)}` },
      redirect: "manual",
    });
  await until(async () => (await client.call("GET", `/links/${CODE}`)).body.data.click_count === 1);
}

/** What is wider than its place: the page, texts that leave their boxes, and controls that something covers. */
const wideThings = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const found = scrollWidth > clientWidth ? [`the page is ${scrollWidth} px wide`] : [];
    const nameOf = (element: Element) => element.outerHTML.replace(/W{9,}/g, "W…").slice(0, 200);
    const isThere = (element: Element) => {
      const { width, height } = element.getBoundingClientRect();
      return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true });
    };
    const place = document.querySelector("[role=dialog], [role=menu]") ?? document.body;
    const ofPage = [...place.querySelectorAll("*")].filter(isThere);
    const speaks = (element: Element) =>
      [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue!.trim());
    for (const element of ofPage.filter(speaks)) {
      const isOpen = getComputedStyle(element).overflowX === "visible" && element.clientWidth > 0;
      if (isOpen && element.scrollWidth > element.clientWidth + 1) found.push(`${nameOf(element)} spills`);
    }
    /** The bar of phones, or the foot of a form. */
    const isBehindBar = (upper: Element | null): boolean => {
      if (upper === null) return false;
      const { position, bottom } = getComputedStyle(upper);
      const isBar =
        bottom !== "auto" && (position === "sticky" || (upper.localName === "nav" && bottom === "0px"));
      return isBar || isBehindBar(upper.parentElement);
    };
    for (const control of ofPage.filter((element) => element.matches("a, button, input, select, textarea"))) {
      const { left, top, width, height } = control.getBoundingClientRect();
      const upper = document.elementFromPoint(left + width / 2, top + height / 2);
      const holder = control.closest("label") ?? control;
      if (upper === null || holder.contains(upper) || upper.contains(control)) continue;
      // A page scrolls out from behind these; another test sees that nothing stays there.
      if (isBehindBar(upper)) continue;
      found.push(`${nameOf(control)} is covered by ${nameOf(upper)}`);
    }
    return found;
  });

for (const size of [NARROW, WIDE]) {
  test.skipIf(!CHROMIUM)(`no value is wider than its place at ${size.width} px`, async () => {
    const { page, close } = await panel.open("/panel/", { size });
    const found: string[] = [];
    const look = async (path: string) => {
      for (const thing of await wideThings(page)) found.push(`${path}: ${thing}`);
    };
    await look("sign-in");
    await signInToPanel(page, "a good password", ACCOUNT);
    await page.getByRole("button", { name: /Account menu/ }).click();
    await page.getByRole("menuitem", { name: "Sign out", exact: true }).waitFor();
    await look("account menu");
    await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
    await signInToPanel(page);
    await page.goto(`${panel.origin}/panel/files?folder=${places.folderId}`);
    await shown(page);
    await look("a folder");
    for (const path of [...PANEL_ROUTES, `link/${CODE}`]) {
      await turnTo(page, path);
      await look(path);
    }
    await turnTo(page, "links");
    await page.getByRole("row").getByRole("checkbox").nth(1).check();
    const isPhone = size === NARROW;
    if (isPhone) await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole(isPhone ? "menuitem" : "button", { name: "QR codes" }).click();
    await page.getByRole("dialog", { name: "QR codes" }).getByRole("listitem").waitFor();
    await look("QR codes");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("WWW");
    await page.getByRole("option").filter({ hasText: "WWW" }).first().waitFor();
    await look("commands");
    const { url } = panel.server;
    const visitors = [`${url}/long/code+`, `${url}/admin/v1/privacy`, `${url}/none`, url];
    for (const path of [places.file, places.folder, places.locked, places.box, ...visitors]) {
      await page.goto(path);
      await look(path.slice(url.length));
    }
    expect(found).toEqual([]);
    await close();
  });
}

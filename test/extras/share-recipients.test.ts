/** Shares for recipients who prove their address, on a running server with a mail server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { driveClient, type DriveClient } from "../support/drive.ts";
import { linkIn, type MailServer, startMailServer } from "../support/mail-server.ts";
import { type Client, startSignedIn } from "../support/session.ts";
import { stranger } from "../support/stranger.ts";
import { until } from "../support/until.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

const PNG = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (letter) => letter.charCodeAt(0),
);
const [ANNA, EVE] = ["anna@example.com", "eve@example.com"];
const BROWSER = { Accept: "text/html", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" };

let smtp: MailServer;
let installation: Installation;
let server: RunningWaymark;
let client: Client;
let me: DriveClient;
let folder: number;
let file: number;
let peers = 0;

beforeAll(async () => {
  smtp = await startMailServer();
  ({ installation, server, client } = await startSignedIn(smtp.settings));
  await setting("api.trusted_proxies", "127.0.0.1");
  await setting("features.public_url", server.url);
  me = driveClient(server.url, client.token);
  folder = await me.folder("holiday");
  file = (await me.upload("beach.png", PNG, { folder: String(folder), type: "image/png" })).body.data.id;
});
afterAll(async () => {
  await installation?.remove();
  smtp?.stop();
});

async function setting(key: string, value: string): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ value });
  expect((await client.fetch(`/config/${key}`, { method: "PUT", body, headers })).status).toBe(200);
}

type Share = { url: string; code: string };
const share = async (body: object): Promise<Share> => {
  const answer = await me.call("POST", `/folders/${folder}/share`, body);
  expect([answer.status, answer.body.message]).toEqual([201, expect.anything()]);
  return answer.body.data as unknown as Share;
};
/** From an address without earlier tries. */
const post = (url: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams(form),
    headers: { ...BROWSER, "X-Forwarded-For": `192.0.2.${++peers}`, ...headers },
  });
const get = (url: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(url, { method, redirect: "manual", headers: { ...BROWSER, ...headers } });
const mailsTo = (email: string) =>
  smtp.mails.filter(({ to }) => JSON.stringify(to).includes(email)).map(({ text = "" }) => text);
const codesTo = (email: string) =>
  mailsTo(email).flatMap((text) => /page of .*: (\d{6})$/m.exec(text)?.slice(1) ?? []);
/** The next code that arrives there. */
async function codeFor(url: string, email: string, headers = {}): Promise<string> {
  const before = codesTo(email).length;
  expect((await post(url, { email }, headers)).status).toBe(200);
  await until(() => codesTo(email).length > before);
  return codesTo(email).at(-1)!;
}
const cookieOf = (answer: Response): string => answer.headers.get("set-cookie")!.split(";")[0]!;

test("a recipient gets the mail, proves the address, and sees what the owner then sees of the visit", async () => {
  const { url, code } = await share({ message: "From <us>\nto you", recipients: [ANNA], verify: true });
  await until(() => mailsTo(ANNA).length === 1);
  const [invitation = ""] = mailsTo(ANNA);
  expect(invitation).toContain("From <us>\nto you");
  expect(linkIn(smtp.mails[0])).toBe(`${server.url}/${code}`);

  const doors = [
    "",
    "?archive=1",
    `?file=${file}`,
    `?file=${file}&view=1`,
    `?preview=${file}`,
    `?thumbnail=${file}`,
  ];
  for (const door of doors) {
    for (const headers of [
      {},
      { Range: "bytes=0-1" },
      { Accept: "*/*", "User-Agent": "curl/8" },
      { "User-Agent": "Slackbot" },
    ]) {
      for (const method of ["GET", "HEAD"]) {
        const answer = await get(url + door, headers, method);
        expect([door, method, answer.status]).toEqual([door, method, 401]);
        const shown = await answer.text();
        for (const secret of ["holiday", "beach", "From", ANNA]) expect(shown).not.toContain(secret);
      }
    }
  }
  const told = async (form: object) => (await (await post(url, form as never)).text()).replaceAll(EVE, ANNA);
  expect(await told({ email: EVE })).toBe(await told({ email: ANNA }));
  await until(() => codesTo(ANNA).length === 1);
  expect(await told({ email: EVE, code: "000000" })).toBe(await told({ email: ANNA, code: "x" }));
  expect((await post(url, { email: "<nobody>" })).status).toBe(400);

  const received = await codeFor(url, ANNA);
  const guess = { email: ANNA, code: received === "000000" ? "000001" : "000000" };
  const elsewhere = { "X-Forwarded-For": "198.51.100.7" };
  const guesses = await Promise.all([1, 2, 3, 4, 5].map(() => post(url, guess, elsewhere)));
  expect(guesses.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  const entered = await post(`${url}?file=${file}`, { email: ANNA, code: received });
  expect([entered.status, await entered.text()]).toEqual([200, expect.stringContaining("proved=1")]);
  const set = entered.headers.get("set-cookie")!;
  expect(set).toMatch(new RegExp(`; Path=/${code}; Max-Age=43200; HttpOnly; SameSite=Lax`));
  expect((await post(url, { email: ANNA, code: received })).status).toBe(403);

  const Cookie = cookieOf(entered);
  const page = await (await get(url, { Cookie })).text();
  expect(page).toContain("From &lt;us&gt;\nto you");
  expect(page).not.toContain("og:image");
  expect((await get(`${url}?file=${file}`, { Cookie })).headers.get("content-type")).toBe("image/png");
  const broken = Cookie.replace(/.$/, (last) => (last === "A" ? "E" : "A"));
  for (const forged of [broken, Cookie.replace(/_\d+=/, "_999=")])
    expect((await get(url, { Cookie: forged })).status).toBe(401);

  const visits = async () => (await me.call("GET", `/shares/${code}/visits`)).body.data;
  await until(async () => (await visits()).length === 2);
  expect(await visits()).toMatchObject([
    { email: ANNA, action: "download", name: "beach.png" },
    { email: ANNA, action: "open", name: "holiday" },
  ]);
  expect(smtp.mails.filter(({ to }) => JSON.stringify(to).includes(EVE))).toEqual([]);

  await me.call("PATCH", `/shares/${code}`, { recipients: [EVE] });
  expect((await get(url, { Cookie })).status).toBe(401);
});

test("the password is asked first, and a program gets in with two forms", async () => {
  const { url, code } = await share({ recipients: [ANNA], verify: true, password: "12345678" });
  const program = { Accept: "*/*", "User-Agent": "curl/8" };
  expect(await (await get(url)).text()).toContain('name="password"');
  expect((await post(url, { email: ANNA }, program)).status).toBe(403);
  const unlocked = await post(url, { password: "12345678" }, program);
  expect([unlocked.status, unlocked.headers.get("location")]).toEqual([303, `/${code}`]);
  const password = { ...program, Cookie: cookieOf(unlocked) };
  expect(await (await get(url, password)).text()).toContain('name="email"');
  const received = await codeFor(url, ANNA, password);
  const proved = await post(url, { email: ANNA, code: received }, password);
  expect([proved.status, proved.headers.get("location")]).toEqual([303, `/${code}?proved=1`]);
  const both = `${password.Cookie}; ${cookieOf(proved)}`;
  expect((await get(`${url}?proved=1`, { Cookie: both })).status).toBe(200);
  expect((await get(url, { Cookie: cookieOf(proved) })).status).toBe(401);
});

test("a visit with its proof counts one click, and the page of the link tells nothing", async () => {
  const { url, code } = await share({ recipients: [ANNA], verify: true, title: "Secret title" });
  await get(url);
  const received = await codeFor(url, ANNA);
  const proved = await post(url, { email: ANNA, code: received });
  await get(server.url + proved.headers.get("location")!, { Cookie: cookieOf(proved) });
  const clicks = async () => (await me.call("GET", `/shares/${code}`)).body.data["click_count"];
  await until(async () => (await clicks()) === 1);
  expect(await (await get(`${url}+`)).text()).not.toContain("Secret title");
});

test("several files are for recipients too, who get the mail again when the owner says so", async () => {
  const body = { items: [{ file_id: file }, { folder_id: folder }], recipients: [ANNA], verify: true };
  const { url, code } = (await me.call("POST", "/shares", body)).body.data as Share;
  const invited = () => mailsTo(ANNA).filter((text) => text.includes(url)).length;
  await until(() => invited() === 1);
  expect((await get(url)).status).toBe(401);
  const Cookie = cookieOf(await post(url, { email: ANNA, code: await codeFor(url, ANNA) }));
  expect(await (await get(url, { Cookie })).text()).toContain("beach.png");
  const visits = async () => (await me.call("GET", `/shares/${code}/visits`)).body.data;
  await until(async () => (await visits()).length === 1);
  expect(await visits()).toMatchObject([{ email: ANNA, action: "open" }]);
  const again = await me.call("POST", `/shares/${code}/mails`, {});
  expect(again).toMatchObject({ status: 200, body: { data: { message: "Mails queued: 1" } } });
  await until(() => invited() === 2);
});

test("a folder with two ways takes nothing from those who have not proved their address", async () => {
  const { url, code } = await share({ recipients: [ANNA], verify: true, add: true });
  const eve = stranger();
  expect((await eve.put(url, { "a.txt": "a" })).status).toBe(401);
  expect((await eve.begin(url, "a.txt", 1)).status).toBe(401);
  const received = await codeFor(url, ANNA);
  const anna = stranger();
  anna.jar.set(
    ...(cookieOf(await post(url, { email: ANNA, code: received })).split("=") as [string, string]),
  );
  expect((await anna.put(url, { "a.txt": "a" })).status).toBe(201);
  const begun = await anna.begin(url, "b.txt", 1);
  const upload = new URL(begun.headers.get("location")!, url).href;
  expect((await eve.append(upload, 0, "b")).status).toBe(401);
  expect((await anna.append(upload, 0, "b")).status).toBe(204);
  const sent = await me.call("GET", `/folders/${folder}/drop/${code}/files`);
  expect(sent.body.data.map(({ name }: { name: string }) => name)).toEqual(["b.txt", "a.txt"]);
  // Who is taken off the list while a file is on its way sends no more of it.
  const late = new URL((await anna.begin(url, "c.txt", 1)).headers.get("location")!, url).href;
  await me.call("PATCH", `/shares/${code}`, { recipients: [EVE] });
  expect((await anna.append(late, 0, "c")).status).toBe(401);
});

/** What counts as a click on a share, and what previews and scanners leave of it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { type Client, whenAllowed } from "./support/session.ts";
import { resetSettings, startShared } from "./support/shared-server.ts";
import { until } from "./support/until.ts";
import type { RunningWaymark } from "./support/waymark.ts";

const BROWSER = {
  "User-Agent":
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36",
  Accept: "text/html,application/xhtml+xml,*/*;q=0.8",
};
const PASSWORD = "open sesame";
const SECRET = "The content that nobody fetched yet.";

/** As the services send them. */
const SCANNERS: [name: string, headers: Record<string, string>][] = [
  [
    "Slack",
    { "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", Range: "bytes=0-32768" },
  ],
  ["Slack's pictures", { "User-Agent": "Slack-ImgProxy (+https://api.slack.com/robots)", Accept: "image/*" }],
  ["WhatsApp", { "User-Agent": "WhatsApp/2.23.20.0", Accept: "*/*" }],
  ["WhatsApp on iOS", { "User-Agent": "WhatsApp/2.23.18.78 i", Accept: "text/html" }],
  ["Safe Links", { "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) SafeLinks/1.0", Accept: "*/*" }],
  ["Outlook", { "User-Agent": "Mozilla/4.0 (compatible; ms-office; MSOffice 16)", Accept: "*/*" }],
  ["a prefetch", { ...BROWSER, "Sec-Purpose": "prefetch;prerender" }],
  ["Facebook", { "User-Agent": "facebookexternalhit/1.1", Accept: "*/*" }],
];

let server: RunningWaymark;
let admin: Client;
let me: DriveClient;
beforeAll(async () => {
  ({ server, client: admin } = await startShared("share-clicks"));
  await admin.call("PUT", "/config/click.flush_interval", { value: "1" });
  me = driveClient(server.url, admin.token);
});
afterAll(() => resetSettings(admin, ["click.flush_interval"]));

const visit = (code: string, headers: Record<string, string> = BROWSER, init: RequestInit = {}) =>
  fetch(`${server.url}/${code}`, { redirect: "manual", ...init, headers });
const upload = async (name: string, folder = "") =>
  (await me.upload(name, SECRET, { folder, type: "text/plain" })).body.data.id as number;
const share = async (kind: "files" | "folders", id: number, input: object = {}) =>
  (await me.call("POST", `/${kind}/${id}/share`, input)).body.data.code as string;
const numbers = async (code: string) => {
  const {
    click_count: clicks,
    human_clicks: human,
    downloads,
  } = (await me.call("GET", `/shares/${code}`)).body.data;
  return { clicks, human, downloads };
};

test("previews and scanners get no byte of a share that may be downloaded once, whatever they ask for", async () => {
  const folder = await me.folder("scanned");
  const sub = await me.folder("sub", folder);
  const id = await upload("secret.txt", String(folder));
  const asked = [
    "",
    "?download=1",
    "?preview=1",
    "?archive=1",
    `?file=${id}`,
    `?file=${id}&view=1`,
    `?file=${id}&download=1`,
    `?preview=${id}`,
    `?folder=${folder}`,
    `?folder=${sub}&archive=1`,
    "?utm_source=mail",
  ];
  const shared = [
    await share("files", id, { max_downloads: 1 }),
    await share("folders", folder, { max_downloads: 1 }),
  ];
  for (const code of shared) {
    for (const [name, headers] of SCANNERS) {
      for (const query of asked) {
        for (const method of ["GET", "HEAD"]) {
          const answer = await visit(code + query, headers, { method });
          const text = await answer.text();
          const got = [name, query, method, text.includes(SECRET), answer.headers.get("content-type")];
          expect(got).toEqual([name, query, method, false, expect.stringMatching(/^text\/html/)]);
        }
      }
    }
    expect((await numbers(code)).downloads).toBe(0);
  }
  const [file, listed] = shared as [string, string];
  expect(await (await visit(`${file}?download=1`)).text()).toBe(SECRET);
  expect((await visit(`${file}?download=1`)).status).toBe(410);
  expect(await (await visit(`${listed}?file=${id}`)).text()).toBe(SECRET);
  expect((await visit(`${listed}?file=${id}`)).status).toBe(410);
  // `/{code}` twice and with a campaign twice, by each scanner.
  const expected = SCANNERS.length * 4;
  for (const code of shared) {
    await until(async () => (await numbers(code)).clicks >= expected);
    expect(await numbers(code)).toEqual({ clicks: expected, human: 0, downloads: 1 });
  }
});

test("one visitor who browses a share is one click; downloads that finished are counted by themselves", async () => {
  const folder = await me.folder("browsed");
  const sub = await me.folder("sub", folder);
  const id = await upload("in.txt", String(sub));
  const code = await share("folders", folder);
  for (const query of [
    "?utm_source=mail",
    `?folder=${sub}`,
    `?folder=${folder}&from=1`,
    `?file=${id}&view=1`,
    `?preview=${id}`,
    `?thumbnail=${id}`,
    `?file=${id}`,
    "?archive=1",
  ]) {
    const answer = await visit(code + query);
    await answer.bytes();
    expect([query, answer.ok]).toEqual([query, true]);
  }
  const counted = { clicks: 1, human: 1, downloads: 2 };
  await until(async () => Bun.deepEquals(await numbers(code), counted));
  await visit(code);
  await until(async () => (await numbers(code)).clicks === 2);
  expect((await numbers(code)).downloads).toBe(2);
});

test("a download in parts, or resumed, is one visit and one download", async () => {
  const program = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
  const last = SECRET.length - 1;
  for (const ranges of [
    ["bytes=0-4", "bytes=5-"],
    ["bytes=0-0", "bytes=20-", "bytes=0-9", "bytes=10-19"],
    ["bytes=0-1", `bytes=0-${last}`],
    ["bytes=-5", `bytes=0-${last - 5}`],
  ]) {
    const code = await share("files", await upload(`${crypto.randomUUID()}.txt`));
    const parts = new Map<string, string>();
    for (const Range of ranges) {
      const answer = await visit(code, { ...program, Range });
      expect([Range, answer.status]).toEqual([Range, 206]);
      parts.set(answer.headers.get("Content-Range")!, await answer.text());
    }
    expect([...parts.values()].join("").length).toBeGreaterThanOrEqual(SECRET.length);
    await until(async () => Bun.deepEquals(await numbers(code), { clicks: 1, human: 1, downloads: 1 }));
    // Another visitor: what came before is in the counts.
    await (await visit(code, program)).text();
    await until(async () => (await numbers(code)).clicks === 2);
    expect(await numbers(code)).toEqual({ clicks: 2, human: 2, downloads: 2 });
  }
});

test("a password form is part of the visit, whether the password is wrong or right", async () => {
  const folder = await me.folder("locked");
  const id = await upload("locked.txt", String(folder));
  for (const [kind, of] of [
    ["files", id],
    ["folders", folder],
  ] as const) {
    const code = await share(kind, of, { password: PASSWORD });
    expect((await visit(code)).status).toBe(401);
    const send = (password: string) =>
      whenAllowed(() => visit(code, BROWSER, { method: "POST", body: new URLSearchParams({ password }) }));
    expect((await send("wrong")).status).toBe(403);
    const right = await send(PASSWORD);
    const Cookie = right.headers.getSetCookie()[0]!.split(";")[0]!;
    for (const query of ["", kind === "files" ? "?download=1" : `?file=${id}`]) {
      const answer = await visit(code + query, { ...BROWSER, Cookie });
      await answer.bytes();
      expect(answer.status).toBe(200);
    }
    // Another visitor, who comes later: what came before is in the counts.
    expect((await visit(code)).status).toBe(401);
    await until(async () => (await numbers(code)).clicks === 2);
    await until(async () => (await numbers(code)).downloads === 1);
    expect(await numbers(code)).toEqual({ clicks: 2, human: 2, downloads: 1 });
  }
});

/** Rules of links with the real program: a timetable with shares, and explanations over the API. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { driveClient } from "./support/drive.ts";
import type { Client, Envelope } from "./support/session.ts";
import { resetSettings, startSharedWorkers } from "./support/shared-server.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const TARGET = "https://example.com/there";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";
const SOON = "2999-01-01T00:00:00.000Z";

let installation: Installation;
let server: RunningWaymark;
let client: Client;
beforeAll(async () => {
  ({ installation, server, client } = await startSharedWorkers());
});
afterAll(() => resetSettings(client, ["links.forgive_tails"]));

const visit = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, {
    redirect: "manual",
    ...init,
    headers: { "User-Agent": FIREFOX, Connection: "close", ...headers },
  });
const leads = async (path: string, headers: Record<string, string> = {}) =>
  (await visit(path, headers)).headers.get("location");
const explain = async (code: string, query: Record<string, string>) =>
  (await client.call("GET", `/links/${code}/explain?${new URLSearchParams(query)}`)).body as Envelope & {
    details?: unknown;
  };

test("rules are explained before a link has them, in the words that people use for systems", async () => {
  const draft = (body: object) => client.call("POST", "/links/explain", { target: TARGET, ...body });
  const rules = [
    { if: { os: "iPhone" }, target: "https://apps.example/" },
    { if: { country: "de" }, target: "https://example.de/" },
  ];
  const { data } = (await draft({ rules, user_agent: FIREFOX, country: "DE" })).body;
  expect(data).toEqual({
    target: "https://example.de/",
    status: 307,
    reason: "rule",
    steps: [
      { rule: 0, holds: false, because: [{ condition: "os", holds: false, actual: "Linux" }] },
      { rule: 1, holds: true, because: [{ condition: "country", holds: true, actual: "DE" }] },
    ],
  });
  expect((await draft({ rules, user_agent: IPHONE })).body.data.target).toBe("https://apps.example/");
  expect((await draft({ rules: [] })).body.data).toMatchObject({ target: TARGET, reason: "target" });
  expect((await draft({ rules: [{ ...rules[0], target: "" }] })).body).toMatchObject({
    details: [{ field: "rules.0.target" }],
  });
  expect((await draft({ rules, target: "no" })).body).toMatchObject({ details: [{ field: "target" }] });
});

test("any path that somebody typed leads where its explanation says", async () => {
  const values = { "links.forgive_tails": "true" };
  expect((await client.call("PATCH", "/config", { values })).status).toBe(200);
  await client.call("POST", "/links", { code: "rules-docs", target: `${TARGET}?v=1`, forward_path: true });
  await client.call("POST", "/links", { code: "rules-plain", target: TARGET });
  for (const [path, code, by, target] of [
    ["rules-docs/some/page", "rules-docs", "path", `${TARGET}/some/page?v=1`],
    ["rules-docs/a%2Fb/ü", "rules-docs", "path", `${TARGET}/a%2Fb/%C3%BC?v=1`],
    ["rules-plain).", "rules-plain", "tail", TARGET],
    ["rules-plain&utm_source=mail", "rules-plain", "tail", TARGET],
    ["rules-plain", "rules-plain", "code", TARGET],
  ] as const) {
    await until(async () => (await leads(`/${path}`)) === target);
    const { data } = await explain(encodeURIComponent(path), {});
    expect([data.code, data.found_by, data.target]).toEqual([code, by, target]);
  }
  expect((await visit("/Rules-plain")).status).toBe(404);
  expect((await client.call("GET", "/links/Rules-plain/explain")).status).toBe(404);
  await client.call("POST", "/links", { code: "rules-plain/explain", target: TARGET });
  expect((await explain("rules-plain", {})).data.code).toBe("rules-plain/explain");
  expect((await explain("rules-plain%2Fexplain", {})).data).toMatchObject({ found_by: "code" });
  expect((await client.call("DELETE", "/links/rules-plain/explain")).status).toBe(200);
  expect((await explain("rules-plain", {})).data).toMatchObject({ code: "rules-plain", found_by: "code" });
});

describe("rules", () => {
  test("lead visitors, and an explanation says so without a click", async () => {
    const rules = [
      { if: { device: "mobile" }, target: "https://m.example/" },
      { if: { country: ["GB", "SE"] }, target: "https://uk.example/" },
      { if: { language: "de", query: { ref: true } }, target: "https://de.example/" },
    ];
    const { status } = await client.call("POST", "/links", { code: "rules-way", target: TARGET, rules });
    expect(status).toBe(201);
    expect(await leads("/rules-way", { "User-Agent": IPHONE })).toBe("https://m.example/");
    expect(await leads("/rules-way?ref=1", { "Accept-Language": "de-AT" })).toBe("https://de.example/");
    expect(await leads("/rules-way", { "Accept-Language": "de-AT" })).toBe(TARGET);
    await until(async () => (await client.call("GET", "/links/rules-way")).body.data.click_count === 3);
    const { data } = await explain("rules-way", { user_agent: FIREFOX, address: "81.2.69.1" });
    expect(data).toEqual({
      code: "rules-way",
      found_by: "code",
      target: "https://uk.example/",
      status: 307,
      reason: "rule",
      steps: [
        { rule: 0, holds: false, because: [{ condition: "device", holds: false, actual: "desktop" }] },
        { rule: 1, holds: true, because: [{ condition: "country", holds: true, actual: "GB" }] },
      ],
    });
    expect((await explain("rules-way", { user_agent: FIREFOX, country: "se" })).data.target).toBe(
      "https://uk.example/",
    );
    const command = ["links", "explain", "rules-way", "--user-agent", FIREFOX, "--address", "81.2.69.1"];
    expect(JSON.parse(await installation.run([...command, "--json"]))).toEqual(data);
    expect(await installation.run(command)).toBe(
      "rules-way: https://uk.example/ (307, rule)\n" +
        "Rule 1 does not hold: device does not hold (desktop)\nRule 2 decides: country holds (GB)\n",
    );
    const query = { user_agent: FIREFOX, language: "de", query: "?ref=1&utm_source=x" };
    expect((await explain("rules-way", query)).data).toMatchObject({
      target: "https://de.example/",
      reason: "rule",
    });
    expect((await explain("rules-way", {})).data).toMatchObject({ target: TARGET, reason: "target" });
    await client.call("POST", "/links", { code: "rules-pass", target: TARGET, forward_query: true });
    expect((await explain("rules-pass", { query: "x='\u00fc\"" })).data.target).toBe(`${TARGET}?x='%C3%BC"`);
    expect((await client.call("GET", "/links/rules-way")).body.data.click_count).toBe(3);
  });

  test("other states of links are explained, too", async () => {
    const add = (code: string, more: object) =>
      client.call("POST", "/links", { code, target: TARGET, ...more });
    await add("rules-plain", {});
    await add("rules-later", { starts_at: SOON, fallback_url: "https://example.com/soon" });
    await add("rules-over", { expires_at: "2001-01-01T00:00:00Z" });
    await add("rules-once", { max_clicks: 1 });
    expect((await explain("rules-plain", {})).data).toMatchObject({
      target: TARGET,
      status: 307,
      reason: "target",
      steps: [],
    });
    expect((await explain("rules-later", {})).data).toMatchObject({
      target: "https://example.com/soon",
      reason: "not_started",
    });
    expect((await explain("rules-later", { at: SOON })).data).toMatchObject({
      target: TARGET,
      reason: "target",
    });
    expect((await explain("rules-over", {})).data).toMatchObject({
      target: null,
      status: 404,
      reason: "expired",
    });
    expect((await explain("rules-over", { at: "2000-01-01T00:00:00Z" })).data).toMatchObject({
      target: TARGET,
    });
    const person = { user_agent: FIREFOX };
    expect((await explain("rules-once", {})).data).toMatchObject({ status: 200, reason: "person" });
    expect((await explain("rules-once", person)).data).toMatchObject({ status: 307 });
    expect(await leads("/rules-once")).toBe(TARGET);
    expect((await explain("rules-once", person)).data).toMatchObject({ status: 404, reason: "used_up" });
    expect((await explain("none", {})).error).toBe("LinkNotFound");
    for (const wrong of [{ at: "soon" }, { address: "here" }, { country: "Germany" }])
      expect((await explain("rules-plain", wrong)).details).toMatchObject([{ field: Object.keys(wrong)[0] }]);
  });

  test("a timetable: one code is a drop box, then a folder, then a URL", async () => {
    const drive = driveClient(server.url, client.token);
    const id = await drive.folder("Hand-in");
    const limits = { max_bytes: 1_000_000, max_files: 5 };
    const drop = await drive.call("POST", `/folders/${id}/drop`, { code: "Hand-in-1", ...limits });
    const shared = await drive.call("POST", `/folders/${id}/share`, { code: "Gallery-1" });
    expect([drop.status, shared.status]).toEqual([201, 201]);
    const timetable = (until1: string, until2: string) => [
      { if: { before: until1 }, target: "share:Hand-in-1" },
      { if: { before: until2 }, target: "share:Gallery-1" },
    ];
    const past = "2001-01-01T00:00:00Z";
    const made = await client.call("POST", "/links", {
      code: "rules-poster",
      target: TARGET,
      rules: timetable(SOON, SOON),
    });
    expect(made.status).toBe(201);
    expect(await (await visit("/rules-poster")).text()).toContain("Send files");
    const form = new FormData();
    form.set("file", new File(["homework"], "homework.txt"));
    const sent = await visit("/rules-poster", { Accept: "text/html" }, { method: "POST", body: form });
    expect(sent.status).toBeLessThan(400);
    expect((await explain("rules-poster", {})).data).toMatchObject({
      target: "share:Hand-in-1",
      status: 200,
    });
    await client.call("PATCH", "/links/rules-poster", { rules: timetable(past, SOON) });
    expect(await (await visit("/rules-poster", { Accept: "text/html" })).text()).toContain("homework.txt");
    await client.call("PATCH", "/links/rules-poster", { rules: timetable(past, past) });
    expect(await leads("/rules-poster")).toBe(TARGET);
    await client.call("PATCH", "/links/rules-poster", {
      rules: [{ if: { percent: 100 }, target: "share:Gallery-1" }],
    });
    await drive.call("DELETE", `/folders/${id}/share/Gallery-1`);
    expect((await visit("/rules-poster")).status).toBe(404);
    expect((await explain("rules-poster", {})).data).toMatchObject({
      target: "share:Gallery-1",
      status: 404,
    });
  });

  test("commands take rules as JSON, from a file and from standard input", async () => {
    const rules = [{ if: { percent: 25 }, target: "https://b.example/" }];
    const file = join(installation.dataDir, "rules.json");
    writeFileSync(file, JSON.stringify(rules));
    const shown = async () =>
      JSON.parse(await installation.run(["links", "get", "rules-cli", "--json"])).rules;
    await installation.run(["links", "add", TARGET, "--code", "rules-cli", "--rules", file]);
    expect(await shown()).toEqual(rules);
    expect(await installation.run(["links", "get", "rules-cli"])).toContain(JSON.stringify(rules));
    await installation.run(["links", "update", "rules-cli", "--rules", ""]);
    expect(await shown()).toBeNull();
    await installation.run(["links", "update", "rules-cli", "--rules", JSON.stringify(rules)]);
    expect(await shown()).toEqual(rules);
  });
});

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createAutomatedVisitors, isAutomatedAgent, VISITOR_RULE_VERSION } from "./automated-visitors.ts";

const ROOT = join(import.meta.dir, "../..");
const read = <T>(path: string): T => JSON.parse(readFileSync(join(ROOT, path), "utf8")) as T;

type Group = { of: string; source: string; agents: string[] };
const AGENTS = read<Record<"previews" | "libraries" | "people", Group[]>>("test/fixtures/agents.json");
const CRAWLERS = read<{ pattern: string; instances: string[] }[]>(
  "node_modules/crawler-user-agents/crawler-user-agents.json",
);
const BROWSERS = read<{ userAgent: string }[]>("node_modules/user-agents/dist/user-agents.json");

/** The list names them crawlers. They are browsers within apps, editors with a browser, and one unknown Chrome. */
const PEOPLE_IN_LIST = [
  "AP3A\\.240617\\.008",
  "Code\\/1\\.",
  "MetaIAB Facebook",
  "Trae\\/",
  "Fluid",
  "TSM-turingos",
];
const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";

const visit = (headers: Record<string, string>, method = "GET") =>
  createAutomatedVisitors().includes(new Request("http://localhost/a", { method, headers }));

test("agents of the list crawler-user-agents are automated", () => {
  const crawlers = CRAWLERS.filter(({ pattern }) => !PEOPLE_IN_LIST.includes(pattern));
  const agents = crawlers.flatMap(({ instances }) => instances);
  expect(agents.length).toBeGreaterThan(2_000);
  expect(agents.filter((agent) => !isAutomatedAgent(agent))).toEqual([]);
});

test("agents of the list user-agents, which browsers sent to real sites, are people", () => {
  const agents = new Set(BROWSERS.map(({ userAgent }) => userAgent));
  expect(agents.size).toBeGreaterThan(900);
  expect([...agents].filter(isAutomatedAgent)).toEqual([]);
});

test.each([...AGENTS.previews, ...AGENTS.libraries])("$of is automated", ({ agents, source }) => {
  expect(source).not.toBe("");
  expect(agents.filter((agent) => !isAutomatedAgent(agent))).toEqual([]);
});

test.each(AGENTS.people)("people: $of", ({ agents, source }) => {
  expect(source).not.toBe("");
  expect(agents.filter(isAutomatedAgent)).toEqual([]);
});

test("a browser's navigation is a person's", () => {
  const headers = {
    "User-Agent": CHROME,
    Accept: "text/html",
    "Accept-Language": "de",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-User": "?1",
  };
  expect(visit(headers)).toBe(false);
});

test.each([
  [
    "Slack",
    { "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", Range: "bytes=0-32768" },
  ],
  ["WhatsApp", { "User-Agent": "WhatsApp/2.23.20.0", Accept: "*/*" }],
  ["Telegram", { "User-Agent": "TelegramBot (like TwitterBot)", Accept: "text/html,*/*" }],
  ["Discord", { "User-Agent": "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)" }],
  [
    "Teams",
    {
      "User-Agent":
        "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com",
    },
  ],
  [
    "iMessage",
    {
      "User-Agent":
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
      "Accept-Language": "en-US",
    },
  ],
  ["X", { "User-Agent": "Twitterbot/1.0" }],
  [
    "LinkedIn",
    { "User-Agent": "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)" },
  ],
  [
    "Facebook",
    {
      "User-Agent": "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
      Range: "bytes=0-524287",
    },
  ],
  [
    "Google Mail",
    {
      "User-Agent":
        "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
    },
  ],
  ["Apple Mail", { "User-Agent": "Mozilla/5.0" }],
  ["Safari's preview of a link", { "User-Agent": CHROME, "X-Purpose": "preview" }],
  ["Safari's top hit", { "User-Agent": CHROME, Purpose: "prefetch" }],
  ["Chrome's prefetch", { "User-Agent": CHROME, "Sec-Purpose": "prefetch" }],
  ["Chrome's prerender", { "User-Agent": CHROME, "Sec-Purpose": "prefetch;prerender", Purpose: "prefetch" }],
  ["Firefox's prefetch of old", { "User-Agent": CHROME, "X-Moz": "prefetch" }],
  ["Outlook", { "User-Agent": "Mozilla/4.0 (compatible; ms-office; MSOffice 16)" }],
  ["a scanner without an agent, as Safe Links", {}],
  ["a scanner with an empty agent", { "User-Agent": "" }],
  ["a scanner with a blank agent", { "User-Agent": " \t" }],
  ["Proofpoint", { "User-Agent": `${CHROME} Proofpoint` }],
  ["Mimecast", { "User-Agent": `${CHROME} Mimecast` }],
] as [string, Record<string, string>][])("automated request: %s", (_, headers) => {
  expect(visit(headers)).toBe(true);
});

test("the page about visitors has the version of the rule", () => {
  const page = readFileSync(join(ROOT, "docs/visitors.md"), "utf8");
  expect(page).toContain(`Version ${VISITOR_RULE_VERSION} of the rule`);
});

test("HEAD is automated, whoever sends it", () => {
  expect(visit({ "User-Agent": CHROME }, "HEAD")).toBe(true);
});

test("purpose headers that announce no prefetch change nothing", () => {
  expect(visit({ "User-Agent": CHROME, Purpose: "navigation", "Sec-Purpose": "" })).toBe(false);
});

test("a remembered agent keeps its class, also after a flood of others and for long ones", () => {
  const visitors = createAutomatedVisitors();
  const includes = (agent: string) =>
    visitors.includes(new Request("http://localhost/a", { headers: { "User-Agent": agent } }));
  for (let round = 0; round < 2; round++) {
    expect(includes(CHROME)).toBe(false);
    expect(includes("curl/8.5.0")).toBe(true);
    expect(includes(`${CHROME} ${"App/1 ".repeat(1_000)}`)).toBe(false);
    expect(includes(`curl/8.5.0 ${"x".repeat(8_000)}`)).toBe(true);
    for (let at = 0; at < 10_001; at++) includes(`${CHROME} ${at}`);
  }
});

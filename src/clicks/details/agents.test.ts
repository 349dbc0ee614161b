import { expect, test } from "bun:test";
import { createAgents, parseAgent } from "./agents.ts";

test.each([
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
    "Chrome",
    "Windows",
    "desktop",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
    "Safari",
    "iOS",
    "mobile",
  ],
  [
    "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1",
    "Safari",
    "iOS",
    "tablet",
  ],
  [
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
    "Chrome",
    "Android",
    "mobile",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "Firefox", "Linux", "desktop"],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
    "Microsoft Edge",
    "macOS",
    "desktop",
  ],
])("a person's browser: %s", (text, browser, os, device) => {
  expect(parseAgent(text)).toEqual({ browser, os, device: device as "desktop", isBot: false });
});

test.each([
  ["curl/8.5.0", "curl"],
  ["Wget/1.21.3", "Wget"],
  ["python-requests/2.31.0", "python-requests"],
  ["okhttp/4.12.0", "okhttp"],
  ["node", "node"],
  ["Go-http-client/1.1", "Go-http-client"],
  ["Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"],
  [
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36",
    "bingbot",
  ],
  ["facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "facebookexternalhit"],
  ["Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "Slackbot-LinkExpanding"],
])("a library or crawler: %s", (text, name) => {
  const agent = parseAgent(text);
  expect(agent).toMatchObject({ device: "bot", isBot: true });
  expect(agent.browser).toBe(name);
});

test.each([
  "",
  " ",
  "\u0000\u0001\t\n",
  "x".repeat(100_000),
  "%00",
  "Mozilla/".repeat(500),
  "(((((",
  "\ud800",
])("any text gives short printable names", (text) => {
  const agent = createAgents().describe(text);
  for (const name of [agent.browser, agent.os]) {
    expect(name.length).toBeWithin(1, 65);
    expect(name).not.toMatch(/\p{Cc}/u);
  }
});

test("the same string is parsed once, and a flood of distinct ones is bounded", () => {
  const agents = createAgents();
  const first = agents.describe("curl/8.5.0");
  expect(agents.describe("curl/8.5.0")).toBe(first);
  for (let at = 0; at < 10_001; at++) agents.describe(`x${at}`);
  expect(agents.describe("curl/8.5.0")).not.toBe(first);
});

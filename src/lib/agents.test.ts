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

const IOS = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const WEBVIEW =
  "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.6723.58 Mobile Safari/537.36";

/** The parts that apps add to WebKit's and Chromium's own; those of the first eight also in fixtures/agents.json. */
test.each([
  [`${IOS} Mobile/15E148 [FBAN/FBIOS;FBAV/463.0.0.35.107;FBBV/598865890;FBDV/iPhone14,5]`, "Facebook"],
  [`${WEBVIEW} [FB_IAB/FB4A;FBAV/462.0.0.47.85;]`, "Facebook"],
  [`${IOS} Mobile/21E219 Instagram 328.0.4.32.90 (iPhone14,2; iOS 17_4; en_US; en; scale=3.00)`, "Instagram"],
  [`${IOS} Mobile/21E219 [LinkedInApp]/9.29.7962`, "LinkedIn"],
  [`${IOS} Mobile/15E148 Snapchat/12.76.0.43 (like Safari/8617.2.4.10.8, panda)`, "Snapchat"],
  [`${WEBVIEW} trill_2021806060 JsSdk/1.0 NetType/WIFI AppName/musical_ly ByteLocale/fr Region/FR`, "TikTok"],
  [`${WEBVIEW} XWEB/5061 MMWEBSDK/20230303 MicroMessenger/8.0.33.2320 WeChat/arm64 NetType/WIFI`, "WeChat"],
  [`${IOS} Mobile/15E148 Safari Line/13.3.0`, "LINE"],
  [
    `${WEBVIEW} Instagram 353.0.0.33.96 Android (34/14; 450dpi; 1080x2125; samsung; SM-A546B; de_DE)`,
    "Instagram",
  ],
  [`${WEBVIEW} [LinkedInApp]/4.1.800`, "LinkedIn"],
  [`${IOS} Mobile/15E148 musical_ly_34.0.0 JsSdk/2.0 NetType/WIFI Channel/App Store Region/US`, "TikTok"],
  [`${WEBVIEW} BytedanceWebview/d8a21c6`, "TikTok"],
  [`${IOS} Mobile/15E148 MicroMessenger/8.0.42(0x18002a32) NetType/WIFI Language/zh_CN`, "WeChat"],
  [`${WEBVIEW} Line/13.2.1/IAB`, "LINE"],
  [`${IOS} Mobile/21B74 Barcelona 309.0.0.30.113 (iPhone15,2; iOS 17_1; en_US)`, "Threads"],
  [`${IOS} Mobile/15E148 [FBAN/MessengerForiOS;FBAV/463.0.0.35.107]`, "Messenger"],
  [`${IOS} Mobile/15E148 [Pinterest/iOS]`, "Pinterest"],
  [`${IOS} Version/17.4 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15`, "DuckDuckGo"],
  [
    "Mozilla/5.0 (Linux; Android 13) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/114.0.5735.131 Mobile DuckDuckGo/5 Safari/537.36",
    "DuckDuckGo",
  ],
])("%s is the browser of %s", (text, browser) => {
  const os = text.includes("iPhone") ? "iOS" : "Android";
  expect(parseAgent(text)).toEqual({ browser, os, device: "mobile", isBot: false });
});

const LINUX = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/88.0.4324.188 Safari/537.36";

test.each([
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${LINUX}`, "Chrome", "Chrome OS", "desktop"],
  [
    "Mozilla/5.0 (PlayStation; PlayStation 5/4.03) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15",
    "PlayStation",
    "PlayStation 5",
    "other",
  ],
  [
    "Mozilla/5.0 (PlayStation 4 3.11) AppleWebKit/537.73 (KHTML, like Gecko)",
    "PlayStation",
    "PlayStation 4",
    "other",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/48.0.2564.82 Safari/537.36 Edge/20.02",
    "Microsoft Edge",
    "Xbox",
    "other",
  ],
  [
    "Mozilla/5.0 (Nintendo Switch; WifiWebAuthApplet) AppleWebKit/606.4 (KHTML, like Gecko) NF/6.0.1.15.4 NintendoBrowser/5.1.0.20393",
    "Nintendo",
    "Nintendo Switch",
    "other",
  ],
  [`Mozilla/5.0 (Web0S; Linux/SmartTV) ${LINUX} WebAppManager`, "WebOS Browser", "WebOS", "other"],
  [
    "Mozilla/5.0 (SMART-TV; Linux; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/4.0 Chrome/94.0.4606.31 TV Safari/537.36",
    "Samsung Internet",
    "Tizen",
    "other",
  ],
  [
    "Mozilla/5.0 (Linux; Android 7.1.2; AFTMM Build/NS6265; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/70.0.3538.110 Mobile Safari/537.36",
    "Chrome",
    "Fire TV",
    "other",
  ],
  [`Mozilla/5.0 (X11; Linux aarch64) ${LINUX} CrKey/1.54.250320`, "Chrome", "Chromecast", "other"],
  [
    `Mozilla/5.0 (Linux; Android 10; BRAVIA 4K UR2 Build/QTG3.200305.006.S38) ${LINUX}`,
    "Chrome",
    "Android TV",
    "other",
  ],
  [
    "Mozilla/5.0 (X11; Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/111.0.5563.146 Odin/111.5563.5.1 Safari/537.36 Model/VIDAA-MTK9603 VIDAA/9.0(Hisense;SmartTV;65A60LXVT;MTK9603/V0000.09.01W.P0714;UHD;65A6N;)",
    "Chrome",
    "VIDAA",
    "other",
  ],
  ["Roku/DVP-9.10 (519.10E04111A)", "Roku", "Roku", "other"],
  [
    `Mozilla/5.0 (Linux armv7l) ${LINUX} OPR/46.0.2207.0 OMI/4.21.0.273.DIA6.149 HbbTV/1.4.1 (+DRM; Philips; 55OLED806/12; 1.0.0; PHILIPS; TPM211EA; )`,
    "Opera",
    "Smart TV",
    "other",
  ],
] as const)("a console, television or Chromebook: %s", (text, browser, os, device) => {
  expect(parseAgent(text)).toEqual({ browser, os, device, isBot: false });
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

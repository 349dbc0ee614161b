import { expect, test } from "bun:test";
import { campaignOf } from "./origin.ts";
import { CHANNELS, channelOf } from "./channels.ts";

const channel = (pairs: string, host: string | null = null, browser: string | null = null) =>
  channelOf(campaignOf(pairs), host, browser);

test.each([
  [null, "direct"],
  ["www.google.com", "search"],
  ["www.google.co.uk", "search"],
  ["news.google.com", "search"],
  ["google.com.evil.example", "other"],
  ["google.evil", "other"],
  ["notgoogle.com", "other"],
  ["mail.google.com", "mail"],
  ["docs.google.com", "other"],
  ["chat.google.com", "messenger"],
  ["com.google.android.gm", "mail"],
  ["com.google.android.googlequicksearchbox", "search"],
  ["search.yahoo.co.jp", "search"],
  ["mail.yahoo.com", "mail"],
  ["yandex.ru", "search"],
  ["chatgpt.com", "search"],
  ["l.facebook.com", "social"],
  ["t.co", "social"],
  ["at.co", "other"],
  ["pinterest.de", "social"],
  ["old.reddit.com", "social"],
  ["com.reddit.frontpage", "social"],
  ["l.messenger.com", "messenger"],
  ["web.telegram.org", "messenger"],
  ["app.slack.com", "messenger"],
  ["outlook.live.com", "mail"],
  ["webmail.uni.example", "mail"],
  ["mail.example", "other"],
  ["example.com", "other"],
] as const)("from %p the channel is %s", (host, expected) => {
  expect(channel("", host)).toBe(expected);
});

test.each([
  ["utm_medium=email&utm_source=google", "mail"],
  ["utm_medium=E-Mail", "mail"],
  ["utm_medium=Social", "social"],
  ["utm_medium=cpc&utm_source=google", "campaign"],
  ["utm_medium=qr", "campaign"],
  ["utm_medium=organic", "search"],
  ["utm_medium=sms", "messenger"],
  ["utm_medium=referral", "other"],
  ["utm_source=newsletter", "mail"],
  ["utm_source=Facebook", "social"],
  ["utm_source=chatgpt.com", "search"],
  ["utm_source=whatsapp", "messenger"],
  ["utm_source=poster", "campaign"],
  ["utm_campaign=spring", "campaign"],
] as const)("%s decides before host and browser: %s", (pairs, expected) => {
  expect(channel(pairs, "example.com", "LINE")).toBe(expected);
});

test("an app's own browser decides without a referrer", () => {
  expect(channel("", null, "Instagram")).toBe("social");
  expect(channel("", null, "WeChat")).toBe("messenger");
  expect(channel("", "mail.google.com", "Instagram")).toBe("mail");
  expect(channel("", null, "Firefox")).toBe("direct");
});

test("every channel fits its column", () => {
  for (const name of CHANNELS) expect(name.length).toBeLessThanOrEqual(16);
});

import { expect, test } from "bun:test";
import { createIdentity } from "./identity.ts";
import { LANGUAGES } from "../lib/language.ts";
import { createVisitorPages, type Look } from "./look.ts";
import { messagePage, passwordPage, rightPage } from "./messages.ts";
import { pageResponse, htmlPage } from "./page.ts";
import { inline } from "./style.ts";
import { pathWithQuery, waitText } from "./unlock.ts";

const HOSTILE = `<script>alert(1)</script>"'&`;
const settings = { name: "Acme", color: "#1757c2", logo: "", imprint: "", notice: "" };
const pages = createVisitorPages(
  createIdentity({
    get: (key) =>
      ({
        "features.instance_name": settings.name,
        "features.accent_color": settings.color,
        "features.logo": settings.logo,
        "privacy.imprint_url": settings.imprint,
        "privacy.notice_url": settings.notice,
      })[key],
  }),
);
const lookIn = (language: string): Look =>
  pages.look(new Request("http://a.test/", { headers: { "Accept-Language": language } }));
const policyIn = (response: Response) => response.headers.get("content-security-policy")!;
const hashOf = (text: string) => inline(text).hash;

test("a page has the visitor's language, the instance's name and its colour", () => {
  for (const language of LANGUAGES) {
    const look = lookIn(language);
    const { html } = passwordPage(look, "link");
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain(`<title>${look.texts.password.title} · Acme</title>`);
    expect(html).toContain("--accent:#1757c2");
    expect(html).toContain("prefers-color-scheme:dark");
  }
  settings.color = "#ffd400";
  expect(passwordPage(lookIn("de"), "link").html).toContain("--accent:#ffd400;--on-accent:#000000");
  settings.color = "#1757c2";
});

test("every language says everything, in words of its own", () => {
  const leaves = (texts: object, path = ""): [string, string][] =>
    Object.entries(texts).flatMap(([key, value]): [string, string][] => {
      const name = `${path}.${key}`;
      if (typeof value === "object") return leaves(value, name);
      return [[name, typeof value === "function" ? String(value(2, 3, 4)) : String(value)]];
    });
  const english = new Map(leaves(lookIn("en").texts));
  for (const language of LANGUAGES.slice(1)) {
    const texts = leaves(lookIn(language).texts);
    expect(texts.length).toBe(english.size);
    for (const [name, value] of texts)
      expect([name, value.trim() !== "" && value.isWellFormed()]).toEqual([name, true]);
    const same = texts.filter(([name, value]) => english.get(name) === value);
    expect([language, same.length / texts.length < 0.2]).toEqual([language, true]);
  }
});

test("a wait is told in seconds, long ones in minutes", () => {
  expect(LANGUAGES.map((language) => waitText(language, 1))).toEqual([
    "1 second",
    "1 Sekunde",
    "1秒钟",
    "1 秒",
    "1\u00a0seconde",
  ]);
  expect([119, 120, 900].map((seconds) => waitText("de", seconds))).toEqual([
    "119 Sekunden",
    "2 Minuten",
    "15 Minuten",
  ]);
});

test("the policy allows the style of the page, and nothing that it does not name", async () => {
  for (const color of ["#1757c2", "#ffffff", "#000000"]) {
    settings.color = color;
    const response = pageResponse(rightPage(lookIn("en"), "/a?b"), 200, new Request("http://a.test/a"));
    const styles = (await response.text()).matchAll(/<style>(.*?)<\/style>/gs);
    const hashes = [...styles].map(([, style = ""]) => hashOf(style)).join(" ");
    expect(policyIn(response)).toBe(
      `default-src 'none'; style-src ${hashes}; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
  }
  settings.color = "#1757c2";
});

test("a page may bring more styles, scripts and sources, which its policy names", async () => {
  const style = inline("p{color:red}");
  const script = inline("document.title");
  const page = htmlPage(lookIn("en"), {
    title: "a",
    content: "<p>b",
    styles: [style],
    scripts: [script],
    policy: { "media-src": "'self'" },
  });
  expect(page.html).toContain("<style>p{color:red}</style>");
  expect(page.html).toContain("<script>document.title</script>");
  expect(page.policy).toContain(`${style.hash}; script-src ${script.hash}; img-src 'self';`);
  expect(page.policy).toEndWith("; media-src 'self'");
});

test("names, titles and addresses from outside stay text", () => {
  settings.name = HOSTILE;
  const look = lookIn("en");
  for (const { html } of [
    messagePage(look, { title: HOSTILE, sentence: HOSTILE }),
    passwordPage(look, "share", HOSTILE),
    rightPage(look, `/${HOSTILE}`),
    htmlPage(look, { title: HOSTILE, description: HOSTILE, content: "", next: HOSTILE }),
  ]) {
    expect(html).not.toContain("<script");
    expect(html.replaceAll("&quot;", "").replaceAll("&#39;", "")).not.toContain("alert(1)</");
  }
  settings.name = "Acme";
});

test("HEAD has no body, but its length", async () => {
  const page = messagePage(lookIn("zh"), { title: "密", sentence: "b" });
  const request = new Request("http://a.test/a", { method: "HEAD" });
  const response = pageResponse(page, 404, request);
  expect([response.status, await response.text()]).toEqual([404, ""]);
  expect(response.headers.get("Content-Length")).toBe(String(new TextEncoder().encode(page.html).length));
});

test("a page leads to the imprint and the privacy notice, where there are any", () => {
  expect(passwordPage(lookIn("de"), "link").html).not.toContain("<footer>");
  Object.assign(settings, { imprint: "https://a.example/?a=1&b", notice: "https://a.example/p" });
  const { html, policy } = passwordPage(lookIn("de"), "link");
  expect(html).toContain(
    '<footer><a href="https://a.example/?a=1&amp;b" rel="noopener">Impressum</a> <a href="https://a.example/p" rel="noopener">Datenschutz</a></footer>',
  );
  const styles = [...html.matchAll(/<style>([^<]+)<\/style>/g)];
  for (const [, style] of styles) expect(policy).toContain(hashOf(style!));
  Object.assign(settings, { imprint: "", notice: "" });
});

test("where a right password leads is of the same origin, also for a code that a release before 1.0 took", () => {
  const requested = "https://here.example/x?a=1#\r\nb";
  for (const code of ["a", "a/b", "/evil.example", "//evil.example"]) {
    const { origin, pathname, search } = new URL(pathWithQuery(code, requested), requested);
    expect({ origin, pathname, search }).toEqual({
      origin: "https://here.example",
      pathname: `/${code}`,
      search: "?a=1",
    });
  }
});

import { expect, test } from "bun:test";
import { LANGUAGES } from "../../lib/language.ts";
import { testVisitorPages } from "../../visitors/pages.test-support.ts";
import type { OpenDrop } from "./drop.ts";
import { dropPage } from "./drop-page.ts";

const box: OpenDrop = {
  linkId: 1,
  code: "in",
  title: null,
  message: null,
  from: null,
  createdAt: 0,
  expiresAt: null,
  passwordHash: null,
  folderId: 1,
  accountId: 1,
  bytes: 0,
  files: 0,
  maxBytes: 10,
  maxFiles: 1,
  maxFileSize: null,
  requires: null,
  senderFolders: false,
  types: [],
  isTwoWay: false,
};

test("what was sent is listed with its size, unless the owner has put other content there", () => {
  const look = testVisitorPages.look(new Request("http://a.test/"));
  const shown = (size: number | null) => {
    const sent = [{ name: "a.txt", path: "Trip", size, at: 0 }];
    const { html } = dropPage(look, { box, most: 10, sent, note: null, remembers: true });
    return /<bdi>Trip\/a\.txt<\/bdi><span>(?:([^<·]+) · )?<time/.exec(html)?.[1];
  };
  expect([shown(3), shown(null)]).toEqual(["3\u00a0bytes", undefined]);
});

test("who asks is named in every language, and can't change the page; without a name nobody is; kinds are listed", () => {
  const words = {
    en: "Your files go to @.",
    de: "Was Sie senden, geht an @.",
    fr: "Ce que vous envoyez parvient à @.",
    ja: "送信したファイルは @ さんに届きます。",
    zh: "您发送的文件将交给 @。",
  };
  for (const language of LANGUAGES) {
    const headers = { "Accept-Language": language };
    const look = testVisitorPages.look(new Request("http://a.test/", { headers }));
    const types = ["image/*", ".pdf"];
    const page = (from: string | null) =>
      dropPage(look, { box: { ...box, from, types }, most: 10, sent: [], note: null, remembers: true }).html;
    const said = words[language].replace("@", "\u2068&lt;b&gt;anna\u2069");
    expect(page("<b>anna")).toContain(said);
    expect(page(null)).toContain(`<p>${look.texts.drop.intro}</p>`);
    if (language === "zh")
      expect(page(null)).toContain(`<dd>${look.texts.drop.kindNames.picture}、.pdf</dd>`);
    expect(page(null)).not.toContain("\u2068");
  }
});

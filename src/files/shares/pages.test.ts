import { describe, expect, test } from "bun:test";
import { AppError, appError } from "../../lib/errors.ts";
import { silentLogger } from "../../lib/logger.ts";
import { LANGUAGES } from "../../lib/language.ts";
import { testVisitorPages } from "../../visitors/pages.test-support.ts";
import { contentDamaged } from "../storage/storage-failure.ts";
import type { Folder, StoredFile } from "../tree/entry.ts";
import { sizeWords, iconsOf, type FileKind, kindOf } from "./page-parts.ts";
import { createFailurePages } from "./failure.routes.ts";
import { filePage } from "./file-page.ts";
import { folderPage, foldersFirst, naturally } from "./folder-page.ts";
import { isWhatItClaims, plainText, previewOf, typeByMagic } from "./preview.ts";
import type { SharedEntry } from "./share.ts";

const lookIn = (language: string) =>
  testVisitorPages.look(new Request("http://a.test/", { headers: { "Accept-Language": language } }));
const english = lookIn("en");

const common = { accountId: 1, parentId: 0, diskTime: null, createdAt: 0, updatedAt: 0 };
const folderOf = (id: number, name: string): Folder => ({
  ...common,
  kind: "folder",
  id,
  name,
  policyId: null,
});
const fileOf = (name: string, mimeType = "application/octet-stream", size = 1): StoredFile => ({
  ...common,
  kind: "file",
  id: 7,
  name,
  blobId: 1,
  size,
  mimeType,
  sha256: "ab".repeat(32),
  versionsBytes: 0,
  createdBy: null,
  modifiedAt: 0,
});
const share: SharedEntry = {
  linkId: 1,
  code: "code",
  title: null,
  createdAt: 0,
  expiresAt: null,
  passwordHash: null,
  maxDownloads: null,
  message: null,
  from: null,
  verify: false,
  downloads: 0,
  takesFiles: false,
  entryId: 7,
  accountId: 1,
  kind: "file",
  rootFile: null,
};

test("sizes are in the unit in which they are short, as the language writes numbers", () => {
  for (const [bytes, shown] of [
    [0, "0 bytes"],
    [1, "1 byte"],
    [999, "999 bytes"],
    [1000, "1 kB"],
    [99_940, "99.9 kB"],
    [99_960, "100 kB"],
    [999_499, "999 kB"],
    [999_500, "1 MB"],
    [1_200_000_000, "1.2 GB"],
    [Number.MAX_SAFE_INTEGER, "9 PB"],
  ] as const)
    expect(sizeWords(english, bytes)).toBe(shown.replace(" ", "\u00a0"));
  expect(sizeWords(lookIn("de"), 1_536)).toBe("1,5\u00a0kB");
  expect(sizeWords(lookIn("fr"), 1)).toBe("1\u00a0octet");
});

test("kinds come from the type, else from the name, and each has an icon and a word", () => {
  for (const [name, type, kind] of [
    ["a", "image/png", "picture"],
    ["a.heic", "application/octet-stream", "picture"],
    ["a.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "table"],
    ["a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "document"],
    ["a.pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation", "slides"],
    ["a.tar.GZ", "application/octet-stream", "archive"],
    ["constructor", "application/octet-stream", "other"],
    ["x.__proto__", "application/octet-stream", "other"],
  ] as const)
    expect([name, kindOf({ name, mimeType: type })]).toEqual([name, kind]);
  for (const [kind, word] of Object.entries(english.texts.share.kinds)) {
    expect(iconsOf([kind as FileKind])).toContain(`id="i-${kind}"`);
    expect(word).not.toBe("");
  }
});

describe("sorting", () => {
  const sorted = async (names: string[], language: "en" | "de" | "fr" | "ja" | "zh" = "en") => {
    const entries = await naturally(
      names.map((name) => ({ name })),
      language,
    );
    return entries.map(({ name }) => name);
  };

  test("knows numbers, capitals and accents", async () => {
    expect(await sorted(["10", "9", "1", "02", "2"])).toEqual(["1", "02", "2", "9", "10"]);
    expect(await sorted(["v1.10", "v1.9", "v1.10.2"])).toEqual(["v1.9", "v1.10", "v1.10.2"]);
    expect(await sorted(["Zebra", "apple", "Äpfel"], "de")).toEqual(["Äpfel", "apple", "Zebra"]);
    expect(await sorted(["張", "王", "李"], "zh")).toEqual(["李", "王", "張"]);
  });

  test("does not hold the event loop for 2,000 long numbers", async () => {
    const names = Array.from(
      { length: 2_000 },
      (_, at) => `${"1".repeat(248)}${10_000 + ((at * 7_919) % 2_000)}`,
    );
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    expect(await sorted(names)).toEqual(names.toSorted());
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });

  test("puts folders first and gives any names one order", async () => {
    const folders = [folderOf(1, "b10"), folderOf(2, "b9")];
    const files = [fileOf("a"), fileOf("A"), fileOf("\u200ba")];
    const names = (await foldersFirst({ folders, files }, "en")).map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(["b9", "b10"]);
    const turned = await foldersFirst({ folders: folders.toReversed(), files: files.toReversed() }, "en");
    expect(turned.map(({ name }) => name)).toEqual(names);
  });
});

describe("previews", () => {
  test("are for types that run nothing", () => {
    for (const type of [
      "text/html",
      "image/svg+xml",
      "text/xml",
      "application/xml",
      "application/xhtml+xml",
      "text/xsl",
      "application/rss+xml",
      "multipart/x-mixed-replace",
      "application/x-shockwave-flash",
      "message/rfc822",
      "text/x-component",
      "text/cache-manifest",
      "video/x+xml",
      "",
    ])
      expect([type, previewOf(fileOf("a", type))]).toEqual([type, null]);
    expect(previewOf(fileOf("a", "text/plain"))).toBe("text");
    expect(previewOf(fileOf("a", "text/plain", 0))).toBeNull();
    expect(previewOf(fileOf("a", "image/png", 2 ** 31))).toBeNull();
    expect(previewOf(fileOf("a", "video/mp4", 2 ** 40))).toBe("video");
  });

  test("of pictures and PDF are told by their first bytes", () => {
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
    expect(typeByMagic(bytes("RIFF\0\0\0\0WEBPVP8 "))).toBe("image/webp");
    expect(typeByMagic(bytes("\0\0\0\x20ftypavif\0\0\0\0"))).toBe("image/avif");
    expect(typeByMagic(bytes("\xff\xd8\xff\xe0"))).toBe("image/jpeg");
    expect(typeByMagic(bytes("GIF89a=<script>"))).toBe("image/gif");
    for (const text of ["", "<svg", " %PDF-1.4", "<!doctype html>", "RIFF\0\0\0\0WAVE"])
      expect([text, typeByMagic(bytes(text))]).toEqual([text, null]);
  });

  test("of texts end between characters and are no bytes", () => {
    const bytes = new TextEncoder().encode("a€😀");
    expect(plainText(bytes.subarray(0, 3), true)).toBe("a");
    expect(plainText(bytes.subarray(0, 7), true)).toBe("a€");
    expect(plainText(bytes, true)).toBe("a€😀");
    expect(isWhatItClaims("text", new Uint8Array([65, 0]))).toBe(false);
  });

  test("of texts follow their byte order mark, also when cut within a character", () => {
    const marked = "\ufeffa€😀\r\n";
    const swapped = Buffer.from(marked, "utf16le").swap16();
    for (const bytes of [Buffer.from(marked), Buffer.from(marked, "utf16le"), swapped]) {
      expect(isWhatItClaims("text", bytes)).toBe(true);
      expect(plainText(bytes, false)).toBe("a€😀\r\n");
      expect(plainText(bytes.subarray(0, -5), true)).toBe("a€");
    }
    for (const bytes of [Buffer.from("a€", "utf16le"), new Uint8Array([0xff, 0xfe, 0, 0, 65, 0, 0, 0])])
      expect(isWhatItClaims("text", bytes)).toBe(false);
  });
});

test("names can change neither the page nor the direction around them", () => {
  for (const name of [
    `"><script>alert(1)</script>'&.png`,
    "תמונה 12.jpg",
    "🎉 👩‍👩‍👧‍👦.mp4",
    "x".repeat(255),
  ]) {
    const file = fileOf(name, "image/png");
    const { html, policy } = filePage(english, {
      share,
      file,
      path: [folderOf(3, name)],
      preview: "picture",
      framesPdf: false,
      neighbours: null,
      card: null,
    });
    const list = folderPage(english, {
      share: { ...share, kind: "folder" },
      path: [folderOf(3, name), folderOf(4, name)],
      entries: [folderOf(5, name), file],
      counts: { folders: 1, files: 1, bytes: 1, from: 1 },
      previous: null,
      next: null,
      adding: null,
    });
    const shown = Bun.escapeHTML(name).replaceAll("&#x27;", "&#39;");
    expect(html.split(`<bdi>${shown}</bdi>`).length).toBe(3);
    expect(list.html.split(`<bdi>${shown}</bdi>`).length).toBe(5);
    for (const page of [html, list.html])
      expect(page.match(/<script(?!>(?:for\(|addEventListener\(|let locale=))/g)).toBeNull();
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
  }
});

test("who shares is below the title of what is shared, in every language", () => {
  const words = { en: "From @", de: "Von @", fr: "Partagé par @", ja: "@ さんから", zh: "来自 @" };
  const name = "<b>anna";
  for (const language of LANGUAGES) {
    const said = `<p>${words[language].replace("@", "\u2068&lt;b&gt;anna\u2069")}</p>`;
    const folderAt = (path: readonly [Folder, ...Folder[]], from: string | null) =>
      folderPage(lookIn(language), {
        share: { ...share, kind: "folder", entryId: 3, from },
        path,
        entries: [],
        counts: { folders: 0, files: 0, bytes: 0, from: 1 },
        previous: null,
        next: null,
        adding: null,
      }).html.includes(said);
    const [top, below] = [folderOf(3, "plans"), folderOf(4, "old")];
    expect([folderAt([top], name), folderAt([top, below], name), folderAt([top], null)]).toEqual([
      true,
      false,
      false,
    ]);
  }
});

test("an overdrawn limit shows no downloads left, never fewer", () => {
  const page = filePage(english, {
    share: { ...share, maxDownloads: 2, downloads: 3 },
    file: fileOf("a"),
    path: [],
    preview: null,
    framesPdf: false,
    neighbours: null,
    card: null,
  });
  expect(page.html).toContain("0 of 2");
});

test("each trouble has its page, with its status, in every language", async () => {
  const failures = createFailurePages({ pages: testVisitorPages, logger: silentLogger });
  const troubles = [
    [appError("FileNotFound", "internal words"), 404, "notFound"],
    [contentDamaged("The stored file is missing."), 502, "damaged"],
    [appError("StorageUnavailable", "The S3 endpoint can't be reached."), 502, "away"],
    [appError("ServiceUnavailable", "internal words"), 503, "notNow"],
    [new Error("internals"), 500, "failed"],
  ] as const;
  for (const language of LANGUAGES) {
    const request = new Request("http://a.test/", { headers: { "Accept-Language": language } });
    for (const [error, status, trouble] of troubles) {
      const response = failures.failure(error, request);
      const html = await response.text();
      const said = lookIn(language).texts.share[trouble];
      expect([response.status, html.includes(`<h1>${Bun.escapeHTML(said.title)}</h1>`)]).toEqual([
        status,
        true,
      ]);
      if (error instanceof AppError) expect(html).not.toContain(error.message);
    }
  }
});

import type { StoredFile } from "../tree/entry.ts";
import type { VisitorTexts } from "../../visitors/texts/en.ts";

/** The pages have a word for each. */
export type FileKind = keyof VisitorTexts["share"]["kinds"];

const BY_TYPE: readonly [RegExp, FileKind][] = [
  [/^image\//, "picture"],
  [/^video\//, "video"],
  [/^audio\//, "audio"],
  [/^application\/pdf$/, "pdf"],
  [/^text\/csv$|spreadsheet|ms-excel|numbers/, "table"],
  [/presentation|powerpoint|keynote/, "slides"],
  [/wordprocessing|msword|opendocument\.text|rtf$|epub|pages$/, "document"],
  [/zip|x-tar|gzip|bzip2|x-xz|zstd|x-7z|rar|compressed/, "archive"],
  [/^text\/|^application\/(?:json|xml|yaml|toml|sql)/, "text"],
  [/x-msdownload|x-executable|x-sh$|java-archive|android\.package|x-apple-diskimage|debian/, "program"],
];

const BY_EXTENSION: Readonly<Record<string, FileKind>> = Object.fromEntries(
  (
    [
      ["picture", "heic heif jxl tif tiff psd raw cr2 nef dng svg ico"],
      ["video", "mkv avi mov m4v wmv"],
      ["audio", "flac opus m4a aif aiff mid"],
      ["document", "doc docx odt rtf pages epub"],
      ["table", "xls xlsx ods csv tsv numbers"],
      ["slides", "ppt pptx odp key"],
      ["archive", "zip tar gz tgz bz2 xz zst 7z rar iso"],
      ["text", "txt md log ini conf cfg toml yml yaml json"],
      ["program", "exe msi dmg pkg deb rpm apk jar appimage sh bat"],
    ] as const
  ).flatMap(([kind, extensions]) => extensions.split(" ").map((extension) => [extension, kind])),
);

/** Only for words and icons: names and types are the uploader's. */
export function kindOf({ name, mimeType }: Pick<StoredFile, "name" | "mimeType">): FileKind {
  for (const [pattern, kind] of BY_TYPE) if (pattern.test(mimeType)) return kind;
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension]! : "other";
}

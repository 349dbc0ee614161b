/**
 * Which files have a preview. The type decides, and of pictures and PDF the first bytes too. What can hold scripts
 * (HTML, XML, SVG) has none.
 */
import type { StoredFile } from "../tree/entry.ts";

export type PreviewKind = "picture" | "video" | "audio" | "text" | "pdf";

const LARGEST_PICTURE = 64 * 1024 * 1024;
/** A longer text is cut. */
export const TEXT_BYTES = 128_000;
/** Enough for `pictureType`. */
export const MAGIC_BYTES = 16;

const PICTURE = /^image\/(?:png|apng|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/;
const VIDEO = /^video\/(?:mp4|webm|ogg|quicktime|x-m4v|3gpp)$/;
const AUDIO = /^audio\/(?:mpeg|mp4|aac|x-m4a|ogg|opus|wav|x-wav|flac|x-flac|webm)$/;
const TEXT =
  /^(?:text\/(?:plain|markdown|x-markdown|csv|tab-separated-values|css|javascript|typescript|calendar|vcard|x-(?:log|python|c|c\+\+|csrc|java|ruby|rust|go|sh|shellscript|diff|yaml|toml|typescript))|application\/(?:json|x-ndjson|yaml|x-yaml|toml|sql|x-sql|javascript|x-sh))$/;

export function previewOf({ mimeType, size }: Pick<StoredFile, "mimeType" | "size">): PreviewKind | null {
  if (size === 0) return null;
  if (PICTURE.test(mimeType)) return size <= LARGEST_PICTURE ? "picture" : null;
  if (VIDEO.test(mimeType)) return "video";
  if (AUDIO.test(mimeType)) return "audio";
  if (mimeType === "application/pdf") return "pdf";
  return TEXT.test(mimeType) ? "text" : null;
}

const MAGIC: readonly [type: string, at: number, bytes: string][] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF87a"],
  ["image/gif", 0, "GIF89a"],
  ["image/webp", 8, "WEBP"],
  ["image/avif", 4, "ftypavif"],
  ["image/avif", 4, "ftypavis"],
  ["image/avif", 4, "ftypmif1"],
  ["image/bmp", 0, "BM"],
  ["image/x-icon", 0, "\0\0\x01\0"],
  ["application/pdf", 0, "%PDF-"],
];

/** The type of a picture or PDF by its first bytes. */
export function typeByMagic(first: Uint8Array): string | null {
  const text = Buffer.from(first).toString("latin1");
  return MAGIC.find(([, at, bytes]) => text.startsWith(bytes, at))?.[0] ?? null;
}

/** Without a character that the end cuts. Null if it is no text. */
export const plainText = (bytes: Uint8Array, isCut: boolean): string | null =>
  bytes.includes(0) ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: isCut });

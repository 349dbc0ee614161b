/**
 * Which files have a preview. The type decides, and the first bytes too: `isWhatItClaims`. What can hold scripts (HTML,
 * XML, SVG) has none.
 */
import { mayHaveThumbnail } from "../thumbnails/service.ts";
import type { StoredFile } from "../tree/entry.ts";

export type PreviewKind = "picture" | "video" | "audio" | "text" | "pdf";

const LARGEST_PICTURE = 64 * 1024 * 1024;
/** A longer text is cut. */
export const TEXT_BYTES = 128_000;
/** What `isWhatItClaims` reads. */
export const FIRST_BYTES = 1024;

/** Few browsers show it, so its preview is a JPEG picture that the process of thumbnails makes. */
const HEIC = /^image\/hei[cf]$/;
const PICTURE = /^image\/(?:png|apng|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/;
const VIDEO = /^video\/(?:mp4|webm|ogg|quicktime|x-m4v|3gpp)$/;
const AUDIO = /^audio\/(?:mpeg|mp4|aac|x-m4a|ogg|opus|wav|x-wav|flac|x-flac|webm)$/;
const TEXT =
  /^(?:text\/(?:plain|markdown|x-markdown|csv|tab-separated-values|css|javascript|typescript|calendar|vcard|x-(?:log|python|c|c\+\+|csrc|java|ruby|rust|go|sh|shellscript|diff|yaml|toml|typescript))|application\/(?:json|x-ndjson|yaml|x-yaml|toml|sql|x-sql|javascript|x-sh))$/;

export function previewOf({ mimeType, size }: Pick<StoredFile, "mimeType" | "size">): PreviewKind | null {
  if (size === 0) return null;
  if (isMadePreview({ mimeType })) return mayHaveThumbnail({ mimeType, size }) ? "picture" : null;
  if (PICTURE.test(mimeType)) return size <= LARGEST_PICTURE ? "picture" : null;
  if (VIDEO.test(mimeType)) return "video";
  if (AUDIO.test(mimeType)) return "audio";
  if (mimeType === "application/pdf") return "pdf";
  return TEXT.test(mimeType) ? "text" : null;
}

export const isMadePreview = ({ mimeType }: Pick<StoredFile, "mimeType">): boolean => HEIC.test(mimeType);

const LARGEST_CARD = 5 * 1024 * 1024;

/** Programs that make previews of links in messages fetch it for each message. */
export const isCardPicture = (file: Pick<StoredFile, "mimeType" | "size">): boolean =>
  previewOf(file) === "picture" && file.size <= LARGEST_CARD;

const MAGIC: readonly [type: string, at: number, bytes: string][] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF87a"],
  ["image/gif", 0, "GIF89a"],
  ["image/webp", 8, "WEBP"],
  ["image/avif", 4, "ftypavif"],
  ["image/avif", 4, "ftypavis"],
  ["image/avif", 4, "ftypmif1"],
  ["image/heic", 4, "ftyphei"],
  ["image/heic", 4, "ftyphev"],
  ["image/bmp", 0, "BM"],
  ["image/x-icon", 0, "\0\0\x01\0"],
  ["application/pdf", 0, "%PDF-"],
];

/** The type of a picture or PDF by its first bytes. */
export function typeByMagic(first: Uint8Array): string | null {
  const text = Buffer.from(first).toString("latin1");
  return MAGIC.find(([, at, bytes]) => text.startsWith(bytes, at))?.[0] ?? null;
}

/** Bytes are no text, unless a byte order mark declares UTF-16. */
function encodingOf(first: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | null {
  const [a, b, c, d] = first;
  // With two zeros it is the mark of UTF-32.
  if (a === 0xff && b === 0xfe && (c !== 0 || d !== 0)) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return first.includes(0) ? null : "utf-8";
}

/** Players say themselves what they can't play. @param first `FIRST_BYTES` of the file */
export function isWhatItClaims(kind: PreviewKind, first: Uint8Array): boolean {
  if (kind === "text") return encodingOf(first) !== null;
  const found = typeByMagic(first);
  return kind === "pdf"
    ? found === "application/pdf"
    : kind !== "picture" || found?.startsWith("image/") === true;
}

/** Without its byte order mark and without a character that the end cuts. */
export const plainText = (bytes: Uint8Array, isCut: boolean): string =>
  new TextDecoder(encodingOf(bytes.subarray(0, FIRST_BYTES)) ?? "utf-8").decode(bytes, { stream: isCut });

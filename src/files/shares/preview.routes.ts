/**
 * Bytes for the preview in the page of a file, which count as nothing. A limited share has none: they are the content.
 *
 * Nothing in them can run: the type is of a short list and never sniffed, a policy allows nothing, a text is plain
 * text, no other site may frame it. Chromium runs the scripts of a PDF in spite of the policy, so a PDF is only for the
 * page's sandboxed frame and script.
 */
import type { Logger } from "../../lib/logger.ts";
import type { Blobs } from "../blobs/service.ts";
import { createDownload } from "../tree/download.ts";
import type { StoredFile } from "../tree/entry.ts";
import { MAGIC_BYTES, type PreviewKind, TEXT_BYTES, typeByMagic, plainText } from "./preview.ts";
import { relayTo, type Visitor } from "./relay.routes.ts";

/** Null if there is nothing to show there. @throws StorageUnavailable, FileNotFound */
export type SharePreview = (
  file: StoredFile,
  kind: PreviewKind,
  request: Request,
  visitor: Visitor,
) => Promise<Response | null>;

type Deps = { blobs: Pick<Blobs, "open">; logger: Logger };

const HEADERS = {
  "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'self'",
  "Content-Disposition": "inline",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "private, no-store",
  "X-Robots-Tag": "noindex, nofollow",
  "Referrer-Policy": "no-referrer",
};

export function createSharePreview({ blobs, logger }: Deps): SharePreview {
  const download = createDownload({ blobs: { open: blobs.open, presign: async () => null } });

  async function begin(file: StoredFile, bytes: number, signal: AbortSignal) {
    const range = { start: 0, end: Math.min(bytes, file.size) - 1 };
    const { body } = await blobs.open(file.blobId, { range, signal });
    return new Uint8Array(await new Response(body).arrayBuffer());
  }

  async function text(file: StoredFile, request: Request): Promise<Response | null> {
    const shown = plainText(await begin(file, TEXT_BYTES, request.signal), file.size > TEXT_BYTES);
    if (shown === null) return null;
    const isHead = request.method === "HEAD";
    const headers = {
      ...HEADERS,
      "Content-Type": "text/plain; charset=utf-8",
      ...(isHead && { "Content-Length": String(Buffer.byteLength(shown)) }),
    };
    return new Response(isHead ? null : shown, { headers });
  }

  return async (file, kind, request, visitor) => {
    const { headers, method, signal } = request;
    if (!isPlaceFor(kind, headers)) return null;
    if (kind === "text") return text(file, request);
    const found =
      kind === "picture" || kind === "pdf"
        ? typeByMagic(await begin(file, MAGIC_BYTES, signal))
        : file.mimeType;
    if (found === null || (kind === "pdf") !== (found === "application/pdf")) return null;
    const answer = await download(file, {
      method,
      header: (name) => headers.get(name) ?? undefined,
      inline: true,
      signal,
      request,
      relay: (stream) => relayTo({ visitor, logger }, stream),
    });
    for (const [name, value] of Object.entries(HEADERS)) answer.headers.set(name, value);
    if (answer.ok) answer.headers.set("Content-Type", found);
    return answer;
  };
}

/** A preview is part of a page. The script of the page hands the bytes of a PDF to the frame that draws them. */
export function isPlaceFor(kind: PreviewKind | null, headers: Headers): boolean {
  const place = headers.get("sec-fetch-dest");
  if (kind !== "pdf") return place !== "document";
  return place === "iframe" || (place === "empty" && headers.get("sec-fetch-site") === "same-origin");
}

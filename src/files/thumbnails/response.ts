import { isNotModified } from "../../lib/conditional-request.ts";
import type { StoredFile } from "../tree/entry.ts";
import type { Thumbnails } from "./service.ts";

/** `accountId` null: a visitor of a share. */
export type RespondWithThumbnail = (
  file: StoredFile,
  request: Request,
  accountId: number | null,
) => Promise<Response>;

/** Headers of content that our pages embed. */
export const EMBEDDED_HEADERS = {
  "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'self'",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Robots-Tag": "noindex, nofollow",
  "Referrer-Policy": "no-referrer",
};

/** What has other content has another ETag. */
const HEADERS = {
  ...EMBEDDED_HEADERS,
  "Cache-Control": "private, max-age=60, stale-while-revalidate=86400",
};

/** 204 without a thumbnail: browsers report a failure on the console. @throws like Thumbnails.find */
export const createThumbnailResponse =
  ({ thumbnails }: { thumbnails: Pick<Thumbnails, "find"> }): RespondWithThumbnail =>
  async (file, { headers, method, signal }, accountId) => {
    const validators = { etag: `"thumbnail-${file.blobId}"`, modifiedAt: file.createdAt };
    const cached = { ...HEADERS, ETag: validators.etag };
    if (isNotModified((name) => headers.get(name) ?? undefined, validators)) {
      return new Response(null, { status: 304, headers: cached });
    }
    const bytes = await thumbnails.find(file, { accountId, signal });
    if (bytes === null) return new Response(null, { status: 204, headers: HEADERS });
    const type = bytes[0] === 0xff ? "image/jpeg" : "image/webp";
    const body = method === "HEAD" ? null : bytes;
    return new Response(body, {
      headers: { ...cached, "Content-Type": type, "Content-Length": String(bytes.length) },
    });
  };

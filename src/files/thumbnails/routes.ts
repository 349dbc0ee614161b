import { z } from "zod";
import { type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { entryIn, placedEndpoint } from "../tree/entry-id.ts";
import type { Trees } from "../tree/trees.ts";
import type { Files } from "../tree/files.service.ts";
import { isNotModified } from "../../lib/conditional-request.ts";
import { contentTag, type StoredFile } from "../tree/entry.ts";
import { mayHaveThumbnail, type Thumbnails } from "./service.ts";
import type { Rendition } from "./store.ts";

const thumbnailHeaders = z.object({ ETag: z.string(), "Cache-Control": z.string() });

type Deps = { files: Files; trees: Trees; respondWithThumbnail: RespondWithThumbnail };

export const thumbnailEndpoint = ({ files, trees, respondWithThumbnail }: Deps): Endpoint =>
  endpoint("GET /files/:id/thumbnail", {
    ...placedEndpoint("files"),
    summary: "A picture within 512 × 512 pixels, as JPEG or WebP",
    failures: [502, 503],
    raw: { type: "image/*", headers: thumbnailHeaders },
    others: {
      204: { type: null, description: "The file has no thumbnail" },
      304: { type: null, description: "The client's copy is current", headers: thumbnailHeaders },
    },
    async handle(input) {
      const file = await files.find(...(await entryIn(trees, input, "FileNotFound")));
      return respondWithThumbnail(file, input.c.req.raw, input.account.id);
    },
  });

/** `accountId` null: a visitor of a share. */
export type RespondWithThumbnail = (
  file: StoredFile,
  request: Request,
  accountId: number | null,
  rendition?: Rendition,
) => Promise<Response>;

/** Headers of content that our pages embed. */
export const EMBEDDED_HEADERS = {
  "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'self'",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Robots-Tag": "noindex, nofollow",
  "Referrer-Policy": "no-referrer",
};

const HEADERS = {
  ...EMBEDDED_HEADERS,
  "Cache-Control": "private, max-age=60, stale-while-revalidate=86400",
};

/** What has other content has another tag. The number of a blob would tell whether its bytes were stored before. */
const tagOf = (file: StoredFile, rendition: Rendition): string =>
  contentTag(file).replace('"', `"${rendition}-`);

/** 204 without a thumbnail: browsers report a failure on the console. @throws like Thumbnails.find */
export const createThumbnailResponse =
  ({ thumbnails }: { thumbnails: Thumbnails }): RespondWithThumbnail =>
  async (file, { headers, method, signal }, accountId, rendition = "thumbnail") => {
    const validators = { etag: tagOf(file, rendition), modifiedAt: file.createdAt };
    const cached = { ...HEADERS, ETag: validators.etag };
    if (mayHaveThumbnail(file) && isNotModified((name) => headers.get(name) ?? undefined, validators)) {
      return new Response(null, { status: 304, headers: cached });
    }
    const bytes = await thumbnails.find(file, { accountId, signal }, rendition);
    if (bytes === null) return new Response(null, { status: 204, headers: HEADERS });
    const type = bytes[0] === 0xff ? "image/jpeg" : "image/webp";
    const body = method === "HEAD" ? null : bytes;
    return new Response(body, {
      headers: { ...cached, "Content-Type": type, "Content-Length": String(bytes.length) },
    });
  };

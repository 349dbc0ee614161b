/**
 * Bytes for the preview in the page of a file, which count as nothing. A limited share has none: they are the content.
 *
 * Nothing in them can run: the type is of a short list and never sniffed, a policy allows nothing, a text is plain
 * text, no other site may frame it. Chromium runs the scripts of a PDF in spite of the policy, so a PDF is only for the
 * page's sandboxed frame and script.
 */
import type { Logger } from "../../lib/logger.ts";
import type { Blobs } from "../blobs/service.ts";
import { EMBEDDED_HEADERS, type RespondWithThumbnail } from "../thumbnails/routes.ts";
import { createDownload } from "../tree/download.routes.ts";
import type { StoredFile } from "../tree/entry.ts";
import {
  FIRST_BYTES,
  isMadePreview,
  isWhatItClaims,
  plainText,
  previewOf,
  type PreviewKind,
  TEXT_BYTES,
  typeByMagic,
} from "./preview.ts";
import { relayTo, type Visitor } from "./download.routes.ts";
import { z } from "zod";
import { type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { Trees } from "../tree/trees.ts";
import type { Files } from "../tree/files.service.ts";
import { entryIn, placedEndpoint } from "../tree/entry-id.ts";

export type SharePreview = ReturnType<typeof createSharePreview>;

type Deps = {
  blobs: Pick<Blobs, "open" | "find" | "openFound">;
  clock: Clock;
  respondWithThumbnail: RespondWithThumbnail;
  logger: Logger;
};

const READ_MS = 2_000;

const HEADERS = {
  ...EMBEDDED_HEADERS,
  "Content-Disposition": "inline",
  "Cache-Control": "private, no-store",
};

/** Players say themselves what they can't play. */
const isCheckedByBytes = (kind: PreviewKind | null): kind is "picture" | "text" | "pdf" =>
  kind === "picture" || kind === "text" || kind === "pdf";

export function createSharePreview({ blobs, clock, respondWithThumbnail, logger }: Deps) {
  const download = createDownload({ blobs: { ...blobs, presign: async () => null }, clock });

  async function begin(file: StoredFile, bytes: number, signal: AbortSignal) {
    const range = { start: 0, end: Math.min(bytes, file.size) - 1 };
    const { body } = await blobs.open(file.blobId, { range, signal });
    return new Uint8Array(await new Response(body).arrayBuffer());
  }

  /** With the bytes that were read. */
  async function find(file: StoredFile, bytes: number, signal: AbortSignal) {
    const kind = previewOf(file);
    if (!isCheckedByBytes(kind)) return { kind, first: null };
    const first = await begin(file, bytes, signal);
    return isWhatItClaims(kind, first.subarray(0, FIRST_BYTES)) ? { kind, first } : { kind: null, first };
  }

  function text(file: StoredFile, first: Uint8Array, method: string): Response {
    const shown = plainText(first, file.size > TEXT_BYTES);
    const isHead = method === "HEAD";
    const headers = {
      ...HEADERS,
      "Content-Type": "text/plain; charset=utf-8",
      ...(isHead && { "Content-Length": String(Buffer.byteLength(shown)) }),
    };
    return new Response(isHead ? null : shown, { headers });
  }

  return {
    /** The kind of preview; null if there is nothing to show, or the beginning of the file can't be read within two seconds. */
    async kindOf(file: StoredFile, request: Pick<Request, "signal">): Promise<PreviewKind | null> {
      const claimed = previewOf(file);
      if (!isCheckedByBytes(claimed)) return claimed;
      const bounded = AbortSignal.any([request.signal, AbortSignal.timeout(READ_MS)]);
      return find(file, FIRST_BYTES, bounded).then(
        ({ kind }) => kind,
        () => null,
      );
    },

    /**
     * Sends the preview; null if there is nothing to show there. `accountId` null: to a visitor of a share.
     * @throws StorageUnavailable, FileNotFound, ServiceUnavailable
     */
    async respond(
      file: StoredFile,
      request: Request,
      visitor: Visitor,
      accountId: number | null = null,
    ): Promise<Response | null> {
      const { headers, method, signal } = request;
      const claimed = previewOf(file);
      if (!isPlaceFor(claimed, headers)) return null;
      if (isMadePreview(file)) {
        const made = await respondWithThumbnail(file, request, accountId, "preview");
        return made.status === 204 ? null : made;
      }
      const { kind, first } = await find(file, claimed === "text" ? TEXT_BYTES : FIRST_BYTES, signal);
      if (kind === null) return null;
      if (kind === "text") return text(file, first!, method);
      const response = await download(file, {
        method,
        header: (name) => headers.get(name) ?? undefined,
        inline: true,
        signal,
        source: request,
        relay: (stream) => relayTo({ visitor, logger }, stream),
      });
      for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
      if (response.ok)
        response.headers.set("Content-Type", first === null ? file.mimeType : typeByMagic(first)!);
      return response;
    },
  };
}

/** A preview is part of a page. The script of the page hands the bytes of a PDF to the frame that draws them. */
export function isPlaceFor(kind: PreviewKind | null, headers: Headers): boolean {
  const place = headers.get("sec-fetch-dest");
  if (kind !== "pdf") return place !== "document";
  return place === "iframe" || (place === "empty" && headers.get("sec-fetch-site") === "same-origin");
}

const validators = z.object({ ETag: z.string(), "Cache-Control": z.string() });
const ranges = z.object({ "Content-Range": z.string() });

type OwnerDeps = { files: Pick<Files, "find">; trees: Trees; preview: SharePreview };

export const ownerPreviewEndpoint = ({ files, trees, preview }: OwnerDeps): Endpoint =>
  endpoint("GET /files/:id/preview", {
    ...placedEndpoint("files"),
    summary: `A picture, video, audio, PDF or the first ${TEXT_BYTES / 1000} kB of a text for the owner's page, in a form that can run nothing; a PDF for a frame only`,
    headers: z.object({ Range: z.string().optional().describe("one range of bytes, such as bytes=0-99") }),
    failures: [412, 416, 502, 503],
    raw: { type: "*/*", headers: z.object({ "Content-Security-Policy": z.string() }) },
    others: {
      204: { type: null, description: "The file has no preview" },
      206: { type: "*/*", description: "The requested range", headers: ranges },
      304: { type: null, description: "The client's copy is current", headers: validators },
    },
    async handle({ c, account }) {
      const file = await files.find(...(await entryIn(trees, { c, account }, "FileNotFound")));
      const { liftIdleTimeout, cut } = c.env;
      if (!isPlaceFor(previewOf(file), c.req.raw.headers)) {
        throw appError("FileNotFound", "A preview is shown in the panel only; download the file.");
      }
      const shown = await preview.respond(file, c.req.raw, { liftIdleTimeout, cut }, account.id);
      // Browsers report a failure on the console.
      return shown ?? new Response(null, { status: 204 });
    },
  });

import { z } from "zod";
import { type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { streamResponse } from "../../platform/http/stream-pages.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { entryIn, placedEndpoint } from "./entry-id.ts";
import type { Trees } from "./trees.ts";
import type { Files } from "./files.service.ts";
import { type ByteRange, parseByteRange } from "../byte-range.ts";
import {
  isNotModified,
  isPreconditionFailed,
  isRangeCurrent,
  lastModified,
} from "../../lib/conditional-request.ts";
import { contentDisposition } from "../../lib/content-disposition.ts";
import { ERRORS } from "../../lib/errors.ts";
import { fileResponse } from "../../lib/file-response.ts";
import type { Blobs } from "../blobs/service.ts";
import { type StoredFile, validatorsOf } from "./entry.ts";
import { contentTypeOf, isShownInline } from "./media-type.ts";

type FoundBlob = Awaited<ReturnType<Blobs["find"]>>;

const downloadHeaders = z.object({
  Range: z.string().optional().describe("one range of bytes, such as bytes=0-99"),
  "If-Range": z.string().optional(),
  "If-Match": z.string().optional(),
  "If-None-Match": z.string().optional(),
  "If-Modified-Since": z.string().optional(),
  "If-Unmodified-Since": z.string().optional(),
});
const validatorHeaders = z.object({ ETag: z.string(), "Cache-Control": z.string() });
const contentHeaders = validatorHeaders.extend({
  "Content-Disposition": z.string(),
  "Content-Security-Policy": z.string(),
  "Last-Modified": z.string(),
  "Accept-Ranges": z.literal("bytes"),
});
const rangeHeaders = contentHeaders.extend({ "Content-Range": z.string() });

/** Query, headers and responses of a download. */
export const downloadShape = {
  query: z.object({
    disposition: z
      .enum(["attachment", "inline"])
      .optional()
      .describe("inline shows images, audio, video, plain text and PDF in the browser"),
  }),
  headers: downloadHeaders,
  failures: [412, 416, 502],
  raw: { type: "*/*", headers: contentHeaders },
  others: {
    206: { type: "*/*", description: "The requested range", headers: rangeHeaders },
    302: {
      type: null,
      description: "The content is at this address for five minutes",
      headers: z.object({ Location: z.url() }),
    },
    304: { type: null, description: "The client's copy is current", headers: validatorHeaders },
  },
} as const;

type Deps = { files: Files; trees: Trees; download: Download; logger: Logger };

export const downloadEndpoint = ({ files, trees, download, logger }: Deps): Endpoint =>
  endpoint("GET /files/:id/download", {
    ...placedEndpoint("files"),
    summary: "A file's content, whole or a range of it",
    ...downloadShape,
    async handle(input) {
      const file = await files.find(...(await entryIn(trees, input, "FileNotFound")));
      const inline = input.query.disposition === "inline";
      return download(file, { ...downloadOf(input.c, logger), inline });
    },
  });

/** What an HTTP request has for a download. */
export const downloadOf = (c: HttpContext, logger: Logger): Omit<DownloadRequest, "inline"> => ({
  method: c.req.method,
  header: (name) => c.req.header(name),
  signal: c.req.signal,
  source: c.req.source,
  relay: (stream) =>
    streamResponse(c, chunksOf(stream), { logger, failure: "a download was cut off", restMs: 0 }),
});

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) yield chunk;
}

type DownloadRequest = {
  /** HEAD needs no bytes. */
  method: string;
  header(name: string): string | undefined;
  /** Shows the file in the browser, if that is safe. */
  inline: boolean;
  /** The client does not follow redirects, so the server relays the content. */
  isRelayed?: true;
  signal: AbortSignal;
  /** The request as lib/file-response.ts has it. */
  source: object;
  /** Guards the stream against clients that stop reading. */
  relay(stream: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>>;
};

export type Download = ReturnType<typeof createDownload>;

/** What is shorter is sent in one piece. */
const MOST_GATHERED = 1024 * 1024;
/** A presigned address starts downloads for this long. */
const PRESIGNED_SECONDS = 300;

/**
 * A file as a response. Conditions, range and way are decided from the file's row. Nothing that was uploaded may run in
 * the browser under our origin: it is an attachment unless requested inline and of a harmless type, never sniffed, and
 * sandboxed.
 */
export function createDownload({
  blobs,
  clock,
}: {
  blobs: Pick<Blobs, "find" | "openFound" | "presign">;
  clock: Clock;
}) {
  /** @throws StorageUnavailable if damaged, missing or away; FileNotFound if deleted meanwhile */
  async function send(
    file: StoredFile,
    blob: FoundBlob,
    request: DownloadRequest,
    range: ByteRange | null,
  ): Promise<Response> {
    const headers = headersOf(file, request.inline, clock.now());
    const length = range === null ? file.size : range.end - range.start + 1;
    if (range !== null) headers.set("Content-Range", `bytes ${range.start}-${range.end}/${file.size}`);
    const status = range === null ? 200 : 206;
    if (request.method === "HEAD" || length === 0) {
      await look(blob, request.signal);
      headers.set("Content-Length", String(length));
      return new Response(request.method === "HEAD" ? null : "", { status, headers });
    }
    const { signal } = request;
    const { body } = await blobs.openFound(blob, { ...(range && { range }), signal });
    if (body instanceof Blob) {
      return fileResponse(request.source, body, range?.start ?? 0, { status, headers });
    }
    if (length <= MOST_GATHERED) return new Response(await new Response(body).bytes(), { status, headers });
    headers.set("Content-Length", String(length));
    return new Response(await request.relay(body), { status, headers });
  }

  async function look(blob: FoundBlob, signal: AbortSignal): Promise<void> {
    const range = { start: 0, end: 0 };
    const { body } = await blobs.openFound(blob, { ...(blob.size > 0 && { range }), signal });
    if (!(body instanceof Blob)) await body.cancel();
  }

  return async (file: StoredFile, request: DownloadRequest): Promise<Response> => {
    const validators = validatorsOf(file);
    if (isPreconditionFailed(request.header, validators)) {
      return refuse("PreconditionFailed", "The file does not match If-Match or If-Unmodified-Since.");
    }
    if (isNotModified(request.header, validators)) {
      return new Response(null, { status: 304, headers: cacheHeaders(file) });
    }
    const blob = await blobs.find(file.blobId);
    if (request.method === "GET" && !request.isRelayed) {
      const address = await blobs.presign(blob, {
        contentType: contentTypeOf(file.mimeType),
        contentDisposition: dispositionOf(file, request.inline),
        expiresSeconds: PRESIGNED_SECONDS,
      });
      if (address !== null) return redirect(address);
    }
    // Ranges are for GET alone (RFC 9110, section 14.2).
    const isRanged = request.method === "GET" && isRangeCurrent(request.header, validators);
    const range = parseByteRange(isRanged ? request.header("Range") : undefined, file.size);
    if (range === "unsatisfiable") {
      const message = `The range begins after the last of ${file.size} bytes.`;
      return refuse("BadRequest", message, { "Content-Range": `bytes */${file.size}` });
    }
    return send(file, blob, request, range === "whole" ? null : range);
  };
}

/** The address gives access to whoever has it. */
const redirect = (address: string): Response =>
  new Response(null, {
    status: 302,
    headers: { Location: address, "Cache-Control": "private, no-store" },
  });

const dispositionOf = (file: StoredFile, inline: boolean): string =>
  contentDisposition(inline && isShownInline(file.mimeType) ? "inline" : "attachment", file.name);

/** Repeated by 304. A browser must revalidate what it keeps. */
const cacheHeaders = (file: StoredFile) => ({
  ETag: validatorsOf(file).etag,
  "Cache-Control": "private, no-cache",
});

const headersOf = (file: StoredFile, inline: boolean, now: number): Headers =>
  new Headers({
    ...cacheHeaders(file),
    "Content-Type": contentTypeOf(file.mimeType),
    "Content-Disposition": dispositionOf(file, inline),
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Last-Modified": lastModified(validatorsOf(file), now),
    "Accept-Ranges": "bytes",
  });

/** An envelope. */
const refuse = (
  error: "PreconditionFailed" | "BadRequest",
  message: string,
  headers: Record<string, string> = {},
): Response =>
  new Response(JSON.stringify({ code: ERRORS[error].code, error, message }), {
    status: error === "BadRequest" ? 416 : 412,
    headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
  });

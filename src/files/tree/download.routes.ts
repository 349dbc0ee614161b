import { z } from "zod";
import { type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { streamResponse } from "../../platform/http/stream-pages.ts";
import type { Logger } from "../../lib/logger.ts";
import { entryIn, treeEndpoint } from "./entry-id.ts";
import type { Download, DownloadRequest } from "./download.ts";
import type { Trees } from "./trees.ts";
import type { Files } from "./files.service.ts";

const downloadHeaders = z.object({
  Range: z.string().optional().describe("one range of bytes, such as bytes=0-99"),
  "If-Range": z.string().optional(),
  "If-Match": z.string().optional(),
  "If-None-Match": z.string().optional(),
  "If-Modified-Since": z.string().optional(),
  "If-Unmodified-Since": z.string().optional(),
});
const validators = z.object({ ETag: z.string(), "Cache-Control": z.string() });
const contentHeaders = validators.extend({
  "Content-Disposition": z.string(),
  "Content-Security-Policy": z.string(),
  "Last-Modified": z.string(),
  "Accept-Ranges": z.literal("bytes"),
});
const rangeHeaders = contentHeaders.extend({ "Content-Range": z.string() });

type Deps = { files: Pick<Files, "find">; trees: Trees; download: Download; logger: Logger };

export const downloadEndpoint = ({ files, trees, download, logger }: Deps): Endpoint =>
  endpoint("GET /files/:id/download", {
    ...treeEndpoint("files"),
    summary: "A file's content, whole or a range of it",
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
      304: { type: null, description: "The client's copy is current", headers: validators },
    },
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
  signal: c.req.raw.signal,
  request: c.req.raw,
  relay: (stream) =>
    streamResponse(c, chunksOf(stream), { logger, failure: "a download was cut off", restMs: 0 }),
});

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) yield chunk;
}

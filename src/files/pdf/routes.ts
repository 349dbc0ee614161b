import { z } from "zod";
import { type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { ownPdfViewer } from "./viewer.ts";

const kept = z.object({ ETag: z.string(), "Cache-Control": z.string() });

export const pdfViewerEndpoint: Endpoint = endpoint("GET /files/preview/pdf-viewer", {
  access: "account",
  scope: "files",
  tag: "files",
  summary: "The document of the panel's frame that draws a PDF; it holds nothing of a file",
  raw: { type: "text/html", headers: kept.extend({ "Content-Security-Policy": z.string() }) },
  others: { 304: { type: null, description: "The client's copy is current", headers: kept } },
  handle: ({ c }) => ownPdfViewer(c.req.raw),
});

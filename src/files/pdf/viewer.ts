/**
 * The document of the frame that draws a PDF: PDF.js from its package, without its parts for scripts and forms. The
 * frame's policy lets it load nothing, so the document contains everything. The one-file executable embeds its parts.
 */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
// @ts-expect-error a path, not a module
// oxlint-disable-next-line import/default -- the same
import libraryPath from "pdfjs-dist/legacy/build/pdf.min.mjs" with { type: "file" };
// @ts-expect-error a path, not a module
// oxlint-disable-next-line import/default -- the same
import workerPath from "pdfjs-dist/legacy/build/pdf.worker.min.mjs" with { type: "file" };
// @ts-expect-error a path, not a module
import jbig2Path from "pdfjs-dist/wasm/jbig2.wasm" with { type: "file" };
// @ts-expect-error a path, not a module
import openjpegPath from "pdfjs-dist/wasm/openjpeg.wasm" with { type: "file" };
import packed from "pdfjs-dist/package.json" with { type: "json" };
import { acceptsGzip } from "../../lib/accepts-gzip.ts";
import { madeOnce } from "../../lib/made-once.ts";
import { type SharedBytes, shareBytes, sharedResponse } from "../../lib/shared-bytes.ts";
import { inline } from "../../visitors/style.ts";
import { VIEWER_SCRIPT, VIEWER_STYLE } from "./viewer-script.ts";

const compress = promisify(gzip);

type Viewer = { html: SharedBytes; gzipped: SharedBytes; policy: string };

const VERSION = `${packed.version}-${Bun.hash(VIEWER_SCRIPT + VIEWER_STYLE).toString(16)}`;

/** The query of the frame, below the code of the share. */
export const PDF_VIEWER_QUERY = `?viewer=${VERSION}`;

/** The viewer, or null for other requests. It holds nothing of the share, so it needs no password. */
export function pdfViewer(request: Request): Promise<Response> | null {
  const isRequested = request.url.includes(PDF_VIEWER_QUERY);
  return isRequested && (request.method === "GET" || request.method === "HEAD")
    ? respond(request, { "Cache-Control": "private, max-age=31536000, immutable" })
    : null;
}

/** At one address for all versions: the browser asks whether its copy is current. */
export async function ownPdfViewer(request: Request): Promise<Response> {
  const etag = `"${VERSION}"`;
  const kept = { ETag: etag, "Cache-Control": "private, no-cache" };
  const known = request.headers.get("if-none-match") ?? "";
  return known.includes(etag) ? new Response(null, { status: 304, headers: kept }) : respond(request, kept);
}

async function respond(request: Request, kept: Record<string, string>): Promise<Response> {
  const { html, gzipped, policy } = await viewer();
  const takesGzip = acceptsGzip(request.headers.get("accept-encoding"));
  return sharedResponse(request, takesGzip ? gzipped : html, {
    ...kept,
    "Content-Type": "text/html; charset=utf-8",
    ...(takesGzip && { "Content-Encoding": "gzip" }),
    Vary: "Accept-Encoding",
    "Content-Security-Policy": policy,
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "no-referrer",
  });
}

async function build(): Promise<Viewer> {
  const [library, worker] = await Promise.all([readScript(libraryPath), readScript(workerPath)]);
  const [jbig2, openjpeg] = await Promise.all([readBase64(jbig2Path), readBase64(openjpegPath)]);
  const [style, scripts] = [inline(VIEWER_STYLE), [inline(library), inline(VIEWER_SCRIPT)]];
  const data = (id: string, content: string) => `<script type="text/plain" id="${id}">${content}</script>`;
  const html = Buffer.from(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>PDF</title><style>${style.text}</style></head>
<body><div id="pages" tabindex="0"></div>
${data("worker", classic(worker))}${data("jbig2", jbig2)}${data("openjpeg", openjpeg)}
${scripts.map((script) => `<script type="module">${script.text}</script>`).join("\n")}</body></html>
`);
  const directives = [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src 'wasm-unsafe-eval' ${scripts.map(({ hash }) => hash).join(" ")}`,
    "worker-src blob:",
    `style-src ${style.hash}`,
    "img-src blob: data:",
    "font-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ];
  const gzipped = await compress(html, { level: 9 });
  return { html: shareBytes(html), gzipped: shareBytes(gzipped), policy: directives.join("; ") };
}

const viewer = madeOnce(build);

/** The script must not end the element around it. */
async function readScript(path: string): Promise<string> {
  const script = await Bun.file(path).text();
  if (/<\/script|<!--/i.test(script)) throw new Error(`${path} can't be part of a page.`);
  return script;
}

/** A document without origin can't start a module worker. */
function classic(worker: string): string {
  const script = worker.replaceAll("import.meta.url", "self.location.href").replace(/export\{\w+\};\s*$/, "");
  if (/\bimport\.meta|\bexport\{/.test(script))
    throw new Error("The worker of the PDF viewer is another one.");
  return `"use strict";${script}`;
}

const readBase64 = async (path: string): Promise<string> => (await Bun.file(path).bytes()).toBase64();

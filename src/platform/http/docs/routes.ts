/** The page that shows the OpenAPI document. It asks only this server and runs no inline script. */
import { z } from "zod";
import { acceptsGzip } from "../../../lib/accepts-gzip.ts";
import { appError } from "../../../lib/errors.ts";
import { sharedResponse } from "../../../lib/shared-bytes.ts";
import { createDocsAssets } from "./assets.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  // The panel shows it.
  "frame-ancestors 'self'",
].join("; ");

const pageOf = (version: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Waymark API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/${version}/swagger-ui.css">
<link rel="stylesheet" href="docs/${version}/docs.css">
<script src="docs/${version}/swagger-ui-bundle.js" defer></script>
<script src="docs/${version}/docs.js" defer></script>
</head>
<body><div id="docs"></div><noscript>This page needs JavaScript. The document is <a href="openapi.json">openapi.json</a>.</noscript></body>
</html>
`;

/** @param csrf names of the cookie and header that prove a request made with cookies */
export function docsEndpoints(csrf: { cookie: string; header: string }): Endpoint[] {
  const assets = createDocsAssets(csrf);
  const page = pageOf(assets.version);
  const shared = { access: "public", scope: null, tag: "meta" } as const;
  return [
    endpoint("GET /docs", {
      ...shared,
      summary: "This API as a page to read and try",
      raw: { type: "text/html", headers: z.object({ "Content-Security-Policy": z.string() }) },
      handle: ({ c }) =>
        c.body(page, 200, {
          "Content-Type": "text/html; charset=utf-8",
          "Content-Security-Policy": POLICY,
          "Cache-Control": "no-cache",
        }),
    }),
    endpoint("GET /docs/:file{.+}", {
      ...shared,
      params: { file: z.string().meta({ examples: ["version/docs.css"] }) },
      summary: "A script or style of the page",
      failures: [404],
      raw: { type: "*/*", headers: z.object({ "Cache-Control": z.string(), Vary: z.string() }) },
      async handle({ c }) {
        const isCompressed = acceptsGzip(c.req.raw);
        const found = await assets.read(c.req.param("file") ?? "", isCompressed);
        if (found === null) throw appError("NotFound", "There is nothing at this address.");
        return sharedResponse(c.req.raw, found.body, {
          "Content-Type": found.type,
          "Cache-Control": "public, max-age=31536000, immutable",
          Vary: "Accept-Encoding",
          ...(isCompressed && { "Content-Encoding": "gzip" }),
        });
      },
    }),
  ];
}

/** The page that shows the OpenAPI document. It asks only this server and runs no inline script. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
// @ts-expect-error a path, not a module
import bundlePath from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
// @ts-expect-error a path, not a module
import stylePath from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import viewer from "swagger-ui-dist/package.json" with { type: "json" };
import { z } from "zod";
import { acceptsGzip } from "../../../lib/accepts-gzip.ts";
import { appError } from "../../../lib/errors.ts";
import { madeOnce } from "../../../lib/made-once.ts";
import { shareBytes, type SharedBytes, sharedResponse } from "../../../lib/shared-bytes.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";

/**
 * In the panel's frame it reports when it is ready, and takes `{token?, dark?}` from it.
 *
 * @param csrf names of the cookie and header that prove a request made with cookies
 */
const startScript = (csrf: { cookie: string; header: string }): string => `"use strict";
// What Swagger UI leaves out for screen readers: landmarks, levels of headings, names of fields.
const PATCHES = [
  ["#operations", { "aria-label": "Operations" }],
  [".information-container", { role: "region", "aria-label": "About this API" }],
  [".scheme-container", { role: "region", "aria-label": "Authorization" }],
  [".filter-container", { role: "search" }],
  [".operation-filter-input", { "aria-label": "Filter by tag or path" }],
  [".opblock-tag, .models h4", { role: "heading", "aria-level": "2" }],
  [".opblock h4, .opblock h5, .models h3", { role: "heading", "aria-level": "3" }],
  [".responses-table", { role: "table" }],
  [".modal-ux h3, .modal-ux h4, .modal-ux h5, .modal-ux h6", { role: "heading", "aria-level": "2" }],
  [".close-modal", { "aria-label": "Close" }],
  [".modal-ux .btn[aria-label]", { "aria-label": null }],
  [".microlight", { tabindex: "0" }],
  [".body-param__text", { "aria-label": "Request body" }],
];
function patch() {
  for (const [selector, attributes] of PATCHES)
    for (const element of document.querySelectorAll(selector))
      for (const [name, value] of Object.entries(attributes)) {
        if (value === null) element.removeAttribute(name);
        else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
      }
  for (const field of document.querySelectorAll("[data-param-name] :is(select, input, textarea)"))
    if (!field.hasAttribute("aria-label"))
      field.setAttribute("aria-label", field.closest("[data-param-name]").dataset.paramName);
}
new MutationObserver(patch).observe(document.body, { childList: true, subtree: true });
/** A button holds no link: it opens the operation, and the address follows. */
const plainNames = () => ({
  wrapComponents: {
    DeepLink: (Original, { React }) => ({ text }) => React.createElement("span", null, text),
  },
});
const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = (isDark) => document.documentElement.classList.toggle("dark-mode", isDark);
const follow = () => paint(dark.matches);
dark.addEventListener("change", follow);
follow();
const proof = () =>
  document.cookie.split("; ").find((pair) => pair.startsWith(${JSON.stringify(`${csrf.cookie}=`)}))?.slice(${csrf.cookie.length + 1});
const ui = SwaggerUIBundle({
  url: new URL("openapi.json", location.href).href,
  dom_id: "#docs",
  deepLinking: true,
  docExpansion: "list",
  filter: true,
  plugins: [plainNames],
  syntaxHighlight: { activated: false },
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tagsSorter: undefined,
  validatorUrl: null,
  requestInterceptor(request) {
    const isOwn = new URL(request.url, location.href).origin === location.origin;
    const token = proof();
    if (isOwn && token !== undefined) request.headers[${JSON.stringify(csrf.header)}] = token;
    return request;
  },
  onComplete: () => parent.postMessage({ waymark: "docs" }, location.origin),
});
addEventListener("message", ({ origin, source, data }) => {
  if (origin !== location.origin || source !== parent || source === window) return;
  if (typeof data.token === "string") ui.preauthorizeApiKey("token", data.token);
  if (typeof data.dark !== "boolean") return;
  dark.removeEventListener("change", follow);
  paint(data.dark);
});
`;

/** Darker badges for white letters, no empty column of links, room on narrow screens. */
const STYLE = `body { margin: 0; }
.swagger-ui .info { margin: 32px 0 8px; }
.swagger-ui .scheme-container { margin: 0; padding: 12px 0; box-shadow: none; background: none; }
.swagger-ui .scheme-container .schemes { justify-content: flex-end; }
.swagger-ui .servers-title, .swagger-ui .servers { display: none; }
.swagger-ui .filter .operation-filter-input { box-sizing: border-box; width: 100%; max-width: none; margin: 8px 0; }
.swagger-ui .opblock-tag small { padding: 0 10px; }
.swagger-ui .response-col_links, .swagger-ui .responses-table thead td:last-child { display: none; }
.swagger-ui .responses-table { table-layout: fixed; }
.swagger-ui .response-col_status, .swagger-ui .responses-table thead td:first-child { width: 64px; min-width: 0; }
.swagger-ui .highlight-code, .swagger-ui .microlight { overflow-x: auto; }
html:not(.dark-mode) .swagger-ui .info .base-url, html:not(.dark-mode) .swagger-ui .info a { color: #1b62b5; }
html:not(.dark-mode) .swagger-ui .info .title small { background: #5b6270; }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #3f6212; }
html.dark-mode .swagger-ui .header-col { color: #e4e6e6; }
html.dark-mode .swagger-ui .opblock.opblock-put .opblock-section-header { background: #7a4830; }
.swagger-ui .btn.execute { background: #1b62b5; border-color: #1b62b5; }
html.dark-mode .swagger-ui .btn.try-out__btn.cancel { color: #ffd0d0 !important; border-color: #ffd0d0; background: none; }
html:not(.dark-mode) .swagger-ui .btn.cancel { color: #b3261e; border-color: #b3261e; }
html:not(.dark-mode) .swagger-ui .parameter__in, html:not(.dark-mode) .swagger-ui .prop-format { color: #515766; }
html:not(.dark-mode) .swagger-ui .json-schema-2020-12-expand-deep-button { color: #3b4151; }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: #14704a; border-color: #14704a; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #14704a; }
html:not(.dark-mode) .swagger-ui .response-control-media-type__accept-message { color: #14704a; }
html:not(.dark-mode) .swagger-ui .opblock-get .opblock-summary-method { background: #1b62b5; }
html:not(.dark-mode) .swagger-ui .opblock-post .opblock-summary-method { background: #14704a; }
html:not(.dark-mode) .swagger-ui .opblock-put .opblock-summary-method { background: #97540a; }
html:not(.dark-mode) .swagger-ui .opblock-patch .opblock-summary-method { background: #0d6b70; }
html:not(.dark-mode) .swagger-ui .opblock-delete .opblock-summary-method { background: #b3261e; }
html:not(.dark-mode) .swagger-ui .opblock-head .opblock-summary-method { background: #6b2fb3; }
html:not(.dark-mode) .swagger-ui .opblock-options .opblock-summary-method { background: #3d4b5c; }
@media (prefers-reduced-motion: reduce) { .swagger-ui * { transition: none !important; animation: none !important; } }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 12px; }
  .swagger-ui .opblock-tag { padding: 10px 0; flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 64px; padding: 6px 4px; font-size: 12px; }
  .swagger-ui .opblock-body .table-container, .swagger-ui .responses-inner { padding: 12px; }
  .swagger-ui .opblock-description-wrapper, .swagger-ui .opblock-section-request-body > div { padding: 12px; }
  .swagger-ui .parameters-col_name { width: 40%; }
  .swagger-ui .parameters-col_description { min-width: 0; }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select { width: 100%; max-width: 100%; }
  .swagger-ui .dialog-ux .modal-ux { width: calc(100% - 24px); min-width: 0; }
}
`;

const compress = promisify(gzip);

type Asset = { type: string; read(): Promise<Uint8Array> };

const file = (path: string, type: string): Asset => ({ type, read: () => Bun.file(path).bytes() });
const text = (content: string, type: string): Asset => ({ type, read: async () => Buffer.from(content) });

const SCRIPT = "text/javascript; charset=utf-8";
const CSS = "text/css; charset=utf-8";

/** @param csrf as in startScript */
function createDocsAssets(csrf: { cookie: string; header: string }) {
  const start = startScript(csrf);
  const assets: Record<string, Asset> = {
    "swagger-ui.css": file(stylePath, CSS),
    "swagger-ui-bundle.js": file(bundlePath, SCRIPT),
    "docs.css": text(STYLE, CSS),
    "docs.js": text(start, SCRIPT),
  };
  /** Covers all files, so that a browser may keep them for good. */
  const version = `${viewer.version}-${Bun.hash(start + STYLE).toString(16)}`;
  /** Compressed bytes by name and encoding. */
  const kept = new Map<string, () => Promise<SharedBytes>>();

  return {
    version,
    /** Resolves with null for an unknown name or version. Compresses once, in a thread. */
    async read(path: string, isCompressed: boolean): Promise<{ type: string; body: SharedBytes } | null> {
      const [given, name = "", ...rest] = path.split("/");
      const asset = Object.hasOwn(assets, name) ? assets[name]! : null;
      if (given !== version || asset === null || rest.length > 0) return null;
      const key = `${isCompressed ? "gzip" : "plain"} ${name}`;
      const made = async () => {
        const bytes = await asset.read();
        return shareBytes(isCompressed ? await compress(bytes) : bytes);
      };
      const read = kept.getOrInsertComputed(key, () => madeOnce(made));
      return { type: asset.type, body: await read() };
    },
  };
}

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
        const isCompressed = acceptsGzip(c.req.header("Accept-Encoding"));
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

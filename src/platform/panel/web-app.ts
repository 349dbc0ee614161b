/**
 * What makes the panel an app of the phone or desktop: manifest, icons, and a service worker. The worker keeps one
 * page, which it shows while the server can't be reached, and takes what another app shares. It never sees a response
 * of the API.
 */
import { COLOURS } from "../../lib/tokens.ts";

type Bytes = { type: string; bytes: Uint8Array<ArrayBuffer> };

/** As settings say it now. */
export type PanelIdentity = {
  name(): string;
  accentColor(): string;
  /** Returns null for the mark. `version` changes with the picture. */
  logo(): { type: string; width: number; height: number; version: string } | null;
  /** The logo, or the mark in so many pixels. Maskable: without round corners. */
  icon(pixels: number, isMaskable?: boolean): Bytes;
  /** The logo, or the mark at every size. */
  mark(): Bytes;
};

export type OfflinePage = { html: string; policy: string };

const ICON_PIXELS = 192;
/** A browser keeps an icon for the hour; another logo or colour has another address. */
const CACHING = { "Cache-Control": "public, max-age=3600" };

/** Changes with every icon. */
export const versionOf = ({ logo, accentColor }: PanelIdentity): string =>
  logo()?.version ?? accentColor().slice(1);

function manifest(identity: PanelIdentity): string {
  const [logo, name] = [identity.logo(), identity.name()];
  const query = `?v=${versionOf(identity)}`;
  const sizes = `${ICON_PIXELS}x${ICON_PIXELS}`;
  const icons =
    logo === null || logo.width !== logo.height
      ? [
          { src: `icon${query}`, sizes, type: "image/png" },
          { src: `icon-maskable${query}`, sizes, type: "image/png", purpose: "maskable" },
        ]
      : [{ src: `icon${query}`, sizes: `${logo.width}x${logo.height}`, type: logo.type }];
  return JSON.stringify({
    id: "./",
    start_url: "./",
    scope: "./",
    name,
    short_name: name,
    display: "standalone",
    background_color: COLOURS.light.card,
    theme_color: COLOURS.light.card,
    icons,
    share_target: {
      action: "shared",
      method: "POST",
      enctype: "multipart/form-data",
      params: {
        title: "title",
        text: "text",
        url: "url",
        files: [{ name: "files", accept: ["*/*", ".*"] }],
      },
    },
  });
}

/** The cache of the page for a server that is away, and of shared files until the panel has taken them. */
const SHARED = "waymark-shared";

/** A change of the page is a change of the script, so browsers take it at once. */
const worker = ({ html, policy }: OfflinePage): string => `"use strict";
const OFFLINE = ${JSON.stringify(html)};
const HEADERS = ${JSON.stringify({ "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy })};
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const isShare = request.method === "POST" && new URL(request.url).pathname === new URL("shared", registration.scope).pathname;
  if (isShare) event.respondWith(take(request));
  else if (request.mode === "navigate" && request.method === "GET")
    event.respondWith(fetch(request).catch(() => new Response(OFFLINE, { headers: HEADERS })));
});
async function take(request) {
  const form = await request.formData();
  const said = ["url", "text", "title"].map((name) => [name, form.get(name)]).filter(([, value]) => typeof value === "string" && value !== "");
  await caches.delete(${JSON.stringify(SHARED)});
  const kept = await caches.open(${JSON.stringify(SHARED)});
  let count = 0;
  for (const file of form.getAll("files"))
    if (file instanceof File && (file.name !== "" || file.size > 0))
      await kept.put(new URL("shared/" + count++, registration.scope), new Response(file, { headers: { "X-Name": encodeURIComponent(file.name) } }));
  return Response.redirect(new URL("shared?" + new URLSearchParams([...said, ...(count > 0 ? [["files", String(count)]] : [])]), registration.scope).href, 303);
}
`;

/** Below the panel's prefix, without a slash. Null: nothing of this is there. */
export function webAppResponse(
  name: string,
  identity: PanelIdentity,
  offline: () => OfflinePage,
): Response | null {
  const picture = ({ type, bytes }: Bytes) =>
    new Response(bytes, {
      headers: { "Content-Type": type, "Content-Security-Policy": "default-src 'none'; sandbox", ...CACHING },
    });
  switch (name) {
    case "mark":
      return picture(identity.mark());
    case "icon":
      return picture(identity.icon(ICON_PIXELS));
    case "icon-maskable":
      return picture(identity.icon(ICON_PIXELS, true));
    case "manifest.webmanifest":
      return new Response(manifest(identity), {
        headers: { "Content-Type": "application/manifest+json", "Cache-Control": "no-cache" },
      });
    case "worker.js":
      return new Response(worker(offline()), {
        headers: { "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache" },
      });
    default:
      return null;
  }
}

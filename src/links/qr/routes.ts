import { z } from "zod";
import { actorOf, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { isNotModified } from "../../lib/conditional-request.ts";
import { contentDisposition } from "../../lib/content-disposition.ts";
import { VERSION } from "../../lib/version.ts";
import { CODE_FORM } from "../link/code.ts";
import { codeOf, domainOf } from "../link/key.ts";
import { domainQuery } from "../link/link.ts";
import { isWholeCode, keyOfPath, type FoundLinks, viewIn } from "../link/routes.ts";
import { inCapitals, type QrFormat, type QrLook, qrLookOf, qrPicture, qrQuery } from "./picture.ts";

const TYPES: Record<QrFormat, string> = { svg: "image/svg+xml", png: "image/png", pdf: "application/pdf" };

/** An SVG opened by itself must run and load nothing. */
const POLICY = "default-src 'none'; sandbox";

const headers = z.object({
  ETag: z.string(),
  "Cache-Control": z.string(),
  "Content-Security-Policy": z.string(),
  "Content-Disposition": z.string(),
});

type CaseAccess = FoundLinks & { domains: { ignoresCaseOf(domain: number): boolean } };

/** Relative to {admin}/v1. Mount it before `/links/:code{.+}`. */
export const qrEndpoint = (links: CaseAccess): Endpoint =>
  endpoint("GET /links/:code{.+}/qr", {
    yields: (asking) => isWholeCode(links, asking, "qr"),
    access: "editor",
    scope: "links",
    tag: "links",
    params: { code: z.string().meta(CODE_FORM) },
    summary: "The short URL of a link as a QR code; a code that ends in /qr reads that link instead",
    query: qrQuery.extend(domainQuery.shape),
    raw: { type: Object.values(TYPES), headers },
    others: { 304: { type: null, description: "Unchanged", headers } },
    async handle({ c, query, account }) {
      const look = qrLookOf(query);
      const key = keyOfPath(links, c, query);
      const { short_url: shortUrl } = viewIn(links, c, await links.by(actorOf(account)).get(key));
      const url =
        query.caps === "true" ? inCapitals(shortUrl, links.domains.ignoresCaseOf(domainOf(key))) : shortUrl;
      const etag = etagOf(url, look);
      const fields = {
        ETag: etag,
        // The address may change with the request's host and the settings.
        "Cache-Control": "private, no-cache",
        "Content-Security-Policy": POLICY,
        "Content-Disposition": contentDisposition("inline", fileNameOf(key, look.format)),
      };
      const headerOf = (name: string) => (name === "If-None-Match" ? c.req.header(name) : undefined);
      if (isNotModified(headerOf, { etag, modifiedAt: 0 })) return c.body(null, 304, fields);
      return c.body(qrPicture(url, look), 200, { ...fields, "Content-Type": TYPES[look.format] });
    },
  });

/** Computed from what would be drawn, so an unchanged picture is not drawn. */
function etagOf(url: string, look: QrLook): string {
  const drawn = JSON.stringify([VERSION, url, look]);
  return `"${new Bun.CryptoHasher("sha256").update(drawn).digest("base64url").slice(0, 27)}"`;
}

const fileNameOf = (key: string, format: QrFormat): string => `${codeOf(key).replaceAll("/", "-")}.${format}`;

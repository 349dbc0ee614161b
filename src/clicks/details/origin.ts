/** The origin of a click from untrusted headers, bounded and printable. */

/** As UTF-8. */
const REFERRER_BYTES = 2_048;
const SOURCE_BYTES = 255;

export type Origin = {
  /** Cleaned; null without one. */
  referrer: string | null;
  /** Its host; null without one. */
  host: string | null;
  /** The first of utm_source, `ref:{domain}` and `direct`. */
  source: string;
};

export function originOf(referer: string | null, utmSource: string | null): Origin {
  const referrer = cleanText(referer ?? "", REFERRER_BYTES) || null;
  const host = referrer === null ? null : hostOfReferrer(referrer);
  const campaign = cleanText(utmSource ?? "", SOURCE_BYTES);
  if (campaign !== "") return { referrer, host, source: campaign };
  if (host === null) return { referrer, host, source: "direct" };
  return { referrer, host, source: cleanText(`ref:${host}`, SOURCE_BYTES) };
}

/** The common case, without a full parse. */
const PLAIN_HOST = /^https?:\/\/((?:[a-z0-9-]+\.)+[a-z]{2,})(?=[/?#]|$)/;

/** Lower-case, without port; null unless an http(s) or app URL with a host. */
export function hostOfReferrer(referrer: string): string | null {
  const plain = PLAIN_HOST.exec(referrer)?.[1];
  if (plain !== undefined && plain.length <= SOURCE_BYTES - 4 && !plain.includes("xn--")) return plain;
  const url = URL.parse(referrer);
  if (url === null || url.hostname === "") return null;
  return cleanText(url.hostname.replace(/\.$/, ""), SOURCE_BYTES - 4).toLowerCase() || null;
}

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Without control characters and lone surrogates, cut at the bound between characters. */
export function cleanText(text: string, maxBytes: number): string {
  if (text.length <= maxBytes && PRINTABLE_ASCII.test(text)) return text.trim();
  const printable = text
    .slice(0, maxBytes)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029\ufffd]/gu, "")
    .trim();
  const bytes = new TextEncoder().encode(printable);
  if (bytes.length <= maxBytes) return printable;
  let end = maxBytes;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end)).trim();
}

/** Invalid UTF-8 becomes U+FFFD, which cleaning removes. */
export function decodeQueryValue(value: string): string {
  const text = value.replaceAll("+", " ");
  if (!text.includes("%")) return text;
  const bytes = Buffer.from(text).toString("latin1");
  const decoded = bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(decoded, "latin1").toString("utf8");
}

const UTM_KEYS = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const;
export type Campaign = Record<(typeof UTM_KEYS)[number], string | null>;

/** As UTF-8. */
const VALUE_BYTES = 255;

/** Reads the campaign from pairs as sent; the first value of a key that is not empty counts. */
export function campaignOf(pairs: string): Campaign {
  const campaign: Campaign = {
    utm_source: null,
    utm_medium: null,
    utm_campaign: null,
    utm_term: null,
    utm_content: null,
  };
  for (const pair of pairs.split("&")) {
    const at = pair.indexOf("=");
    const key = UTM_KEYS.find((one) => one.length === at && pair.startsWith(one));
    if (key !== undefined)
      campaign[key] ??= cleanText(decodeQueryValue(pair.slice(at + 1)), VALUE_BYTES) || null;
  }
  return campaign;
}

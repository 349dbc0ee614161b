/** Checks return the canonical form, or what is wrong; null: it is not what `allowed` or `items` describes. */
import { isIP } from "node:net";
import { isLegibleText } from "../../lib/file-name.ts";
import { checkHttpUrl, withoutDot } from "../../lib/http-url.ts";
import { pictureIn } from "../../lib/picture.ts";
import { checkScheme } from "../../lib/target-url.ts";
import { checkDocumentsText, MOST_DOCUMENTS } from "../../lib/well-known.ts";
import { timeZoneName } from "../../lib/time-zone.ts";
import type { CheckedValue } from "./value-types.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

const must = (allowed: string): { error: string } => ({ error: `must be ${allowed}` });

/** Visible ASCII, because it travels in a header. */
export const secret = (minLength: number, { orEmpty = false } = {}) => ({
  allowed: `${orEmpty ? "empty or " : ""}${minLength} to 512 characters of visible ASCII`,
  check: (text: string): CheckedValue =>
    (orEmpty && text === "") || (/^[!-~]{1,512}$/.test(text) && text.length >= minLength) ? text : null,
});

const ARGON2 = /^\$argon2(id|i|d)\$[A-Za-z0-9+/=,.$-]{16,480}$/;

export const argon2Hash = {
  allowed: "empty or an Argon2 hash",
  check: (text: string): CheckedValue => (text === "" || ARGON2.test(text) ? text : null),
};

export const urlOrEmpty = {
  allowed: "empty or an absolute http or https URL without user name and password, at most 8192 bytes",
  check(text: string): CheckedValue {
    if (text === "") return text;
    const checked = checkHttpUrl(text);
    if (typeof checked === "string") return checked;
    // The error adds the full stop.
    return must(`${urlOrEmpty.allowed}: ${checked.error.replace(/\.$/, "")}`);
  },
};

/** The error adds the full stop. */
const ROOT_NEEDED =
  "short links are at the root of a host, so give Waymark a name of its own such as go.example.com";

export const originOrEmpty = {
  allowed: "empty or scheme, host and optional port such as https://go.example.com, without a path",
  check(text: string): CheckedValue {
    if (text === "") return text;
    const isUrl = typeof checkHttpUrl(text) === "string";
    if (isUrl && /^https?:\/\/[^\s/?#@*\\]+\/?$/i.test(text)) return new URL(text).origin;
    return isUrl && new URL(text).pathname !== "/" ? must(`${originOrEmpty.allowed}: ${ROOT_NEEDED}`) : null;
  },
};

export const timeZone = {
  allowed: "a time zone such as Europe/Berlin or UTC",
  check: (text: string): CheckedValue => timeZoneName(text),
};

const NAME_LENGTH = 64;

/** The name is kept in Unicode NFC. */
export const displayName = {
  allowed: `1 to ${NAME_LENGTH} characters that show something, without control characters and those that change the direction of text`,
  check(text: string): CheckedValue {
    const name = text.normalize("NFC");
    return [...name].length <= NAME_LENGTH && isLegibleText(name) ? name : null;
  },
};

export const displayNameOrEmpty = {
  allowed: `empty or ${displayName.allowed}`,
  check: (text: string): CheckedValue =>
    text === "" || typeof displayName.check(text) === "string" ? text.normalize("NFC") : null,
};

/** All documents at their longest, escaped. */
const DOCUMENTS_BYTES = 2 * 1024 * 1024;

export const wellKnown = {
  allowed: `a list of at most ${MOST_DOCUMENTS} documents, each with a name, a type and a text of at most 64 KiB, as a JSON array`,
  mostBytes: DOCUMENTS_BYTES,
  check(text: string): CheckedValue {
    const checked = checkDocumentsText(text);
    return typeof checked === "string" ? checked : must(checked.error);
  },
};

/** As # and six digits in lower case. */
export const color = {
  allowed: "a color as # and three or six hexadecimal digits, such as #1757c2",
  check(text: string): CheckedValue {
    const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(asciiLower(text))?.[1];
    if (digits === undefined) return null;
    return `#${digits.length === 3 ? digits.replace(/./g, "$&$&") : digits}`;
  },
};

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const DOMAIN = new RegExp(`^\\.?${LABEL}(?:\\.${LABEL})*$`);

const PICTURE_BYTES = 16_384;
const PICTURE_PIXELS = { least: 16, most: 1024 };

/** Settings and their history keep it. SVG is refused: it may hold scripts. */
export const picture = {
  allowed: `empty or a picture as a data URL such as data:image/png;base64,…: PNG, JPEG or WebP, ${PICTURE_PIXELS.least} to ${PICTURE_PIXELS.most} pixels wide and high, at most ${PICTURE_BYTES / 1024} KB`,
  mostBytes: 24_000,
  check(text: string): CheckedValue {
    if (text === "") return text;
    const found = text.length <= picture.mostBytes ? pictureIn(text) : null;
    const fits =
      found !== null &&
      found.bytes.length <= PICTURE_BYTES &&
      [found.width, found.height].every(
        (side) => side >= PICTURE_PIXELS.least && side <= PICTURE_PIXELS.most,
      );
    return fits ? text : null;
  },
};

export const cookieDomain = {
  allowed: "empty or a domain name such as example.com",
  check(text: string): CheckedValue {
    const domain = asciiLower(text);
    return domain === "" || (domain.length <= 254 && DOMAIN.test(domain)) ? domain : null;
  },
};

/** The rule for one prefix. joint-rules.ts has the rule for all three. */
export const routePrefix = {
  allowed:
    "1 to 3 segments of A-Z a-z 0-9 _ . -, each after a slash, at most 64 characters, without a slash at the end",
  check(text: string): CheckedValue {
    const wellFormed = text.length <= 64 && /^(\/[A-Za-z0-9_.-]+){1,3}$/.test(text);
    return wellFormed && !/\/\.\.?(\/|$)/.test(text) ? text : null;
  },
};

export const addressRange = {
  items: "of IP addresses and CIDR ranges; `unix` for peers on a unix socket",
  check(item: string): CheckedValue {
    if (asciiLower(item) === "unix") return "unix";
    const [address = "", bits, ...rest] = asciiLower(item).split("/");
    const version = isIP(address);
    const widest = version === 4 ? 32 : 128;
    const bitsFit = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest);
    if (version === 0 || address.includes("%") || !bitsFit || rest.length > 0) {
      return must("a list of IP addresses and CIDR ranges such as 10.0.0.0/8");
    }
    return bits === undefined ? address : `${address}/${Number(bits)}`;
  },
};

export const origin = {
  items: "of origins such as https://app.example.com, or *",
  hasWildcard: true,
  check(item: string): CheckedValue {
    if (item === "*") return item;
    const url = URL.canParse(item) ? new URL(item) : null;
    const isOrigin =
      url !== null && /^https?:\/\/[^/?#@*\\]+\/?$/i.test(item) && /^https?:$/.test(url.protocol);
    return isOrigin
      ? url.origin
      : must("a list of origins such as https://app.example.com, without a path, or *");
  },
};

/** A name or an IP address, lower-case and in Punycode. */
export const hostName = {
  items: "of hosts such as example.com",
  check(item: string): CheckedValue {
    const host = /^[^\s/?#@\\%*]{1,253}$/.test(item) ? URL.parse(`http://${item}/`) : null;
    const isHost = host !== null && host.port === "" && !/:\d*$/.test(item.replace(/^\[.*\]/, ""));
    return isHost ? withoutDot(host.hostname) : null;
  },
};

export const scheme = {
  items: "of schemes such as mailto",
  check(item: string): CheckedValue {
    const checked = checkScheme(item);
    return typeof checked === "string" ? checked : must(checked.error);
  },
};

export const headerName = {
  items: "of header names, or *",
  hasWildcard: true,
  check: (item: string): CheckedValue => (/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(item) ? item : null),
};

/** As given: it has to equal what the provider sends, to the letter. */
export const issuer = {
  allowed:
    "empty or an https address without query and fragment such as https://id.example.com/realms/staff; http only on localhost",
  mostBytes: 1000,
  check(text: string): CheckedValue {
    if (text === "") return text;
    const url = typeof checkHttpUrl(text) === "string" && !/[?#]/.test(text) ? new URL(text) : null;
    const isSafe =
      url?.protocol === "https:" || /^(localhost|127\.[\d.]+|\[::1\])$/.test(url?.hostname ?? "");
    return isSafe ? text : null;
  },
};

export const scope = {
  items: "of scopes such as openid",
  check: (item: string): CheckedValue => (/^[!#-[\]-~]{1,128}$/.test(item) ? item : null),
};

export const claimName = {
  allowed: "empty or at most 200 characters of visible ASCII",
  check: (text: string): CheckedValue => (/^[!-~]{0,200}$/.test(text) ? text : null),
};

const NAME_BYTES = 256;

export const roleOfValue = {
  items: "of values and roles such as staff=editor",
  check(item: string): CheckedValue {
    const isPair = /=(user|editor|admin)$/.test(item) && !item.startsWith("=");
    return isPair && Buffer.byteLength(item) <= NAME_BYTES
      ? item
      : must("a list of values and roles such as staff=editor, where the role is user, editor or admin");
  },
};

export const mailDomain = {
  items: "of domain names such as example.com",
  check(item: string): CheckedValue {
    const domain = asciiLower(item);
    return domain.length <= 254 && DOMAIN.test(domain) && !domain.startsWith(".") ? domain : null;
  },
};

export const groupName = {
  items: "of names of groups",
  check: (item: string): CheckedValue =>
    Buffer.byteLength(item) <= NAME_BYTES
      ? item
      : must(`a list of names of groups, each at most ${NAME_BYTES} bytes`),
};

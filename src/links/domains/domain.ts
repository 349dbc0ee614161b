/** A host besides the default one: entity, input and view. */
import { hash } from "node:crypto";
import { z } from "zod";
import { createView } from "../../lib/case-names.ts";
import { appError } from "../../lib/errors.ts";
import { checkHttpUrl, HTTP_URL_MAX_BYTES } from "../../lib/http-url.ts";
import { namedObject } from "../../lib/named-object.ts";
import {
  checkDocuments,
  documentInput,
  MOST_DOCUMENTS,
  type WellKnownDocument,
} from "../../lib/well-known.ts";

/** Where a domain leads besides its links; each may be null. */
export type DomainUrls = {
  /** Where the root leads. */
  defaultUrl: string | null;
  /** Where unknown codes lead. */
  notFoundUrl: string | null;
  /** Target of expired links; without it they are as unknown ones. */
  expiredUrl: string | null;
};

export type Domain = DomainUrls & {
  id: number;
  /** Lower-case, Punycode. */
  host: string;
  /** Codes are compared without case, and stored in lower case. */
  ignoreCase: boolean;
  createdAt: number;
  updatedAt: number;
};

export type DocumentInfo = Pick<WellKnownDocument, "name" | "type"> & {
  /** Bytes of the text. */
  size: number;
  /** In hex. */
  sha256: string;
  /** Absent in lists. */
  text?: string;
};

export type OwnedDomain = Domain & {
  wellKnown: DocumentInfo[];
  /** An account or team, whose links alone it has then (lib/owner.ts); null: it is open to all who make links. */
  ownerId: number | null;
  /** Its name. */
  owner: string | null;
};

const url = (meaning: string) =>
  z.string().max(HTTP_URL_MAX_BYTES).nullish().describe(`${meaning}; none when empty or null`);

export const createDomainSchema = namedObject("NewDomain", {
  host: z.string().describe("host name, without scheme, port and path; stored in lower case and Punycode"),
  default_url: url("http or https URL to which the root leads"),
  not_found_url: url("http or https URL on another host, to which unknown codes lead instead of 404"),
  expired_url: url("http or https URL on another host, to which expired links lead; else as not_found_url"),
  ignore_case: z
    .boolean()
    .nullish()
    .describe("compare codes without case (A to Z) and store them in lower case; off when absent or null"),
  owner: z
    .string()
    .max(100)
    .nullish()
    .describe("account, or team:{name} whose editors alone make links on it; open to all when empty or null"),
  well_known: z
    .array(documentInput)
    .max(MOST_DOCUMENTS)
    .nullish()
    .describe("all documents that the host answers with at /.well-known/{name}, unless a link has that code"),
});
export type CreateDomainInput = z.output<typeof createDomainSchema>;

/** An absent field stays. */
export const updateDomainSchema = createDomainSchema.partial();
updateDomainSchema.register(z.globalRegistry, { id: "DomainUpdate" });
export type UpdateDomainInput = z.output<typeof updateDomainSchema>;

export const domainView = namedObject("Domain", {
  id: z.int(),
  host: z.string(),
  default_url: z.string().nullable(),
  not_found_url: z.string().nullable(),
  expired_url: z.string().nullable(),
  ignore_case: z.boolean().describe("codes are compared without case"),
  owner: z.string().nullable().describe("account, or team:{name}; null: it is open to all who make links"),
  well_known: z.array(
    namedObject("DomainDocument", {
      name: z.string(),
      type: z.string(),
      size: z.int().describe("bytes of the text"),
      sha256: z.string().describe("of the text, in hex"),
      text: z.string().optional().describe("absent in lists"),
    }),
  ),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export const viewDomain = createView(domainView);

/** Undefined if absent. @throws BadRequest */
export function parseWellKnown({ well_known: given }: UpdateDomainInput): DocumentInfo[] | undefined {
  if (given === undefined) return undefined;
  const checked = checkDocuments(given ?? []);
  if (Array.isArray(checked)) return checked.map(withDigest);
  const field = `well_known.${checked.at}.${checked.field}`;
  throw appError("BadRequest", `${field} ${checked.error}.`, { field });
}

const withDigest = (document: WellKnownDocument): DocumentInfo => ({
  ...document,
  size: Buffer.byteLength(document.text),
  sha256: hash("sha256", document.text),
});

type DomainFields = DomainUrls & Pick<Domain, "host" | "ignoreCase">;

/** The fields that are given, without the documents. @throws BadRequest */
export function parseDomainInput(input: UpdateDomainInput): Partial<DomainFields> {
  const parsed: Partial<DomainFields> = {};
  if (input.host !== undefined) parsed.host = parseHost(input.host);
  if (input.default_url !== undefined) parsed.defaultUrl = parseUrl("default_url", input.default_url);
  if (input.not_found_url !== undefined) parsed.notFoundUrl = parseUrl("not_found_url", input.not_found_url);
  if (input.expired_url !== undefined) parsed.expiredUrl = parseUrl("expired_url", input.expired_url);
  if (input.ignore_case !== undefined) parsed.ignoreCase = input.ignore_case ?? false;
  return parsed;
}

function parseHost(text: string): string {
  const host = checkHost(text);
  if (typeof host === "string") return host;
  throw appError("BadRequest", host.error, { field: "host" });
}

function parseUrl(name: string, text: string | null): string | null {
  if (text === null || text.trim() === "") return null;
  const checked = checkHttpUrl(text);
  if (typeof checked === "string") return checked;
  throw appError("BadRequest", `${name}: ${checked.error}`);
}

/** A loop that no visitor leaves. @throws BadRequest */
export function refuseLoops({
  host,
  defaultUrl,
  notFoundUrl,
  expiredUrl,
}: DomainUrls & { host: string }): void {
  const own = (text: string | null) => {
    const to = text === null ? null : URL.parse(text);
    return to?.hostname.replace(/\.$/, "") === host ? to : null;
  };
  if (own(defaultUrl)?.pathname === "/") throw loops("default_url", "to another page than the domain's root");
  if (own(notFoundUrl)) throw loops("not_found_url", "to another host");
  if (own(expiredUrl)) throw loops("expired_url", "to another host");
}

const loops = (name: string, where: string) =>
  appError("BadRequest", `${name} would lead to itself; let it lead ${where}.`);

const HOST_MAX_LENGTH = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const wrong = (error: string) => ({ error });

/** Lower-case and in Punycode, or `{error}`, a sentence. */
export function checkHost(text: string): string | { error: string } {
  const host = text.trim();
  if (host === "") return wrong("The host is empty; give a name such as go.example.com.");
  if (host.includes("://")) return wrong("Give the host alone, without a scheme such as https://.");
  if (/[/?#\\]/.test(host)) return wrong("Give the host alone, without a path.");
  if (host.includes("@")) return wrong("Give the host alone, without a user name.");
  if (/^\[|:.*:/.test(host)) return wrong(NO_ADDRESS);
  if (host.includes(":")) return wrong("Give the host without a port.");
  // The URL parser drops or decodes these.
  if (/[\s%\p{Cc}]/u.test(host)) return wrong(NOT_A_NAME);
  const name = URL.parse(`http://${host}`)?.hostname;
  if (name === undefined) return wrong(NOT_A_NAME);
  if (name.endsWith(".")) return wrong("Leave out the dot at the end of the host.");
  if (/^[\d.]+$/.test(name)) return wrong(NO_ADDRESS);
  if (name.length > HOST_MAX_LENGTH) return wrong(`A host has at most ${HOST_MAX_LENGTH} characters.`);
  return name.split(".").every((label) => LABEL.test(label)) ? name : wrong(NOT_A_NAME);
}

const NO_ADDRESS = "The host is an IP address; give a name such as go.example.com.";
const NOT_A_NAME = "The host is not a valid name; give one such as go.example.com.";

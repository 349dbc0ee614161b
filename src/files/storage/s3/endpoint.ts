/**
 * Refuses S3 endpoints at link-local addresses and cloud metadata services, which give credentials to local callers.
 * Private networks are allowed: S3 servers run there. The URL parser normalizes addresses. All addresses of a name are
 * checked before a connection; http, which has no certificate, connects to the checked one.
 */
import { lookup } from "node:dns/promises";
import { appError } from "../../../lib/errors.ts";
import { isInRange, isIpv4, parseIp, parseIpRange } from "../../../lib/ip-address.ts";
import { storageFailure } from "../storage-failure.ts";
import { sentenceOf } from "./failure.ts";

export type S3Endpoint = {
  protocol: "http:" | "https:";
  /** The host, with a port other than the scheme's default. */
  host: string;
  /** The name or address, without brackets. */
  hostname: string;
  port: string;
};

export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

const FORBIDDEN = [
  "169.254.0.0/16", // link-local; the metadata services of most clouds
  "fe80::/10",
  "100.100.100.200", // Alibaba
  "168.63.129.16", // Azure
  "192.0.0.192", // Oracle
  "fd00:ec2::/32", // AWS
  "fd20:ce::254", // Google
].map((text) => parseIpRange(text)!);

/** IPv6 ranges that contain an IPv4 address, and its bytes. RFC 6052 skips byte 8. */
const CARRIERS = (
  [
    ["::/96", [12, 13, 14, 15]],
    ["64:ff9b::/96", [12, 13, 14, 15]],
    ["64:ff9b:1::/48", [12, 13, 14, 15]],
    ["64:ff9b:1::/48", [9, 10, 11, 12]],
    ["64:ff9b:1::/48", [7, 9, 10, 11]],
    ["64:ff9b:1::/48", [6, 7, 9, 10]],
    ["2002::/16", [2, 3, 4, 5]],
  ] as const
).map(([text, at]) => ({ range: parseIpRange(text)!, at }));

/** IPv6 ranges for IPv4 addresses. Systems interpret them differently. */
const STAND_INS = [
  "::ffff:0:0:0/96", // translated (RFC 2765)
  "2001::/32", // Teredo
].map((text) => parseIpRange(text)!);

/** @throws BadRequest */
export function parseEndpoint(text: string): S3Endpoint {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || url.hostname === "") throw invalidEndpoint("is not a URL like https://s3.example.com");
  if (url.protocol !== "http:" && url.protocol !== "https:") throw invalidEndpoint("must be http or https");
  if (url.username !== "" || url.password !== "")
    throw invalidEndpoint("must not contain a user or password");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw invalidEndpoint("must end after the host; bucket and base_path have fields of their own");
  }
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
  refuseForbidden(hostname);
  return { protocol: url.protocol, host: url.host, hostname, port: url.port };
}

/** @throws BadRequest if any is forbidden, StorageUnavailable if there is none */
export async function checkedAddress(
  { hostname }: S3Endpoint,
  resolve: ResolveHost = resolveName,
): Promise<string> {
  if (parseIp(hostname) !== null) return hostname;
  const addresses = await resolve(hostname).catch((error: unknown) => {
    throw storageFailure(error, sentenceOf(0, "UnknownHost", null));
  });
  const [first] = addresses;
  if (first === undefined) throw storageFailure(null, sentenceOf(0, "UnknownHost", null));
  addresses.forEach(refuseForbidden);
  return first;
}

const resolveName: ResolveHost = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/** Names pass. @throws BadRequest */
function refuseForbidden(text: string): void {
  const address = parseIp(text);
  if (address === null) return;
  const carried = CARRIERS.filter(({ range }) => isInRange(address, range)).map(({ at }) =>
    mapped(at.map((index) => address[index]!)),
  );
  for (const one of [address, ...carried]) {
    if (FORBIDDEN.some((range) => isInRange(one, range))) {
      throw invalidEndpoint("is a link-local or cloud metadata address");
    }
  }
  const isMapped = text.includes(":") && isIpv4(address);
  if (isMapped || STAND_INS.some((range) => isInRange(address, range))) {
    throw invalidEndpoint("is an IPv4 address in the form of an IPv6 one; give the IPv4 address itself");
  }
}

/** An address in the form of lib/ip-address.ts. */
const mapped = (bytes: readonly number[]): Uint8Array =>
  Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...bytes]);

const invalidEndpoint = (reason: string) => appError("BadRequest", `endpoint: it ${reason}.`);

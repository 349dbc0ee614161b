/** A certificate signing request for one host (RFC 2986), with the host as subjectAltName and no other name. */
import { createPublicKey, type KeyObject, sign } from "node:crypto";

const [INTEGER, BIT_STRING, OCTET_STRING, OBJECT_ID, SEQUENCE, SET] = [0x02, 0x03, 0x04, 0x06, 0x30, 0x31];
const ATTRIBUTES = 0xa0;
const DNS_NAME = 0x82;

const object = (hex: string): Buffer => der(OBJECT_ID, Buffer.from(hex, "hex"));
/** 1.2.840.113549.1.9.14, 2.5.29.17 and 1.2.840.10045.4.3.2. */
const EXTENSION_REQUEST = "2a864886f70d01090e";
const ALTERNATIVE_NAMES = "551d11";
const ECDSA_WITH_SHA256 = "2a8648ce3d040302";

/** DER. `key`: on the curve P-256. */
export function signingRequest(host: string, key: KeyObject): Buffer {
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const names = der(SEQUENCE, der(DNS_NAME, Buffer.from(host, "ascii")));
  const extension = der(SEQUENCE, object(ALTERNATIVE_NAMES), der(OCTET_STRING, names));
  const extensions = der(SEQUENCE, object(EXTENSION_REQUEST), der(SET, der(SEQUENCE, extension)));
  const version = der(INTEGER, Buffer.from([0]));
  const content = der(SEQUENCE, version, der(SEQUENCE), publicKey, der(ATTRIBUTES, extensions));
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", content, key)]);
  return der(SEQUENCE, content, der(SEQUENCE, object(ECDSA_WITH_SHA256)), der(BIT_STRING, signature));
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/**
 * The signature at the end of a bundle: Ed25519 (RFC 8032) over the SHA-512 of all bytes before it. It is an empty gzip
 * member (RFC 1952) with an extra field, which `tar` and `gzip` skip. The key follows from the installation's secret key,
 * so all nodes sign alike.
 */
import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { appError } from "../../lib/errors.ts";

/** PKCS #8 of RFC 8410 before the 32 bytes of the private key, SubjectPublicKeyInfo before those of the public one. */
const PRIVATE_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Header with an extra field `W1` of 96 bytes; an empty deflate block, CRC and length. */
const HEAD = Buffer.from("1f8b08040000000000ff640057316000", "hex");
const TAIL = Buffer.from("03000000000000000000", "hex");
export const TRAILER_BYTES = HEAD.length + KEY_BYTES + SIGNATURE_BYTES + TAIL.length;

const signedText = (sha512: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from("waymark successor 1\n"), sha512]);

export type Signer = ReturnType<typeof createSigner>;

/** @param seed 32 bytes */
export function createSigner(seed: Uint8Array) {
  const der = Buffer.concat([PRIVATE_PREFIX, seed]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const raw = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(PUBLIC_PREFIX.length);
  return {
    /** As people compare it: base64url. */
    publicKey: raw.toString("base64url"),
    /** What follows bytes with this SHA-512. */
    trailer: (sha512: Uint8Array): Buffer =>
      Buffer.concat([HEAD, raw, sign(null, signedText(sha512), key), TAIL]),
  };
}

export type Signature = {
  publicKey: string;
  /** Of the bundle: differs for each. */
  id: string;
  /** Bytes before it. */
  size: number;
};

/** Reads the file once. @param key whose signature it must be. @throws BadRequest that says what is wrong */
export async function checkSignature(file: FileHandle, path: string, key?: string): Promise<Signature> {
  const stat = await file.stat();
  const { size } = stat;
  const trailer = Buffer.alloc(TRAILER_BYTES);
  const start = size - TRAILER_BYTES;
  if (stat.isFile() && start > 0) await file.read(trailer, 0, TRAILER_BYTES, start);
  const isWhole =
    trailer.subarray(0, HEAD.length).equals(HEAD) && trailer.subarray(-TAIL.length).equals(TAIL);
  if (!isWhole) {
    throw appError("BadRequest", `${path} is no whole successor bundle. It may be cut short; copy it again.`);
  }
  const raw = trailer.subarray(HEAD.length, HEAD.length + KEY_BYTES);
  const signature = trailer.subarray(HEAD.length + KEY_BYTES, -TAIL.length);
  const publicKey = raw.toString("base64url");
  if (key !== undefined && key !== publicKey) {
    throw appError("BadRequest", `${path} is signed by the key ${publicKey}, not by ${key}. Don't use it.`);
  }
  const hash = createHash("sha512");
  for await (const bytes of file.createReadStream({ start: 0, end: start - 1, autoClose: false })) {
    hash.update(bytes as Buffer);
  }
  const verifier = createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, raw]), format: "der", type: "spki" });
  if (!verify(null, signedText(hash.digest()), verifier, signature)) {
    throw appError(
      "BadRequest",
      `${path} was changed or damaged: its signature does not fit. Copy it again, or make a new bundle.`,
    );
  }
  return { publicKey, id: signature.toString("base64url"), size: start };
}

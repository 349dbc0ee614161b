/** Test support: another implementation of RFC 6238 and RFC 4648 than the program's. */
import { createHmac } from "node:crypto";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const STEP_MS = 30_000;

function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code of the secret at an instant, `steps` later. */
export function codeAt(base32: string, now: number, steps = 0, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / STEP_MS) + steps));
  const mac = createHmac("sha1", bytesOf(base32)).update(counter).digest();
  const value = mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff;
  return String(value % 10 ** digits).padStart(digits, "0");
}

/**
 * Random codes of `A-Z a-z 0-9`. Discards bytes from 248 on, so all 62 characters are equally likely. Codes grow by a
 * character after several collisions in a row, so the search ends.
 */
import { foundInChunks } from "./chunked.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const FAIR_BYTES = 256 - (256 % ALPHABET.length);
const ATTEMPTS_PER_LENGTH = 8;
const MOST_KEYS = 1000;

export type RandomBytes = (count: number) => Uint8Array;

const cryptoBytes: RandomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

export function randomCode(length: number, bytes: RandomBytes = cryptoBytes): string {
  let code = "";
  while (code.length < length) {
    for (const byte of bytes(length - code.length)) {
      if (byte < FAIR_BYTES) code += ALPHABET[byte % ALPHABET.length];
    }
  }
  return code;
}

export function* randomCodes(length: number, bytes: RandomBytes = cryptoBytes): Generator<string, never> {
  for (let attempt = 0; ; attempt++) {
    yield randomCode(Math.min(128, length + Math.floor(attempt / ATTEMPTS_PER_LENGTH)), bytes);
  }
}

type Choice<E> = {
  randomCodeLength(): number;
  randomBytes?: RandomBytes;
  keyFor(entry: E, code: string): string;
  mayTake(key: string): boolean;
  /** Which of at most 1,000 keys are taken. */
  taken(keys: readonly string[]): Promise<ReadonlySet<string>>;
};

/** A key for each entry. Entries with a collision try again together. */
export async function chooseCodes<E>(entries: readonly E[], choice: Choice<E>): Promise<Map<E, string>> {
  const { randomCodeLength, randomBytes, keyFor, mayTake, taken } = choice;
  const chosen = new Map<E, string>();
  const tried = new Set<string>();
  const sources = new Map(entries.map((entry) => [entry, randomCodes(randomCodeLength(), randomBytes)]));
  for (let open = [...entries]; open.length > 0; ) {
    for (const entry of open) {
      let key: string;
      do key = keyFor(entry, sources.get(entry)!.next().value);
      while (tried.has(key) || !mayTake(key));
      tried.add(key);
      chosen.set(entry, key);
    }
    const keys = open.map((entry) => chosen.get(entry)!);
    const found = new Set(await foundInChunks(keys, MOST_KEYS, taken));
    open = open.filter((entry) => found.has(chosen.get(entry)!));
  }
  return chosen;
}

/**
 * What a search looks for. Ignores case for ASCII; other letters match as given, in small letters, in capitals and
 * capitalised. The same on all databases.
 */
import { spellings } from "../../db/text-search.ts";

export type Needle = {
  readonly text: string;
  /** UTF-8, folded. A name has one of them. */
  readonly bytes: readonly Buffer[];
  isIn(name: string): boolean;
};

const CAPITALS = /[A-Z]+/g;

export function createNeedle(given: string): Needle {
  const text = given.normalize("NFC");
  const all = [...new Set(spellings(text).map(folded))];
  return {
    text,
    bytes: all.map((one) => Buffer.from(one)),
    isIn(name) {
      const within = folded(name);
      return all.some((one) => within.includes(one));
    },
  };
}

const folded = (text: string): string => text.replace(CAPITALS, (letters) => letters.toLowerCase());

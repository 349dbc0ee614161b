import { appError } from "../../lib/errors.ts";
import { domainOf } from "../link/key.ts";

export type SpelledDomains = {
  /** @throws BadRequest for an unknown domain */
  key(code: string, host: string | undefined): string;
  ignoresCaseOf(domain: number): boolean;
};

/**
 * The keys of a file's codes. Where a domain ignores case, two codes that differ by case only would be one link, so the
 * second one fails. A file may be read again.
 */
export function createSpellings({ key, ignoresCaseOf }: SpelledDomains) {
  const spellings = new Map<string, string>();
  return {
    /** @throws BadRequest for an unknown domain, LinkAlreadyExists for another spelling */
    keyOf(code: string, host: string | undefined): string {
      const stored = key(code, host);
      if (!ignoresCaseOf(domainOf(stored))) return stored;
      const first = spellings.get(stored) ?? code;
      if (first !== code) throw differByCase(first, code);
      spellings.set(stored, code);
      return stored;
    },
  };
}

const differByCase = (one: string, other: string) =>
  appError(
    "LinkAlreadyExists",
    `The codes "${one}" and "${other}" of the file differ by case only, which the domain ignores.`,
  );

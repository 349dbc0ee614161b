/** `/.well-known/{name}`: the documents of a domain, and of the default one, where no link has that code. */
import { documentHeaders, WELL_KNOWN, type WellKnownDocument } from "../lib/well-known.ts";
import { wholeResponse } from "../lib/whole-response.ts";
import type { RoutedDomain } from "../links/domains/registry.ts";
import { endOfPath } from "./path-code.ts";

type Deps = {
  /** The setting of the default domain. */
  setting(): string;
  /** A document of another domain; null if it is gone. */
  find(domainId: number, name: string): Promise<WellKnownDocument | null>;
};

const PATH = `/${WELL_KNOWN}`;

export type WellKnown = ReturnType<typeof createWellKnown>;

export function createWellKnown({ setting, find }: Deps) {
  let known = { text: "", documents: new Map<string, WellKnownDocument>() };

  function ofDefault(): Map<string, WellKnownDocument> {
    const text = setting();
    if (text !== known.text) {
      const documents = JSON.parse(text) as WellKnownDocument[];
      known = { text, documents: new Map(documents.map((document) => [document.name, document])) };
    }
    return known.documents;
  }

  return {
    /** Null without such a document. Rejects if the database fails. */
    at(path: string, domain: RoutedDomain | undefined): Response | Promise<Response | null> | null {
      // Quick, because scanners ask for thousands of unknown codes.
      if (path[1] !== "." || !path.startsWith(PATH)) return null;
      const name = path.slice(PATH.length, endOfPath(path));
      if (domain === undefined) return respond(ofDefault().get(name) ?? null);
      return domain.documents.has(name) ? find(domain.id, name).then(respond) : null;
    },
  };
}

const respond = (document: WellKnownDocument | null): Response | null =>
  document && wholeResponse(document.text, { headers: documentHeaders(document.type) });

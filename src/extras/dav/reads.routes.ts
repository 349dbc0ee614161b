import { streamResponse } from "../../platform/http/stream-pages.ts";
import { appError } from "../../lib/errors.ts";
import { downloadOf } from "../../files/tree/download.routes.ts";
import { type DavRead, headerOf, XML_TYPE, xmlBody } from "./asking.routes.ts";
import { there } from "./checks.ts";
import { entriesAbove, entriesAt } from "./listing.ts";
import { readWanted } from "./properties.ts";
import { davStart } from "./xml.ts";

export const get: DavRead = async ({ spotOf, download, logger }, { c, place }) => {
  const entry = place === null ? null : there((await spotOf(place)).entry);
  if (entry?.kind !== "file") return new Response("A folder for WebDAV clients.\n");
  return download(entry, { ...downloadOf(c, logger), inline: false, isRelayed: true });
};

export const propfind: DavRead = async (deps, { c, caller, names, place }) => {
  const { prefix, logger, trees } = deps;
  const depth = headerOf(c, "Depth", "infinity", "1", "0");
  const wanted = readWanted(await xmlBody(deps, c));
  const entry = place === null ? null : there((await deps.spotOf(place)).entry);
  if (depth === "infinity" && entry?.kind !== "file") {
    throw appError("Forbidden", "Ask with Depth: 0 or 1.", {
      details: { status: 403, dav: { condition: "propfind-finite-depth" } },
    });
  }
  const isDeep = depth === "1";
  const entries =
    place === null
      ? entriesAbove(trees.nameOfOwner, { prefix, names, teams: caller.teams }, { wanted, isDeep })
      : entriesAt(deps, place, { entry: entry!, wanted, isDeep });
  const pages = documentOf(entries);
  const body = isDeep
    ? await streamResponse(c, pages, { logger, failure: "a list of files was cut off" })
    : (await Array.fromAsync(pages)).join("");
  return new Response(body, { status: 207, headers: { "Content-Type": XML_TYPE } });
};

/** The first page has the first response, so that earlier errors get a proper answer. */
async function* documentOf(responses: AsyncIterable<string>): AsyncGenerator<string, void> {
  let start = davStart("multistatus");
  for await (const some of responses) {
    yield start + some;
    start = "";
  }
  yield "</D:multistatus>\n";
}

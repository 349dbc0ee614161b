import { streamAnswer } from "../../http/stream-pages.ts";
import { appError } from "../../lib/errors.ts";
import { downloadOf } from "../tree/download.routes.ts";
import { type DavMethod, entryAt, XML_TYPE, xmlBody } from "./asking.routes.ts";
import { pagesOf } from "./listing.ts";
import { readWanted } from "./properties.ts";
import { readDepth } from "./requests.ts";

export const get: DavMethod = async (deps, { c, place }) => {
  const entry = await entryAt(deps, place);
  if (entry.kind === "folder") return new Response("A folder for WebDAV clients.\n");
  return deps.download(entry, { ...downloadOf(c, deps.logger), inline: false, isRelayed: true });
};

export const propfind: DavMethod = async (deps, { c, caller, names, place }) => {
  const depth = readDepth(c.req.header("Depth"));
  const wanted = readWanted(await xmlBody(deps, c));
  const entry = await entryAt(deps, place);
  if (depth === "infinity" && entry.kind === "folder") {
    throw appError("Forbidden", "Ask with Depth: 0 or 1.", {
      details: { status: 403, dav: { condition: "propfind-finite-depth" } },
    });
  }
  const isDeep = depth === "1" && entry.kind === "folder";
  const { prefix, logger } = deps;
  const pages = pagesOf(deps.listing, {
    prefix,
    names,
    place,
    entry,
    wanted,
    isDeep,
    teams: caller.teams,
  });
  const body = isDeep
    ? await streamAnswer(c, pages, { logger, failure: "a list of files was cut off" })
    : (await Array.fromAsync(pages)).join("");
  return new Response(body, { status: 207, headers: { "Content-Type": XML_TYPE } });
};

import { bodyChunks } from "../../http/body-chunks.ts";
import { appError } from "../../lib/errors.ts";
import { escapeXml } from "../../lib/escape-xml.ts";
import {
  type DavAsk,
  type DavDeps,
  type DavMethod,
  davPlaceOf,
  xmlAnswer,
  xmlBody,
} from "./asking.routes.ts";
import { type DavChange, holderOf } from "./checks.ts";
import { readIf } from "./if-header.ts";
import type { DavLock } from "./locks.ts";
import { type DavPlace, hrefOf, namesIn, pathOf } from "./places.ts";
import { activeLock, etagOf, isLive, propstat, readChanges } from "./properties.ts";
import type { DavTarget } from "./relocations.ts";
import { readAddress, readDepth, readLock, readOverwrite, readTimeout } from "./requests.ts";
import { emptyXml } from "./xml.ts";

const STALL_MS = 60_000;

const done = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(null, { status, headers });

function changeOf({ prefix }: DavDeps, { c, caller, place }: DavAsk): DavChange {
  const { top, tree } = place!;
  return {
    place: place!,
    callerId: caller.id,
    header: (name) => c.req.header(name),
    conditions: readIf(c.req.header("If")),
    placeOf(resource) {
      const names = namesIn(readAddress(resource, "If"), prefix);
      const isHere = names !== null && top.every((name, at) => names[at] === name);
      return isHere ? { tree, top, names: names.slice(top.length) } : null;
    },
  };
}

export const put: DavMethod = async (deps, ask) => {
  const { c, place } = ask;
  if (place!.names.length === 0) throw appError("MethodNotAllowed", "A folder has no content.");
  if (c.req.header("Content-Range") !== undefined) {
    throw appError("BadRequest", "Send the whole content, without Content-Range.");
  }
  c.env.liftIdleTimeout();
  const { file, isNew } = await deps.writes.put(changeOf(deps, ask), {
    mimeType: c.req.header("Content-Type")?.replace(/;.*/s, "").trim().toLowerCase(),
    length: Number(c.req.header("Content-Length") ?? 0),
    body: (readQueue) => bodyChunks(c.req.raw, { stallMs: STALL_MS, readQueue }),
  });
  return done(isNew ? 201 : 204, { ETag: etagOf(file)! });
};

export const makeFolder: DavMethod = async (deps, ask) => {
  const { headers } = ask.c.req.raw;
  if (Number(headers.get("Content-Length") ?? 0) > 0 || headers.has("Transfer-Encoding")) {
    throw appError("BadRequest", "MKCOL takes no body.", { details: { status: 415 } });
  }
  if (ask.place!.names.length === 0) throw appError("MethodNotAllowed", "There is a folder already.");
  await deps.writes.makeFolder(changeOf(deps, ask));
  return done(201);
};

export const remove: DavMethod = async (deps, ask) => {
  await deps.writes.remove(changeOf(deps, ask));
  return done(204);
};

async function targetOf(deps: DavDeps, { c, caller }: DavAsk): Promise<DavTarget> {
  const names = namesIn(readAddress(c.req.header("Destination"), "Destination"), deps.prefix);
  const place = names && (await davPlaceOf(deps, caller, names, false));
  const isDeep = readDepth(c.req.header("Depth")) !== "0";
  if (place) return { place, mayReplace: readOverwrite(c.req.header("Overwrite")), isDeep };
  throw appError("Forbidden", "The header Destination must lead into your files or those of a team.", {
    details: { status: names === null ? 502 : 403 },
  });
}

const relocation =
  (kind: "copy" | "move"): DavMethod =>
  async (deps, ask) => {
    const isNew = await deps.writes[kind](changeOf(deps, ask), await targetOf(deps, ask));
    return done(isNew ? 201 : 204);
  };
export const copy = relocation("copy");
export const move = relocation("move");

export const proppatch: DavMethod = async (deps, ask) => {
  const changes = readChanges(await xmlBody(deps, ask.c));
  const entry = await deps.writes.patch(changeOf(deps, ask), changes);
  const areFree = changes.every((change) => !isLive(change));
  const stats = changes.map((change) => {
    const name = emptyXml(change);
    if (entry !== null) return propstat(name, "200 OK");
    if (!isLive(change) && !areFree) return propstat(name, "424 Failed Dependency");
    return propstat(name, "403 Forbidden", "<D:error><D:cannot-modify-protected-property/></D:error>");
  });
  const href = escapeXml(hrefOf(deps.prefix, ask.names, entry?.kind === "folder"));
  return xmlAnswer(
    `<D:multistatus xmlns:D="DAV:"><D:response><D:href>${href}</D:href>${stats.join("")}</D:response></D:multistatus>`,
  );
};

export const lock: DavMethod = async (deps, ask) => {
  const place = ask.place!;
  const seconds = readTimeout(ask.c.req.header("Timeout"));
  const body = await xmlBody(deps, ask.c);
  const change = changeOf(deps, ask);
  if (body === null) {
    const kept = await deps.tree.change(place.tree, ({ db }) =>
      deps.locks.refresh(db, place.tree, pathOf(place), holderOf(change), seconds),
    );
    return lockAnswer(deps, place, kept, 200);
  }
  const wanted = { ...readLock(body, ask.c.req.header("Depth")), seconds };
  const where = { path: pathOf(place), holderId: ask.caller.id };
  const { lock: taken, isNew } = await deps.writes.lock(change, { ...wanted, ...where });
  return lockAnswer(deps, place, taken, isNew ? 201 : 200);
};

function lockAnswer({ prefix, clock }: DavDeps, { top }: DavPlace, taken: DavLock, status: number): Response {
  const path = taken.path === "" ? [] : taken.path.split("/");
  const active = activeLock(taken, hrefOf(prefix, [...top, ...path], false), clock.now());
  const text = `<D:prop xmlns:D="DAV:"><D:lockdiscovery>${active}</D:lockdiscovery></D:prop>`;
  return xmlAnswer(text, status, { "Lock-Token": `<${taken.token}>` });
}

export const unlock: DavMethod = async (deps, { c, caller, place }) => {
  const token = /^<([^<>]{1,200})>$/.exec(c.req.header("Lock-Token")?.trim() ?? "")?.[1];
  if (token === undefined) throw appError("BadRequest", "Send the token of the lock in Lock-Token.");
  const { tree } = place!;
  await deps.tree.change(tree, ({ db }) => deps.locks.release(db, tree, pathOf(place!), caller.id, token));
  return done(204);
};

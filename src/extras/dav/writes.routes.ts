import { bodyChunks } from "../../platform/http/body-chunks.ts";
import { actorOf, type Caller } from "../../platform/http/endpoint.ts";
import { appError } from "../../lib/errors.ts";
import { bareMediaType } from "../../lib/bare-media-type.ts";
import { readModifiedAt } from "../../lib/modified-at.ts";
import type { DiskStep } from "../../files/tree/account-tree.ts";
import { type Entry, isMirrored, shownParent, takesUploads, validatorsOf } from "../../files/tree/entry.ts";
import type { ReadQueue } from "../../files/blobs/read-queue.ts";
import { overwriting, refuseContentRange } from "../../files/uploads/service.ts";
import { type DavDeps, type DavWrite, headerOf, davPlaceOf, xmlResponse, xmlBody } from "./asking.routes.ts";
import { type DavChange, existing, failed, type DavPlan, there } from "./checks.ts";
import { type DavLock, requireTokens } from "./locks.ts";
import { hrefOf, isBelow, namesIn, pathOf, readAddress } from "./places.ts";
import {
  activeLock,
  changed,
  changedTime,
  isProtected,
  type PropertyChange,
  propstat,
  readChanges,
  responseOf,
} from "./properties.ts";
import { davChild, type XmlElement } from "./xml.ts";

const STALL_MS = 60_000;
const MOST_LOCK_SECONDS = 3600;
const DEFAULT_LOCK_SECONDS = 600;
const MOST_OWNER_CHARACTERS = 1_024;

type Body = (readQueue: ReadQueue) => AsyncIterable<Uint8Array>;

const done = (status: number, headers = {}): Response => new Response(null, { status, headers });
const notHere = (message: string) => appError("MethodNotAllowed", message);

export const put: DavWrite = async (deps, ask) => {
  const { c, header } = ask;
  refuseContentRange(header("Content-Range"));
  const modifiedAt = readModifiedAt("X-OC-Mtime", header("X-OC-Mtime"));
  c.env.liftIdleTimeout();
  const body: Body = (readQueue) => bodyChunks(c.req.raw, { stallMs: STALL_MS, readQueue });
  const { file, isNew } = await putContent(deps, ask, { body, modifiedAt });
  const times = modifiedAt !== undefined && { "X-OC-Mtime": "accepted" };
  return done(isNew ? 201 : 204, { ETag: validatorsOf(file).etag, ...times });
};

/** Replaces the content of a file. */
async function putContent(
  { checked, uploads, files }: DavDeps,
  ask: DavChange & { caller: Caller },
  { body, modifiedAt }: { body: Body; modifiedAt?: number | undefined },
  plan?: DavPlan,
) {
  const { tree: accountId, names } = ask.place;
  const { entry, parentId, finish } = await checked(ask, "self", plan);
  if (entry?.kind === "folder") throw notHere("A folder has no content.");
  const parent = existing(parentId);
  const destination = overwriting(await uploads.destination(accountId, shownParent(parent)), entry);
  uploads.checkSize(destination, Number(ask.header("Content-Length") ?? 0));
  const { name, mimeType, stored } = await uploads.receive(destination, {
    name: names.at(-1)!,
    mimeType: bareMediaType(ask.header("Content-Type")),
    body: body(uploads.readQueueAt(destination)),
    isNumbered: true,
  });
  const createdBy = actorOf(ask.caller).name;
  const file = { accountId, parentId: parent, name, mimeType, modifiedAt, createdBy };
  return finish(() => files.put(file, stored));
}

export const makeFolder: DavWrite = async ({ checked, folders }, ask) => {
  const { headers } = ask.c.req.raw;
  if (Number(headers.get("Content-Length") ?? 0) > 0 || headers.has("Transfer-Encoding")) {
    throw appError("BadRequest", "MKCOL takes no body.", { details: { status: 415 } });
  }
  const { entry, parentId, finish } = await checked(ask, "member");
  if (entry !== null) throw notHere("There is something of this name already.");
  const given = { name: ask.place.names.at(-1)!, parentId: shownParent(existing(parentId)) };
  await finish(() => folders.create(ask.place.tree, given));
  return done(201);
};

/** Into the trash. */
export const remove: DavWrite = async ({ checked, locks, trash }, ask) => {
  const { tree } = ask.place;
  const { entry, finish } = await checked(ask, "tree", (tx) => locks.removeIn(tx, tree, pathOf(ask.place)));
  const { id, kind } = there(entry);
  await finish(() => trash.put(tree, { kind, id }));
  return done(204);
};

/** A file at the destination gets the content of another file. Else what is there goes into the trash. */
const relocation =
  (method: "copy" | "move"): DavWrite =>
  async (deps, ask) => {
    const { locks, trash, spotOf, overwriting: onto, properties, logger } = deps;
    const isMove = method === "move";
    const { tree } = ask.place;
    const to = await destinationOf(deps, ask);
    const [from, into] = [pathOf(ask.place), pathOf(to)];
    const isReplacing = headerOf(ask.c, "Overwrite", "T", "F") === "T";
    const isDeep = headerOf(ask.c, "Depth", "infinity", "0") === "infinity";
    let targetId: number | null = null;
    let undo: DiskStep | null = null;
    /** Gives what was at the destination its place on the server again. */
    const putBack = async () => {
      const step = undo;
      undo = null;
      await step?.().catch((err: unknown) => {
        logger.warn({ err, path: into }, "a file of a linked folder stays in the trash of its disk");
      });
    };
    const overwrite = async (tx: Parameters<DavPlan>[0], target: Entry | null) => {
      const { entry: current } = await spotOf(ask.place, tx);
      if (target?.id !== targetId || !(await onto.isFor(current, target, isMove, tx))) {
        throw failed("Another client has changed one of the two files meanwhile. Try again.");
      }
      const dead = (await properties.of([current!.id], tx)).get(current!.id) ?? [];
      await properties.set(tx, new Map([[target!.id, dead]]));
    };
    const clear: DavPlan = async (tx) => {
      await putBack();
      const { entry } = await spotOf(to, tx);
      if (entry !== null && !isReplacing) {
        throw failed("There is something at the destination, and Overwrite is F.");
      }
      requireTokens(await locks.of(tree, tx), into, entry === null ? "member" : "tree", ask);
      if (targetId !== null) await overwrite(tx, entry);
      else if (entry !== null) {
        if (isMirrored(entry) && !(isMove && isMirrored(there(source)))) throw takesUploads();
        undo = await trash.putIn(tx, entry);
      }
      if (isMove) await locks.removeIn(tx, tree, from);
    };
    const { entry: source, finish } = await deps.checked(ask, isMove ? "tree" : "none", clear);
    const { id, kind } = there(source);
    const former = await spotOf(to);
    if (await onto.isFor(source, former.entry, isMove)) targetId = former.entry!.id;
    const [parentId, name] = [shownParent(existing(former.parentId)), to.names.at(-1)!];
    await finish<unknown>(() => {
      const actor = actorOf(ask.caller);
      if (targetId !== null) return onto.put(tree, { id, targetId, isMove }, actor);
      if (!isMove) return deps.copies.copy(tree, { kind, id, parentId, name, isDeep }, actor);
      if (kind === "file") return deps.files.update(tree, id, { name, folderId: parentId });
      return deps.folders.update(tree, id, { name, parentId });
    }, putBack);
    return done(former.entry === null ? 201 : 204);
  };
export const copy = relocation("copy");
export const move = relocation("move");

async function destinationOf(deps: DavDeps, { c, caller, place, header }: Parameters<DavWrite>[1]) {
  const path = readAddress(header("Destination"), "Destination");
  // Some proxies take their path off this header.
  const names = namesIn(path, deps.prefix) ?? namesIn(c.env.prefix() + path, deps.prefix);
  const to = names && (await davPlaceOf(deps, caller, names, false));
  if (to?.tree !== place.tree) {
    const message = "Move and copy within your files or within those of a team. Else download and upload.";
    throw appError("Forbidden", message, { details: { status: names === null ? 502 : 403 } });
  }
  if (pathOf(to) === pathOf(place) || isBelow(pathOf(place), pathOf(to))) {
    throw appError("Forbidden", "The destination is the source, or holds it.");
  }
  return to;
}

/** All changes or none. */
export const proppatch: DavWrite = async (deps, ask) => {
  const { tree } = ask.place;
  const changes = readChanges(await xmlBody(deps, ask.c));
  const keep: DavPlan = async (db) => {
    const dead = (await deps.properties.of([id], db)).get(id) ?? [];
    await deps.properties.set(db, new Map([[id, changed(dead, changes)]]));
  };
  const { entry, finish } = await deps.checked(ask, "self", keep);
  const { id, kind } = there(entry);
  const isRefused = (change: PropertyChange) => isProtected(change, kind);
  const isAllowed = !changes.some(isRefused);
  if (isAllowed) {
    const modifiedAt = changedTime(changes);
    await finish<unknown>(() => {
      if (modifiedAt !== undefined) return deps.files.update(tree, id, { modifiedAt });
      return deps.tree.change(tree, async () => {});
    });
  }
  const stats = changes.map((change) => {
    if (isAllowed) return propstat(change.name, "200 OK");
    if (!isRefused(change)) return propstat(change.name, "424 Failed Dependency");
    return propstat(change.name, "403 Forbidden", "<D:error><D:cannot-modify-protected-property/></D:error>");
  });
  const href = hrefOf(ask.place.root, pathOf(ask.place), kind);
  return xmlResponse("multistatus", responseOf(href, stats.join("")), 207);
};

/** Without a body it refreshes a lock. An address that is free gets an empty file. */
export const lock: DavWrite = async (deps, ask) => {
  const { tree, locks, clock, spotOf } = deps;
  const { tree: accountId, root } = ask.place;
  const [path, holderId, now] = [pathOf(ask.place), ask.callerId, clock.now()];
  const seconds = /second-(\d{1,10})/i.exec(ask.header("Timeout") ?? "")?.[1] ?? DEFAULT_LOCK_SECONDS;
  const expiresAt = now + Math.min(Math.max(Number(seconds), 1), MOST_LOCK_SECONDS) * 1000;
  const lockResponse = (held: DavLock, status: number) => {
    const content = `<D:lockdiscovery>${activeLock(held, root, now)}</D:lockdiscovery>`;
    return xmlResponse("prop", content, status, { "Lock-Token": `<${held.token}>` });
  };
  const body = await xmlBody(deps, ask.c);
  if (body === null) {
    const held = await tree.change(accountId, ({ db }) => locks.extend(db, accountId, path, ask, expiresAt));
    if (held === null) throw failed("The header If names no lock of yours on this address.");
    return lockResponse(held, 200);
  }
  const isDeep = headerOf(ask.c, "Depth", "infinity", "0") === "infinity";
  const requested = { ...readLock(body), isDeep, path, holderId, expiresAt };
  let held!: DavLock;
  const take: DavPlan = async (tx) => (held = await locks.take(tx, accountId, requested));
  const isNew = (await spotOf(ask.place)).entry === null;
  if (isNew) {
    // Other headers say what the request holds. The address must still be free when the file comes.
    const header = (name: string) => (name === "If-None-Match" ? "*" : undefined);
    await putContent(deps, { ...ask, header }, { body: async function* () {} }, take);
  } else {
    const { finish } = await deps.checked(ask, "none");
    await finish(() => tree.change(accountId, ({ db }) => take(db)));
  }
  return lockResponse(held, isNew ? 201 : 200);
};

/** @throws BadRequest */
function readLock(body: XmlElement) {
  const scope = davChild(body, "lockscope");
  const isShared = davChild(scope, "shared") !== undefined;
  const owner = davChild(body, "owner")?.content ?? "";
  if (
    body.name !== "<D:lockinfo/>" ||
    !(isShared || davChild(scope, "exclusive")) ||
    owner.length > MOST_OWNER_CHARACTERS
  ) {
    throw appError("BadRequest", "Send a lockinfo with a lockscope, and a short owner.");
  }
  return { isShared, owner: owner && `<D:owner>${owner}</D:owner>` };
}

export const unlock: DavWrite = async ({ tree, locks }, ask) => {
  const { place, callerId } = ask;
  const tokens = new Set([ask.header("Lock-Token")?.trim().slice(1, -1) ?? ""]);
  const released = await tree.change(place.tree, ({ db }) =>
    locks.extend(db, place.tree, pathOf(place), { callerId, tokens }, null),
  );
  if (released !== null) return done(204);
  throw appError("Conflict", "The header Lock-Token names no lock of yours on this address.");
};

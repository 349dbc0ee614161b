/** Resumable uploads (tus 1.0.0) at the code of a drop box: `POST /{code}`, then `?upload=` with the id. */
import type { BodyMemory, BodyReservation } from "../../platform/http/body-memory.ts";
import { watchBytes } from "../watch-bytes.ts";
import { appError } from "../../lib/errors.ts";
import type { Policy } from "../policies/policy.ts";
import { TUS_VERSION, UPLOAD_ID } from "../uploads/tus-protocol.ts";
import { queryOf } from "../shares/share-query.ts";
import {
  checkVersion,
  emptyResponse,
  featuresOf,
  offsetOf,
  readChunk,
  readCreation,
  readFirstChunk,
  stateOf,
  takeFirst,
} from "../uploads/tus-request.routes.ts";
import type { DropVisitor } from "../uploads/drop-upload.ts";
import type { Resumable, Upload, UploadChunk } from "../uploads/tus.service.ts";
import { dropRefusal, incomingName, type OpenDrop, roomIn, senderIn } from "./drop.ts";
import { mostIn, type InFlight } from "./gate.ts";
import type { Senders } from "./sender.ts";

type Deps = { resumable: Resumable; senders: Senders; inFlight: InFlight; bodies: BodyMemory };

type At = {
  box: OpenDrop;
  policy: Policy;
  request: Request;
  /** The client's address. */
  address: string;
  liftIdleTimeout(): void;
};

export type DropTus = ReturnType<typeof createDropTus>;

/** What a request does. X-HTTP-Method-Override is for clients without other methods. */
export function tusMethodOf({ method, headers }: Request): string {
  return method === "POST" ? (headers.get("x-http-method-override")?.toUpperCase() ?? method) : method;
}

/** The parameter `upload`; null without one. */
export const uploadOf = (url: string): string | null => queryOf(url).get("upload");

export function createDropTus({ resumable, senders, inFlight, bodies }: Deps) {
  async function create(at: At): Promise<Response> {
    const { box, request, address } = at;
    const { fields, ...upload } = readCreation(request.headers);
    const { name, path } = incomingName(box, upload.name, upload.mimeType);
    const from = senderIn(box, fields);
    const { id: sender, cookie } = senders.of(box, request);
    const read = (reservation: BodyReservation) => readFirstChunk(request, upload.size, reservation);
    const begun = await resumable.create(box.accountId, {
      ...upload,
      name,
      folderId: box.folderId,
      drop: {
        linkId: box.linkId,
        sender,
        path,
        ...from,
        address: senders.addressOf(box.linkId, address),
      },
    });
    const { id } = begun.upload;
    const visitor = { ...visitorOf(at), sender };
    const state =
      upload.size === 0
        ? begun.upload
        : await takeFirst(
            async () => (await append(at, id, visitor, read)) ?? begun.upload,
            () => resumable.terminate(box.accountId, id, visitor),
          );
    return emptyResponse(201, {
      Location: `/${box.code}?upload=${id}`,
      ...stateOf(state),
      ...(cookie !== null && { "Set-Cookie": cookie }),
    });
  }

  /** Its bytes take room of the box as they come. Null if there are none to read. */
  async function append(
    { box, liftIdleTimeout }: At,
    id: string,
    visitor: DropVisitor,
    read: (reservation: BodyReservation) => UploadChunk | null,
  ): Promise<Upload | null> {
    const reservation = bodies.enter();
    const flight = inFlight.enter({ linkId: box.linkId, maxBytes: roomIn(box) }, visitor.sender ?? id);
    try {
      const given = read(reservation);
      if (given === null) return null;
      const { body, ...chunk } = given;
      const { bytes, areOwn } = await resumable.heldInDrop(box.accountId, box.linkId, id);
      if (bytes + (chunk.length ?? 1) > roomIn(box)) throw dropRefusal(areOwn ? "room" : "busy");
      liftIdleTimeout();
      const counted: UploadChunk = { ...chunk, body: (queue) => watchBytes(body(queue), flight.add) };
      return (await resumable.append(box.accountId, id, counted, visitor)).upload;
    } finally {
      flight.leave();
      reservation.leave();
    }
  }

  const visitorOf = ({ box, policy, request }: At): DropVisitor => ({
    linkId: box.linkId,
    sender: senders.known(box.linkId, request.headers.get("cookie")),
    most: mostIn(box, policy),
  });

  async function respond(at: At): Promise<Response> {
    const { box, policy, request } = at;
    const method = tusMethodOf(request);
    if (method === "OPTIONS") return emptyResponse(204, featuresOf(mostIn(box, policy)));
    checkVersion(request.headers);
    const id = uploadOf(request.url);
    if (method === "POST" && id === null) return create(at);
    if (id === null || !UPLOAD_ID.test(id)) throw appError("FileNotFound", "There is no such upload.");
    const visitor = visitorOf(at);
    if (method === "HEAD") {
      return emptyResponse(200, offsetOf(await resumable.find(box.accountId, id, visitor)));
    }
    if (method === "PATCH") {
      const upload = await append(at, id, visitor, (reservation) => readChunk(request, reservation));
      return emptyResponse(204, stateOf(upload!));
    }
    if (method !== "DELETE") throw appError("BadRequest", "Send PATCH or DELETE to an upload.");
    await resumable.terminate(box.accountId, id, visitor);
    return emptyResponse(204, {});
  }

  /** With the version, even on failure: see `withVersion`. */
  return async (at: At): Promise<Response> => withVersion(await respond(at));
}

export function withVersion(response: Response): Response {
  response.headers.set("Tus-Resumable", TUS_VERSION);
  if (response.status === 412) response.headers.set("Tus-Version", TUS_VERSION);
  response.headers.set("Cache-Control", "no-store");
  return response;
}

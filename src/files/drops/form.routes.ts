/** A form with files for a drop box: all become files, or none. */
import type { BodyReservation } from "../../platform/http/body-memory.ts";
import { MAX_BYTES_BESIDE_FILE, readMultipart } from "../../platform/http/multipart.ts";
import { createBatches } from "../../lib/batches.ts";
import { watchBytes } from "../watch-bytes.ts";
import { appError } from "../../lib/errors.ts";
import { readModifiedAt } from "../../lib/modified-at.ts";
import type { StoredFile } from "../tree/entry.ts";
import type { Files } from "../tree/files.service.ts";
import type { DropGate, DropSender } from "../uploads/drop-upload.ts";
import type { ReceivedFile, Uploads } from "../uploads/service.ts";
import { dropRefusal, incomingName, type OpenDrop, roomIn, senderIn, type SentFile } from "./drop.ts";
import type { InFlight } from "./gate.ts";
import type { Drops } from "./service.ts";

/** Longest silence of a client. */
const STALL_MS = 60_000;
const MOST_FILES = 100;

type Deps = {
  drops: Pick<Drops, "find">;
  uploads: Pick<Uploads, "destination" | "receive" | "readQueueAt">;
  files: Pick<Files, "addAll">;
  gate: Pick<DropGate, "receive">;
  inFlight: InFlight;
};

export type ReceiveForm = ReturnType<typeof createFormReceiving>;

export function createFormReceiving({ drops, uploads, files, gate, inFlight }: Deps) {
  /** One form of a box at a time, so that forms wait here and not for the account's lock. */
  const inTurn = createBatches<number, () => Promise<SentFile[]>, SentFile[]>({
    most: 1,
    run: async ([store]) => [{ status: "fulfilled", value: await store!() }],
  });

  async function keep(
    box: OpenDrop,
    { modifiedAt, ...from }: Omit<DropSender, "linkId"> & { modifiedAt: number | undefined },
    received: SentPart[],
  ) {
    const now = await drops.find(box.linkId);
    if (now === null) throw dropRefusal("ended");
    checkPlaces(now, received.length);
    if (received.reduce((sum, { stored }) => sum + stored.size, 0) > roomIn(now)) throw dropRefusal("room");
    const { linkId, accountId } = box;
    const whole = received.splice(0);
    const added = await files.addAll(
      accountId,
      whole.map(({ destination: { parentId }, name, path, mimeType, stored }) => ({
        file: { accountId, parentId, name, mimeType, modifiedAt, isNumbered: true },
        stored,
        ...gate.receive({ ...from, linkId, folderId: parentId, name, path }),
      })),
    );
    return added.map((file, at) => sentFile(whole[at]!, file));
  }

  /** @throws the refusals of the box, those of Uploads.receive, InvalidMultipartData. Then nothing stays. */
  return async function receiveForm(
    box: OpenDrop,
    sender: string,
    { request, reservation }: { request: Request; reservation: BodyReservation },
  ): Promise<SentFile[]> {
    checkAnnounced(box, Number(request.headers.get("content-length") ?? 0) - MAX_BYTES_BESIDE_FILE);
    const destination = await uploads.destination(box.accountId, box.folderId);
    const flight = inFlight.enter(box, sender);
    const received: SentPart[] = [];
    let room = roomIn(box);
    const counted = (body: AsyncIterable<Buffer>) => {
      let left = box.maxFileSize ?? Number.POSITIVE_INFINITY;
      return watchBytes(body, (bytes) => {
        left -= bytes;
        if (left < 0) throw dropRefusal("size");
        if (bytes > room) throw dropRefusal("room");
        flight.add(bytes);
        room -= bytes;
      });
    };
    try {
      const { fields } = await readMultipart(request, {
        stallMs: STALL_MS,
        mostFiles: MOST_FILES,
        readQueue: uploads.readQueueAt(destination),
        reservation,
        async onFile(part) {
          if (part.filename === "") return expectNothing(part.body);
          checkPlaces(box, received.length + 1);
          const { name, path } = incomingName(box, part.filename ?? "", part.mimeType);
          const file = { name, mimeType: part.mimeType, body: counted(part.body), isNumbered: true };
          received.push({ ...(await uploads.receive(destination, file)), path });
        },
      });
      if (received.length === 0) {
        throw appError("InvalidMultipartData", "The form has no file; send one, with its filename.");
      }
      const modifiedAt = readModifiedAt("modified_at", fields.get("modified_at"));
      const from = { sender, modifiedAt, ...senderIn(box, fields) };
      return await inTurn(box.linkId, () => keep(box, from, received));
    } catch (error) {
      await Promise.all(received.map(({ stored }) => stored.drop()));
      throw error;
    } finally {
      flight.leave();
    }
  };
}

type SentPart = ReceivedFile & Pick<SentFile, "path">;

const sentFile = ({ name, path }: SentPart, { size, createdAt }: StoredFile): SentFile => ({
  name,
  path,
  size,
  at: createdAt,
});

/** @throws what no form of that size can avoid */
function checkAnnounced(box: OpenDrop, bytes: number): void {
  checkPlaces(box, 1);
  if (bytes > roomIn(box)) throw dropRefusal("room");
  const most = box.maxFiles - box.files;
  if (box.maxFileSize !== null && bytes > box.maxFileSize * most) throw dropRefusal("size");
}

function checkPlaces({ maxFiles, files }: OpenDrop, needed: number): void {
  if (files + needed > maxFiles) throw dropRefusal("full");
}

/** Browsers send a file without a name if none was chosen. */
async function expectNothing(body: AsyncIterable<Buffer>): Promise<void> {
  for await (const piece of body) {
    if (piece.byteLength > 0) throw appError("InvalidName", "Send a filename with each file.");
  }
}

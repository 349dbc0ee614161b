import { z } from "zod";
import type { BodyReservation } from "../../platform/http/body-memory.ts";
import { actorOf, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { conditionsOf } from "../../platform/http/entity-tag.ts";
import { MAX_BYTES_BESIDE_FILE, readMultipart } from "../../platform/http/multipart.ts";
import { appError } from "../../lib/errors.ts";
import { idInQuery, placedEndpoint } from "../tree/entry-id.ts";
import { ownerQuery, type Trees } from "../tree/trees.ts";
import { fileView, viewFile } from "../tree/entry.ts";
import { modifiedAtText, readModifiedAt } from "../../lib/modified-at.ts";
import { type CheckFormer, formerCheckOf } from "./former-check.ts";
import type { Destination, ReceivedFile, Uploads } from "./service.ts";

/** Longest silence of a client. */
const STALL_MS = 60_000;

/** Mount it at the root, before patterns like `/files/:id`. */
export const uploadEndpoint = ({ uploads, trees }: { uploads: Uploads; trees: Trees }): Endpoint =>
  endpoint("POST /files/upload", {
    ...placedEndpoint("files"),
    ownsPath: true,
    tagged: true,
    isConditional: true,
    summary: "Upload a file: multipart/form-data with one file, in a field of any name",
    query: z.object({
      folder_id: idInQuery.optional().describe("default: the root"),
      replace: z
        .enum(["true", "false"])
        .optional()
        .describe("true: a file of that name gets the content, and keeps the former one as a version"),
      ...ownerQuery,
    }),
    form: z.object({ file: z.string().meta({ format: "binary" }), modified_at: modifiedAtText.optional() }),
    failures: [404, 409, 502],
    status: 201,
    response: fileView,
    async handle({ c, account, query, reservation }) {
      const folderId = query.folder_id === undefined ? null : Number(query.folder_id);
      const isReplacing = query.replace === "true";
      const input = { c, account };
      const tree = await trees.forNew(input, folderId, query);
      const destination = await uploads.destination(tree, folderId);
      // The rest of the form is small, or the form is refused. A replaced file is known with its name.
      if (!isReplacing)
        uploads.checkSize(destination, Number(c.req.header("Content-Length") ?? 0) - MAX_BYTES_BESIDE_FILE);
      c.env.liftIdleTimeout();
      const conditions = conditionsOf(c);
      const check = conditions === null ? undefined : formerCheckOf(trees, input, tree)(conditions);
      const received = await receive(uploads, destination, {
        request: c.req.raw,
        reservation,
        isReplacing,
        check,
      });
      const kept = await uploads.keep(received, { createdBy: actorOf(account).name, isReplacing, check });
      return viewFile(kept, await trees.nameOf(input, tree));
    },
  });

type Form = {
  request: Request;
  reservation: BodyReservation;
  isReplacing: boolean;
  check: CheckFormer | undefined;
};

/** Nothing stays unless the whole form is valid. */
async function receive(
  uploads: Uploads,
  destination: Destination,
  { request, reservation, isReplacing, check }: Form,
): Promise<ReceivedFile> {
  let received: ReceivedFile | undefined;
  try {
    const { fields } = await readMultipart(request, {
      stallMs: STALL_MS,
      readQueue: uploads.readQueueAt(destination),
      reservation,
      async onFile({ filename: name = "", mimeType, body }) {
        if (check !== undefined) await uploads.checkFormer(destination, name, check);
        const place = isReplacing ? await uploads.replacing(destination, name) : destination;
        received = await uploads.receive(place, { name, mimeType, body, isNumbered: isReplacing });
      },
    });
    const modifiedAt = readModifiedAt("modified_at", fields.get("modified_at"));
    if (received !== undefined) return { ...received, modifiedAt };
  } catch (error) {
    await received?.stored.drop();
    throw error;
  }
  throw appError("InvalidMultipartData", "The form has no file; send one, with its filename.");
}

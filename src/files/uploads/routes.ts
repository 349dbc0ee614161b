import { z } from "zod";
import type { BodyReservation } from "../../platform/http/body-memory.ts";
import { type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { MAX_BYTES_BESIDE_FILE, readMultipart } from "../../platform/http/multipart.ts";
import { appError } from "../../lib/errors.ts";
import { idInQuery, placedEndpoint } from "../tree/entry-id.ts";
import { ownerQuery, type Trees } from "../tree/trees.ts";
import { fileView, viewFile } from "../tree/entry.ts";
import { modifiedAtText, readModifiedAt } from "../tree/modified-at.ts";
import type { Destination, ReceivedFile, Uploads } from "./service.ts";

/** Longest silence of a client. */
const STALL_MS = 60_000;

/** Mount it at the root, before patterns like `/files/:id`. */
export const uploadEndpoint = ({ uploads, trees }: { uploads: Uploads; trees: Trees }): Endpoint =>
  endpoint("POST /files/upload", {
    ...placedEndpoint("files"),
    ownsPath: true,
    tagged: true,
    summary: "Upload a file: multipart/form-data with one file, in a field of any name",
    query: z.object({ folder_id: idInQuery.optional().describe("default: the root"), ...ownerQuery }),
    form: z.object({ file: z.string().meta({ format: "binary" }), modified_at: modifiedAtText.optional() }),
    failures: [404, 409, 502],
    status: 201,
    response: fileView,
    async handle({ c, account, query, reservation }) {
      const folderId = query.folder_id === undefined ? null : Number(query.folder_id);
      const input = { c, account };
      const tree = await trees.forNew(input, folderId, query);
      const destination = await uploads.destination(tree, folderId);
      // The rest of the form is small, or the form is refused.
      uploads.checkSize(destination, Number(c.req.header("Content-Length") ?? 0) - MAX_BYTES_BESIDE_FILE);
      c.env.liftIdleTimeout();
      const received = await receive(uploads, destination, { request: c.req.raw, reservation });
      return viewFile(await uploads.keep(received), await trees.nameOf(input, tree));
    },
  });

/** Nothing stays unless the whole form is valid. */
async function receive(
  uploads: Uploads,
  destination: Destination,
  { request, reservation }: { request: Request; reservation: BodyReservation },
): Promise<ReceivedFile> {
  let received: ReceivedFile | undefined;
  try {
    const { fields } = await readMultipart(request, {
      stallMs: STALL_MS,
      readQueue: uploads.readQueueAt(destination),
      reservation,
      async onFile({ filename, mimeType, body }) {
        received = await uploads.receive(destination, { name: filename ?? "", mimeType, body });
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

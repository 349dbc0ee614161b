import { z } from "zod";
import type { BodyPlace } from "../../http/body-room.ts";
import { type Endpoint, endpoint, type HttpContext } from "../../http/endpoint.ts";
import { MAX_BYTES_BESIDE_FILE, readMultipart } from "../../http/multipart.ts";
import { streamPages } from "../../http/stream-pages.ts";
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Download } from "./download.ts";
import { fileView, viewFile } from "./entry.ts";
import { idIn, idInBody, idInQuery } from "./entry-id.ts";
import type { Files } from "./files.service.ts";
import type { Destination, Received, Uploads } from "../uploads/service.ts";

/** An upload's client may be silent for so long. */
const STALL_MS = 60_000;

const updateSchema = z.object({
  name: z.string().optional(),
  folder_id: idInBody.nullable().optional().describe("null is the root"),
});

type Deps = { files: Files; uploads: Uploads; download: Download; logger: Logger };

/** To be mounted at the root. */
export const fileEndpoints = (deps: Deps): Endpoint[] => [
  uploadEndpoint(deps),
  usageEndpoint(deps),
  downloadEndpoint(deps),
  ...itemEndpoints(deps),
];

const shared = { access: "account", tag: "files" } as const;

const uploadEndpoint = ({ uploads }: Deps): Endpoint =>
  endpoint({
    ...shared,
    method: "POST",
    path: "/files/upload",
    ownsPath: true,
    summary: "Upload a file: multipart/form-data with one file, in a field of any name",
    query: z.object({ folder_id: idInQuery.optional().describe("the root unless told") }),
    form: z.object({ file: z.string().meta({ format: "binary" }) }),
    status: 201,
    answer: fileView,
    async handle({ c, account, query, place }) {
      const folderId = query.folder_id === undefined ? null : Number(query.folder_id);
      const destination = await uploads.destination(account.id, folderId);
      // What is there besides the file is small, or the form is refused.
      uploads.checkSize(destination, Number(c.req.header("Content-Length") ?? 0) - MAX_BYTES_BESIDE_FILE);
      c.env.liftIdleTimeout();
      const received = await receive(uploads, destination, { request: c.req.raw, place });
      return viewFile(await uploads.keep(received));
    },
  });

/** The form's file, when the whole form is as it should be; else nothing is left of it. */
async function receive(
  uploads: Uploads,
  destination: Destination,
  { request, place }: { request: Request; place: BodyPlace },
): Promise<Received> {
  let received: Received | undefined;
  try {
    await readMultipart(request, {
      stallMs: STALL_MS,
      readQueue: uploads.readQueueAt(destination),
      place,
      async onFile({ filename, mimeType, body }) {
        received = await uploads.receive(destination, { name: filename ?? "", mimeType, body });
      },
    });
  } catch (error) {
    await received?.stored.drop();
    throw error;
  }
  if (received !== undefined) return received;
  throw appError("InvalidMultipartData", "The form has no file; send one, with its filename.");
}

const usageEndpoint = ({ files }: Deps): Endpoint =>
  endpoint({
    ...shared,
    method: "GET",
    path: "/files/usage",
    ownsPath: true,
    summary: "How much space the account's files take, and may take",
    answer: z.object({
      used_bytes: z.int(),
      quota_bytes: z.int().describe("0 is unlimited"),
    }),
    async handle({ account }) {
      const { usedBytes, quotaBytes } = await files.usage(account.id);
      return { used_bytes: usedBytes, quota_bytes: quotaBytes };
    },
  });

const downloadEndpoint = ({ files, download, logger }: Deps): Endpoint =>
  endpoint({
    ...shared,
    method: "GET",
    path: "/files/:id/download",
    summary: "A file's content, whole or a range of it",
    query: z.object({
      disposition: z
        .enum(["attachment", "inline"])
        .optional()
        .describe("inline shows pictures, sound, video, plain text and PDF in place"),
    }),
    raw: { type: "*/*" },
    async handle({ c, account, query }) {
      const file = await files.find(account.id, idIn(c, "FileNotFound"));
      return download(file, {
        method: c.req.method,
        header: (name) => c.req.header(name),
        inline: query.disposition === "inline",
        signal: c.req.raw.signal,
        relay: (stream) => relay(c, stream, logger),
      });
    },
  });

/** The server's idle timeout counts a relayed stream from its beginning, so it is replaced by one of its own. */
function relay(
  c: HttpContext,
  stream: ReadableStream<Uint8Array>,
  logger: Logger,
): Promise<ReadableStream<Uint8Array>> {
  const requestId = c.get("requestId");
  c.env.liftIdleTimeout();
  return streamPages(chunksOf(stream), {
    onFailure: (err) => logger.warn({ err, requestId }, "a download was cut off"),
    cut: () => c.env.cut(),
    restMs: 0,
  });
}

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) yield chunk;
}

function itemEndpoints({ files }: Deps): Endpoint[] {
  const item = { ...shared, path: "/files/:id" } as const;
  return [
    endpoint({
      ...item,
      method: "GET",
      summary: "What a file is",
      answer: fileView,
      handle: async ({ c, account }) => viewFile(await files.find(account.id, idIn(c, "FileNotFound"))),
    }),
    endpoint({
      ...item,
      method: "PATCH",
      summary: "Rename or move a file; absent fields stay",
      body: updateSchema,
      answer: fileView,
      handle: async ({ c, account, body }) =>
        viewFile(
          await files.update(account.id, idIn(c, "FileNotFound"), {
            name: body.name,
            folderId: body.folder_id,
          }),
        ),
    }),
    endpoint({
      ...item,
      method: "DELETE",
      summary: "Delete a file; its content goes with the last file that has it",
      answer: z.object({ message: z.string() }),
      async handle({ c, account }) {
        await files.remove(account.id, idIn(c, "FileNotFound"));
        return { message: "File deleted" };
      },
    }),
  ];
}

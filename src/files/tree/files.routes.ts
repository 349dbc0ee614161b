import { z } from "zod";
import { type Endpoint, endpoint, type HttpContext } from "../../http/endpoint.ts";
import { streamPages } from "../../http/stream-pages.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Download } from "./download.ts";
import { fileView, viewFile } from "./entry.ts";
import { idIn, idInBody } from "./entry-id.ts";
import type { Files } from "./files.service.ts";

const updateSchema = z.object({
  name: z.string().optional(),
  folder_id: idInBody.nullable().optional().describe("null is the root"),
});

type Deps = { files: Files; download: Download; logger: Logger };

/** Mount them at the root. */
export const fileEndpoints = (deps: Deps): Endpoint[] => [
  usageEndpoint(deps),
  downloadEndpoint(deps),
  ...itemEndpoints(deps),
];

const shared = { access: "account", tag: "files" } as const;

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

/** The server's idle timeout would count a relayed stream from its start, so this replaces it. */
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

import { z } from "zod";
import { type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { streamResponse } from "../../platform/http/stream-pages.ts";
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { entryIn, treeEndpoint } from "../tree/entry-id.ts";
import type { Trees } from "../tree/trees.ts";
import type { Folders } from "../tree/folders.service.ts";
import type { RespondWithArchive } from "./archive-response.ts";

const archiveHeaders = z.object({
  "Content-Length": z
    .int()
    .optional()
    .describe("also of HEAD; long archives lack it over TLS and on a unix socket"),
  "Content-Disposition": z.string(),
  "Content-Security-Policy": z.string(),
  "Cache-Control": z.string(),
  "Accept-Ranges": z.literal("none"),
});

type Deps = {
  folders: Pick<Folders, "find">;
  trees: Trees;
  respondWithArchive: RespondWithArchive;
  logger: Logger;
};

export const archiveEndpoint = ({ folders, trees, respondWithArchive, logger }: Deps): Endpoint =>
  endpoint("GET /folders/:id/archive", {
    ...treeEndpoint("folders"),
    summary: "A folder with everything in it, as a ZIP file",
    failures: [400, 502, 503],
    raw: { type: "application/zip", headers: archiveHeaders },
    async handle(input) {
      const { c } = input;
      const { folder } = await folders.find(...(await entryIn(trees, input, "FolderNotFound")));
      if (folder === null) throw appError("FolderNotFound", "There is no such folder.");
      // Reading a large tree takes a while.
      c.env.liftIdleTimeout();
      return respondWithArchive(folder, {
        method: c.req.method,
        signal: c.req.raw.signal,
        relay: (pieces) =>
          streamResponse(c, pieces, { logger, failure: "an archive was cut off", restMs: 0 }),
      });
    },
  });

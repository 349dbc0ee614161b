import { z } from "zod";
import { type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { entryIn, treeEndpoint } from "../tree/entry-id.ts";
import type { Trees } from "../tree/trees.ts";
import type { Files } from "../tree/files.service.ts";
import type { RespondWithThumbnail } from "./response.ts";

const headers = z.object({ ETag: z.string(), "Cache-Control": z.string() });

type Deps = { files: Pick<Files, "find">; trees: Trees; respondWithThumbnail: RespondWithThumbnail };

export const thumbnailEndpoint = ({ files, trees, respondWithThumbnail }: Deps): Endpoint =>
  endpoint("GET /files/:id/thumbnail", {
    ...treeEndpoint("files"),
    summary: "A picture within 512 × 512 pixels, as JPEG or WebP",
    failures: [502, 503],
    raw: { type: "image/*", headers },
    others: {
      204: { type: null, description: "The file has no thumbnail" },
      304: { type: null, description: "The client's copy is current", headers },
    },
    async handle(input) {
      const file = await files.find(...(await entryIn(trees, input, "FileNotFound")));
      return respondWithThumbnail(file, input.c.req.raw, input.account.id);
    },
  });

import { z } from "zod";
import { type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { appError } from "../../lib/errors.ts";
import type { Trees } from "../tree/trees.ts";
import type { Files } from "../tree/files.service.ts";
import { entryIn, treeEndpoint } from "../tree/entry-id.ts";
import { previewOf, TEXT_BYTES } from "./preview.ts";
import { isPlaceFor, type SharePreview } from "./preview.routes.ts";

const validators = z.object({ ETag: z.string(), "Cache-Control": z.string() });
const ranges = z.object({ "Content-Range": z.string() });

type Deps = { files: Pick<Files, "find">; trees: Trees; preview: SharePreview };

export const ownerPreviewEndpoint = ({ files, trees, preview }: Deps): Endpoint =>
  endpoint("GET /files/:id/preview", {
    ...treeEndpoint("files"),
    summary: `A picture, video, audio, PDF or the first ${TEXT_BYTES / 1000} kB of a text for the owner's page, in a form that can run nothing; a PDF for a frame only`,
    headers: z.object({ Range: z.string().optional().describe("one range of bytes, such as bytes=0-99") }),
    failures: [412, 416, 502],
    raw: { type: "*/*", headers: z.object({ "Content-Security-Policy": z.string() }) },
    others: {
      204: { type: null, description: "The file has no preview" },
      206: { type: "*/*", description: "The requested range", headers: ranges },
      304: { type: null, description: "The client's copy is current", headers: validators },
    },
    async handle({ c, account }) {
      const file = await files.find(...(await entryIn(trees, { c, account }, "FileNotFound")));
      const { liftIdleTimeout, cut } = c.env;
      if (!isPlaceFor(previewOf(file), c.req.raw.headers)) {
        throw appError("FileNotFound", "A preview is shown in the panel only; download the file.");
      }
      const shown = await preview.answer(file, c.req.raw, { liftIdleTimeout, cut });
      // Browsers report a failure on the console.
      return shown ?? new Response(null, { status: 204 });
    },
  });

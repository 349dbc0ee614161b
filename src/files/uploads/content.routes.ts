import { z } from "zod";
import { bodyChunks } from "../../platform/http/body-chunks.ts";
import { actorOf, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { entryIn, placedEndpoint } from "../tree/entry-id.ts";
import { fileView, shownParent, viewFile } from "../tree/entry.ts";
import { taggedFile } from "../tree/files.routes.ts";
import type { Files } from "../tree/files.service.ts";
import { bareMediaType } from "../../lib/bare-media-type.ts";
import { modifiedAtText, readModifiedAt } from "../../lib/modified-at.ts";
import type { Trees } from "../tree/trees.ts";
import { overwriting, refuseContentRange, type Uploads } from "./service.ts";

/** Longest silence of a client. */
const STALL_MS = 60_000;

type Deps = { files: Files; uploads: Uploads; trees: Trees };

/** Mount it at the root, before `/files/:id`. */
export const contentEndpoint = ({ files, uploads, trees }: Deps): Endpoint =>
  endpoint("PUT /files/:id/content", {
    ...placedEndpoint("files"),
    ...taggedFile({ files, trees }),
    summary: "Replace a file's content; the former one becomes a version",
    rawBody: "*/*",
    headers: z.object({ "X-OC-Mtime": modifiedAtText.optional() }),
    failures: [502],
    response: fileView,
    async handle({ c, account }) {
      refuseContentRange(c.req.header("Content-Range"));
      const [tree, id] = await entryIn(trees, { c, account }, "FileNotFound");
      const modifiedAt = readModifiedAt("X-OC-Mtime", c.req.header("X-OC-Mtime"));
      const former = await files.find(tree, id);
      const place = await uploads.destination(tree, shownParent(former.parentId));
      const destination = overwriting(place, former);
      uploads.checkSize(destination, Number(c.req.header("Content-Length") ?? 0));
      c.env.liftIdleTimeout();
      const { mimeType, stored } = await uploads.receive(destination, {
        name: former.name,
        mimeType: bareMediaType(c.req.header("Content-Type")),
        body: bodyChunks(c.req.raw, { stallMs: STALL_MS, readQueue: uploads.readQueueAt(destination) }),
        isNumbered: true,
      });
      const createdBy = actorOf(account).name;
      const { file } = await files.replace({ accountId: tree, id, mimeType, modifiedAt, createdBy }, stored);
      if (modifiedAt !== undefined) c.header("X-OC-Mtime", "accepted");
      return viewFile(file, await trees.nameOf({ c, account }, tree));
    },
  });

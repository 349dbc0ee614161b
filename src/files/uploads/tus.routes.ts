import { placedEndpoint } from "../tree/entry-id.ts";
import { z } from "zod";
import {
  actorOf,
  type Endpoint,
  type EndpointInput,
  endpoint,
  type HttpContext,
  type Method,
} from "../../platform/http/endpoint.ts";
import { conditionsOf } from "../../platform/http/entity-tag.ts";
import { refuseLongBody } from "../../platform/http/read-body.ts";
import { appError } from "../../lib/errors.ts";
import {
  appendHeaders,
  createdHeaders,
  createHeaders,
  featureHeaders,
  offsetHeaders,
  overrideHeaders,
  progressHeaders,
  UPLOAD_ID,
  uploadId,
  versionHeader,
  BODY_TYPE,
  TUS_VERSION,
} from "./tus-protocol.ts";
import type { Policies } from "../policies/service.ts";
import {
  checkVersion,
  emptyResponse,
  featuresOf,
  offsetOf,
  progressOf,
  readChunk,
  readCreation,
  readFirstChunk,
  takeFirst,
} from "./tus-request.routes.ts";
import { formerCheckOf } from "./former-check.ts";
import type { Trees } from "../tree/trees.ts";
import type { Resumable } from "./tus.service.ts";

const ROOT_PATH = "/files/tus";

/** A file comes with the last byte: name and quota count then. */
const APPEND_FAILURES = [409, 410, 415, 423, 460];

type TusEndpoint = Pick<Endpoint, "summary" | "headers" | "rawBody" | "isConditional"> &
  Required<Pick<Endpoint, "raw" | "failures">>;
type Deps = { resumable: Resumable; trees: Trees; policies: Pick<Policies, "list"> };
type Input = EndpointInput<undefined, undefined>;

/** Mount them at the root, before patterns like `/files/:id`. */
export const tusEndpoints = (deps: Deps): Endpoint[] => [
  ...[ROOT_PATH, `${ROOT_PATH}/:id`].map((path) => optionsEndpoint(path, deps)),
  ...uploadEndpoints(deps),
];

/** Clients ask before they sign in, without a version. */
const optionsEndpoint = (path: string, { policies }: Deps): Endpoint =>
  endpoint(`OPTIONS ${path}`, {
    ownsPath: path === ROOT_PATH,
    access: "public",
    scope: null,
    tag: "files",
    summary: "The supported features of resumable uploads (tus 1.0.0)",
    params: { id: z.string() },
    raw: { type: null, status: 204, headers: featureHeaders },
    async handle() {
      const limits = (await policies.list()).map(({ maxFileSize }) => maxFileSize);
      const most = limits.includes(0) ? 0 : Math.max(...limits);
      return emptyResponse(204, featuresOf(most));
    },
  });

function uploadEndpoints({ resumable, trees }: Deps): Endpoint[] {
  const placed = async (input: Input): Promise<[number, string]> => {
    const upload = uploadIdIn(input.c);
    return [await trees.ownerOf(input, { upload }), upload];
  };
  const append = async (input: Input) => {
    const [tree, upload] = await placed(input);
    const chunk = { ...readChunk(input.c.req.raw, input.reservation), ...senderOf(trees, input, tree) };
    input.c.env.liftIdleTimeout();
    return emptyResponse(204, progressOf(await resumable.append(tree, upload, chunk)));
  };
  const terminate = async (input: Input) => {
    await resumable.terminate(...(await placed(input)));
    return emptyResponse(204, {});
  };
  return [
    tusEndpoint(
      `POST ${ROOT_PATH}`,
      {
        summary: "Begin a resumable upload, with its first bytes or without",
        headers: createHeaders,
        failures: [404, ...APPEND_FAILURES, 429],
        isConditional: true,
        rawBody: BODY_TYPE,
        raw: { type: null, status: 201, headers: createdHeaders },
      },
      (input) => create(resumable, trees, input),
    ),
    tusEndpoint(
      `GET ${ROOT_PATH}/:id`,
      {
        summary: "The offset of a resumable upload, in headers (HEAD)",
        failures: [410],
        raw: { type: null, status: 200, headers: offsetHeaders },
      },
      async (input) => {
        const upload = await resumable.find(...(await placed(input)));
        return emptyResponse(200, offsetOf(upload));
      },
    ),
    tusEndpoint(
      `PATCH ${ROOT_PATH}/:id`,
      {
        summary: "Continue a resumable upload",
        headers: appendHeaders,
        failures: APPEND_FAILURES,
        rawBody: BODY_TYPE,
        raw: { type: null, status: 204, headers: progressHeaders },
      },
      append,
    ),
    tusEndpoint(
      `DELETE ${ROOT_PATH}/:id`,
      {
        summary: "Terminate a resumable upload and delete its bytes",
        failures: [410, 423],
        raw: { type: null, status: 204, headers: versionHeader },
      },
      terminate,
    ),
    // For clients without other methods.
    tusEndpoint(
      `POST ${ROOT_PATH}/:id`,
      {
        summary: "PATCH or DELETE, as given by X-HTTP-Method-Override",
        headers: overrideHeaders,
        failures: APPEND_FAILURES,
        rawBody: BODY_TYPE,
        raw: {
          type: null,
          status: 204,
          headers: progressHeaders.partial({ "Upload-Offset": true, "Upload-Expires": true }),
        },
      },
      (input) => {
        const method = input.c.req.header("X-HTTP-Method-Override")?.toUpperCase();
        if (method === "PATCH") return append(input);
        if (method === "DELETE") return terminate(input);
        throw appError("BadRequest", "X-HTTP-Method-Override must be PATCH or DELETE here.");
      },
    ),
  ];
}

/** Sends the protocol's version, even on failure. */
const tusEndpoint = (
  route: `${Method} ${string}`,
  described: TusEndpoint,
  handle: (input: Input) => Promise<Response> | Response,
): Endpoint =>
  endpoint(route, {
    ...placedEndpoint("files"),
    headers: versionHeader,
    ...described,
    params: { id: uploadId },
    failures: [...described.failures, 412, 502],
    handle(input) {
      const { c } = input;
      c.standingHeader("Tus-Resumable", TUS_VERSION);
      if (c.req.header("Tus-Resumable") !== TUS_VERSION) c.standingHeader("Tus-Version", TUS_VERSION);
      checkVersion(c.req.raw.headers);
      return handle(input);
    },
  });

async function create(resumable: Resumable, trees: Trees, input: Input): Promise<Response> {
  const request = input.c.req.raw;
  const { fields, ...upload } = readCreation(request.headers);
  const chunk = readFirstChunk(request, upload.size, input.reservation);
  if (chunk === null) refuseLongBody(request);
  const folderId = folderIdOf(fields.get("folder_id"));
  const tree = await trees.forNew(input, folderId, { owner: fields.get("owner") });
  const sender = senderOf(trees, input, tree);
  const conditions = conditionsOf(input.c);
  const begun = await resumable.create(tree, { ...upload, folderId, conditions, ...sender });
  const { id, size } = begun.upload;
  if (chunk !== null) input.c.env.liftIdleTimeout();
  const progress =
    chunk === null || size === 0
      ? begun
      : await takeFirst(
          () => resumable.append(tree, id, { ...chunk, ...sender }),
          () => resumable.terminate(tree, id),
        );
  return emptyResponse(201, {
    Location: `${input.c.env.prefix()}${ROOT_PATH}/${id}`,
    ...progressOf(progress),
  });
}

const senderOf = (trees: Trees, input: Input, tree: number) => ({
  createdBy: actorOf(input.account).name,
  formerCheck: formerCheckOf(trees, input, tree),
});

function folderIdOf(text: string | undefined): number | null {
  if (text === undefined || text === "") return null;
  if (!/^-?\d{1,30}$/.test(text)) throw appError("BadRequest", "folder_id must be a whole number");
  return Number(text);
}

/** An impossible id is treated as unknown. */
function uploadIdIn(c: HttpContext): string {
  const id = c.req.param("id") ?? "";
  if (UPLOAD_ID.test(id)) return id;
  throw appError("FileNotFound", "There is no such upload.");
}

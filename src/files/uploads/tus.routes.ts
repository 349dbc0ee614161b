import { bodyChunks } from "../../http/body-chunks.ts";
import type { BodyReadQueue } from "../../http/body-reader.ts";
import {
  type Endpoint,
  type EndpointInput,
  endpoint,
  type HttpContext,
  type Method,
} from "../../http/endpoint.ts";
import { bodyTimeouts } from "../../http/read-body.ts";
import { appError } from "../../lib/errors.ts";
import type { Policies } from "../policies/service.ts";
import { MOST_CHECKED_BYTES } from "./tus-checksum.ts";
import {
  BODY_TYPE,
  CHECKSUM_ALGORITHMS,
  EXTENSIONS,
  readBytes,
  readChecksum,
  readMetadata,
  refusal,
  TUS_VERSION,
} from "./tus-protocol.ts";
import type { TransferProgress, Resumable, Upload } from "./tus.service.ts";

/** Longest silence of a client. */
const STALL_MS = 60_000;
const ROOT_PATH = "/files/tus";

type Deps = { resumable: Resumable; policies: Pick<Policies, "list"> };
type Input = EndpointInput<undefined, undefined>;

/** Mount them at the root, before patterns like `/files/:id`. */
export const tusEndpoints = (deps: Deps): Endpoint[] => [
  ...[ROOT_PATH, `${ROOT_PATH}/:id`].map((path) => optionsEndpoint(path, deps)),
  ...uploadEndpoints(deps),
];

/** Clients ask before they sign in, without a version. */
const optionsEndpoint = (path: string, { policies }: Deps): Endpoint =>
  endpoint({
    method: "OPTIONS",
    path,
    ownsPath: path === ROOT_PATH,
    access: "public",
    tag: "files",
    summary: "The supported features of resumable uploads (tus 1.0.0)",
    raw: { type: null, status: 204 },
    async handle() {
      const limits = (await policies.list()).map(({ maxFileSize }) => maxFileSize);
      const most = limits.includes(0) ? 0 : Math.max(...limits);
      return empty(204, {
        "Tus-Resumable": TUS_VERSION,
        "Tus-Version": TUS_VERSION,
        "Tus-Extension": EXTENSIONS,
        "Tus-Checksum-Algorithm": CHECKSUM_ALGORITHMS,
        ...(most > 0 && { "Tus-Max-Size": String(most) }),
      });
    },
  });

function uploadEndpoints({ resumable }: Deps): Endpoint[] {
  const path = `${ROOT_PATH}/:id`;
  const append = (input: Input) => appendTo(resumable, input);
  const terminate = async ({ c, account }: Input) => {
    await resumable.terminate(account.id, uploadIdIn(c));
    return empty(204, {});
  };
  return [
    tusEndpoint("POST", ROOT_PATH, "Begin a resumable upload", ({ c, account }) =>
      create(resumable, c, account.id),
    ),
    tusEndpoint(
      "GET",
      path,
      "The offset of a resumable upload, in headers (HEAD)",
      async ({ c, account }) => {
        const upload = await resumable.find(account.id, uploadIdIn(c));
        return empty(200, {
          ...stateOf(upload),
          "Upload-Length": String(upload.size),
          ...(upload.metadata !== "" && { "Upload-Metadata": upload.metadata }),
        });
      },
    ),
    tusEndpoint("PATCH", path, "Continue a resumable upload", append),
    tusEndpoint("DELETE", path, "Terminate a resumable upload and delete its bytes", terminate),
    // For clients without other methods.
    tusEndpoint("POST", path, "PATCH or DELETE, as given by X-HTTP-Method-Override", (input) => {
      const method = input.c.req.header("X-HTTP-Method-Override")?.toUpperCase();
      if (method === "PATCH") return append(input);
      if (method === "DELETE") return terminate(input);
      throw appError("BadRequest", "X-HTTP-Method-Override takes PATCH or DELETE here.");
    }),
  ];
}

const isAppending = (method: Method, path: string): boolean =>
  path !== ROOT_PATH && (method === "PATCH" || method === "POST");

/** Sends the protocol's version, even on failure. */
const tusEndpoint = (
  method: Method,
  path: string,
  summary: string,
  handle: (input: Input) => Promise<Response> | Response,
): Endpoint =>
  endpoint({
    method,
    path,
    access: "account",
    tag: "files",
    summary,
    ...(isAppending(method, path) && { rawBody: BODY_TYPE }),
    raw: { type: null, status: method === "GET" ? 200 : path === ROOT_PATH ? 201 : 204 },
    handle(input) {
      const { c } = input;
      c.res.headers.set("Tus-Resumable", TUS_VERSION);
      if (c.req.header("Tus-Resumable") === TUS_VERSION) return handle(input);
      c.res.headers.set("Tus-Version", TUS_VERSION);
      throw refusal(412, `Send the header Tus-Resumable: ${TUS_VERSION}.`);
    },
  });

async function create(resumable: Resumable, c: HttpContext, accountId: number): Promise<Response> {
  // Each part would become its own file.
  if (c.req.header("Upload-Concat") !== undefined) {
    throw appError("BadRequest", "Upload-Concat is not supported; send the file as one upload.");
  }
  if (c.req.header("Upload-Length") === undefined) {
    throw appError("BadRequest", "Send the file's size in the header Upload-Length.");
  }
  const metadata = c.req.header("Upload-Metadata") ?? "";
  const told = readMetadata(metadata);
  const { upload, fileId } = await resumable.create(accountId, {
    size: readBytes("Upload-Length", c.req.header("Upload-Length")),
    name: nameIn(told),
    mimeType: told.get("filetype"),
    folderId: folderIdOf(told.get("folder_id")),
    metadata,
  });
  return empty(201, { Location: `${ROOT_PATH}/${upload.id}`, ...progressOf({ upload, fileId }) });
}

function nameIn(told: ReadonlyMap<string, string>): string {
  const name = told.get("filename") ?? "";
  if (name !== "") return name;
  throw appError("InvalidName", "Send the file's name in Upload-Metadata, under the key `filename`.");
}

function folderIdOf(text: string | undefined): number | null {
  if (text === undefined || text === "") return null;
  if (!/^-?\d{1,30}$/.test(text)) throw appError("BadRequest", "folder_id: takes a whole number");
  return Number(text);
}

async function appendTo(resumable: Resumable, { c, account, reservation }: Input): Promise<Response> {
  const type = c.req.header("Content-Type")?.toLowerCase().replace(/;.*/s, "").trim();
  if (type !== BODY_TYPE) throw refusal(415, `Send the bytes with Content-Type: ${BODY_TYPE}.`);
  const length = c.req.header("Content-Length");
  const portion = {
    offset: readBytes("Upload-Offset", c.req.header("Upload-Offset")),
    length: length === undefined ? undefined : readBytes("Content-Length", length),
    checksum: readChecksum(c.req.header("Upload-Checksum")),
    reservation,
  };
  const times = portion.checksum === null ? { stallMs: STALL_MS } : bodyTimeouts(MOST_CHECKED_BYTES);
  c.env.liftIdleTimeout();
  const body = (readQueue: BodyReadQueue) => bodyChunks(c.req.raw, { ...times, readQueue });
  return empty(204, progressOf(await resumable.append(account.id, uploadIdIn(c), { ...portion, body })));
}

/** An impossible id is treated as unknown. */
function uploadIdIn(c: HttpContext): string {
  const id = c.req.param("id") ?? "";
  if (/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/.test(id)) return id;
  throw appError("FileNotFound", "There is no such upload.");
}

const stateOf = ({ received, expiresAt }: Upload) => ({
  "Upload-Offset": String(received),
  "Upload-Expires": new Date(expiresAt).toUTCString(),
});

/** X-File-Id: the file that the upload became. */
const progressOf = ({ upload, fileId }: TransferProgress) => ({
  ...stateOf(upload),
  ...(fileId !== null && { "X-File-Id": String(fileId) }),
});

const empty = (status: number, headers: Record<string, string>): Response =>
  new Response(null, { status, headers });

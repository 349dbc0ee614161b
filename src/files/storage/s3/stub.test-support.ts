/**
 * Test support: an S3 server in this process that misbehaves on request. It keeps objects and multipart uploads in
 * memory and does not check signatures; the tests with a real server do.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hashOf } from "./parts.ts";

export type Trouble =
  /** No response. */
  | "silence"
  /** Executes the request and drops the connection before the response. */
  | "lost"
  /** Half of the body, then drops the connection. */
  | "cut"
  /** Half of the body, then nothing. */
  | "stall"
  /** Another response. */
  | { status: number; body?: string; headers?: Record<string, string> };

export type StubRequest = {
  method: string;
  key: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
};

type Rule = { matches(request: StubRequest): boolean; trouble: Trouble; left: number };

export type S3Stub = Awaited<ReturnType<typeof startS3Stub>>;

export const s3Error = (code: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>told to</Message></Error>`;

export async function startS3Stub() {
  const objects = new Map<string, { bytes: Uint8Array; etag: string }>();
  const uploads = new Map<string, { key: string; parts: Map<number, Uint8Array> }>();
  const requests: StubRequest[] = [];
  const rules: Rule[] = [];
  const store = createStore(objects, uploads);

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://stub");
    const key = decodeURIComponent(url.pathname).split("/").slice(2).join("/");
    const one: StubRequest = {
      method: request.method!,
      key,
      query: url.searchParams,
      headers: request.headers,
    };
    requests.push(one);
    const body = await readBody(request).catch(() => null);
    // The client has disconnected.
    if (body === null) return;
    const rule = rules.find((known) => known.left > 0 && known.matches(one));
    if (rule !== undefined) rule.left -= 1;
    respond(response, one, rule?.trouble, () => store(one, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    port: (server.address() as AddressInfo).port,
    objects,
    uploads,
    /** All requests, in order. */
    requests,
    /** Applies `trouble` to the next `times` matching requests. Earlier rules come first. */
    misbehave(
      trouble: Trouble,
      matches: (request: StubRequest) => boolean,
      times = Number.POSITIVE_INFINITY,
    ): void {
      rules.push({ matches, trouble, left: times });
    },
    behave(): void {
      rules.length = 0;
      requests.length = 0;
      objects.clear();
      uploads.clear();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

type StubResponse = { status: number; body: string | Uint8Array; headers?: Record<string, string> };

function respond(
  response: ServerResponse,
  { method }: StubRequest,
  trouble: Trouble | undefined,
  act: () => StubResponse,
): void {
  if (trouble === "silence") return;
  if (typeof trouble === "object") {
    response.writeHead(trouble.status, trouble.headers ?? {}).end(trouble.body ?? "");
    return;
  }
  const { status, body, headers = {} } = act();
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (trouble === "lost") {
    response.socket?.destroy();
    return;
  }
  response.writeHead(status, { "Content-Length": String(bytes.length), ...headers });
  if (trouble === undefined) {
    response.end(method === "HEAD" ? undefined : bytes);
    return;
  }
  response.write(bytes.subarray(0, bytes.length >> 1));
  if (trouble === "cut") setTimeout(() => response.socket?.destroy(), 20);
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return new Uint8Array(Buffer.concat(chunks));
}

type Objects = Map<string, { bytes: Uint8Array; etag: string }>;
type Uploads = Map<string, { key: string; parts: Map<number, Uint8Array> }>;

const ok = (body: string | Uint8Array = "", headers: Record<string, string> = {}): StubResponse => ({
  status: 200,
  body,
  headers,
});
const failed = (status: number, code: string): StubResponse => ({ status, body: s3Error(code) });
const time = () =>
  `<Initiated>${new Date().toISOString()}</Initiated><LastModified>${new Date().toISOString()}</LastModified>`;

function createStore(objects: Objects, uploads: Uploads) {
  const put = (key: string, bytes: Uint8Array): string => {
    const etag = `"${hashOf(bytes).slice(0, 32)}"`;
    objects.set(key, { bytes, etag });
    return etag;
  };

  function part({ query }: StubRequest, body: Uint8Array): StubResponse {
    const upload = uploads.get(query.get("uploadId")!);
    if (upload === undefined) return failed(404, "NoSuchUpload");
    upload.parts.set(Number(query.get("partNumber")), body);
    return ok("", { ETag: `"${hashOf(body).slice(0, 32)}"` });
  }

  function complete({ query }: StubRequest): StubResponse {
    const upload = uploads.get(query.get("uploadId")!);
    if (upload === undefined) return failed(404, "NoSuchUpload");
    const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
    put(upload.key, new Uint8Array(Buffer.concat(parts)));
    uploads.delete(query.get("uploadId")!);
    return ok("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>");
  }

  function get({ key, headers }: StubRequest): StubResponse {
    const found = objects.get(key);
    if (found === undefined) return failed(404, "NoSuchKey");
    const { bytes, etag } = found;
    if (headers["if-match"] !== undefined && headers["if-match"] !== etag)
      return failed(412, "PreconditionFailed");
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "");
    if (range === null) return ok(bytes, { ETag: etag });
    const [start, end] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    const given = { ETag: etag, "Content-Range": `bytes ${start}-${end}/${bytes.length}` };
    return { status: 206, body: bytes.subarray(start, end + 1), headers: given };
  }

  function listParts({ query }: StubRequest): StubResponse {
    const upload = uploads.get(query.get("uploadId")!);
    if (upload === undefined) return failed(404, "NoSuchUpload");
    const xml = [...upload.parts].map(
      ([number, bytes]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>"${hashOf(bytes).slice(0, 32)}"</ETag><Size>${bytes.length}</Size>${time()}</Part>`,
    );
    return ok(`<ListPartsResult>${xml.join("")}</ListPartsResult>`);
  }

  const listUploads = ({ query }: StubRequest): StubResponse => {
    const found = [...uploads].filter(([, { key }]) => key.startsWith(query.get("prefix") ?? ""));
    const xml = found.map(
      ([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId>${time()}</Upload>`,
    );
    return ok(`<ListMultipartUploadsResult>${xml.join("")}</ListMultipartUploadsResult>`);
  };

  const listObjects = ({ query }: StubRequest): StubResponse => {
    const found = [...objects].filter(([key]) => key.startsWith(query.get("prefix") ?? "")).sort();
    const xml = found.map(
      ([key, { bytes }]) => `<Contents><Key>${key}</Key><Size>${bytes.length}</Size>${time()}</Contents>`,
    );
    return ok(`<ListBucketResult><IsTruncated>false</IsTruncated>${xml.join("")}</ListBucketResult>`);
  };

  return (request: StubRequest, body: Uint8Array): StubResponse => {
    const { method, key, query } = request;
    if (method === "POST" && query.has("uploads")) {
      const id = crypto.randomUUID();
      uploads.set(id, { key, parts: new Map() });
      return ok(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    if (method === "POST") return complete(request);
    if (method === "PUT" && query.has("partNumber")) return part(request, body);
    if (method === "PUT") return ok("", { ETag: put(key, body) });
    if (method === "DELETE") {
      const was = query.has("uploadId") ? uploads.delete(query.get("uploadId")!) : objects.delete(key);
      return { status: was ? 204 : 404, body: "" };
    }
    if (query.has("uploadId")) return listParts(request);
    if (query.has("uploads")) return listUploads(request);
    return key === "" ? listObjects(request) : get(request);
  };
}

/** Responds with bytes that many requests share. The server sends them without a copy for each client. */

export type SharedBytes = { readonly bytes: Uint8Array; readonly body: Blob };

/** Keyed by the request, because a new response may be made with the same body. */
const bytesByRequest = new WeakMap<Request, Uint8Array>();

const buffers = new WeakSet<ArrayBufferLike>();

/** The bytes must not change. */
export function shareBytes(bytes: Uint8Array): SharedBytes {
  buffers.add(bytes.buffer);
  return { bytes, body: new Blob([bytes as Uint8Array<ArrayBuffer>]) };
}

/** Also of a part of them. */
export const isShared = ({ buffer }: Uint8Array): boolean => buffers.has(buffer);

/** With its Content-Length. */
export function sharedResponse(
  request: Request,
  { bytes, body }: SharedBytes,
  headers: Record<string, string>,
): Response {
  bytesByRequest.set(request, bytes);
  return new Response(body, { headers: { ...headers, "Content-Length": String(bytes.length) } });
}

/** Undefined for other responses. */
export function sharedBytesOf(
  request: Request | null,
  { status, headers }: Response,
): Uint8Array | undefined {
  const bytes = request === null ? undefined : bytesByRequest.get(request);
  return status === 200 && headers.get("content-length") === String(bytes?.length) ? bytes : undefined;
}

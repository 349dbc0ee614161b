/** Responds with a part of a file, which the server sends without reading it (wire/send-file.ts). */

export type FileRange = { path: string; start: number; length: number };

/** Keyed by the request, because a new response may be made with the same body. */
const parts = new WeakMap<Request, FileRange>();

/**
 * With its Content-Length.
 * @param body a file of the runtime, or a slice of one that begins at `start`
 */
export function fileResponse(
  request: Request,
  body: Blob & { name?: string },
  start: number,
  init: { status: number; headers: Headers },
): Response {
  init.headers.set("Content-Length", String(body.size));
  if (body.name !== undefined) parts.set(request, { path: body.name, start, length: body.size });
  return new Response(body, init);
}

/** Undefined for other responses. */
export function filePartOf(request: Request | null, { status, headers }: Response): FileRange | undefined {
  const part = request === null ? undefined : parts.get(request);
  const isWhole = status === 200 || status === 206;
  return isWhole && headers.get("content-length") === String(part?.length) ? part : undefined;
}

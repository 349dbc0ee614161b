/** Responds with a part of a file, which the server sends without reading it (wire/send-file.ts). */

export type FileRange = { path: string; start: number; length: number };

/** Keyed by the request, because a new response may be made with the same body. */
const parts = new WeakMap<object, FileRange>();

/**
 * With its Content-Length.
 * @param request the Request, or the source that it would be made from (http/context.ts)
 * @param body a file of the runtime, or a slice of one that begins at `start`
 */
export function fileResponse(
  request: object,
  body: Blob & { name?: string },
  start: number,
  init: { status: number; headers: Headers },
): Response {
  init.headers.set("Content-Length", String(body.size));
  if (body.name !== undefined) parts.set(request, { path: body.name, start, length: body.size });
  return new Response(body, init);
}

/** Undefined for other responses. */
export function filePartOf(request: object, { status, headers }: Response): FileRange | undefined {
  const part = parts.get(request);
  const isWhole = status === 200 || status === 206;
  return isWhole && headers.get("content-length") === String(part?.length) ? part : undefined;
}

/** Responses whose whole body is at hand: the server sends them in one write, without a stream. */

const bodies = new WeakMap<Response, string | Uint8Array>();

/** Null: without a body. The bytes must not change. */
export function wholeResponse(body: string | Uint8Array | null, init: ResponseInit): Response {
  const response = new Response(body as Uint8Array<ArrayBuffer> | string | null, init);
  if (body !== null) bodies.set(response, body);
  return response;
}

/** Undefined for other responses. */
export const wholeBodyOf = (response: Response): string | Uint8Array | undefined => bodies.get(response);

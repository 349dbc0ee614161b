/**
 * Hono answers HEAD with the GET endpoint and drops the body, which loses the length. Here the answer keeps its body;
 * the server sends the length and cancels a stream.
 */
import type { HttpApp } from "./mount.ts";

/** Call it before anything else is added to the app. */
export function answerHeadRequests(app: HttpApp): void {
  const answers = new WeakMap<Request, Response>();
  app.use(async (c, next) => {
    await next();
    if (c.req.raw.method === "HEAD") answers.set(c.req.raw, c.res);
  });
  const dispatch = app.fetch;
  app.fetch = (request, ...rest) => {
    const dispatched = dispatch(request, ...rest);
    return request.method === "HEAD" ? whole(request, dispatched) : dispatched;
  };

  async function whole(request: Request, dispatched: Response | Promise<Response>): Promise<Response> {
    const bodiless = await dispatched;
    return answers.get(request) ?? bodiless;
  }
}

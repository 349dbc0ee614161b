/**
 * Answers to HEAD. Hono runs the GET endpoint and drops the body, after which the server would say that it has no
 * bytes. The server itself does it right when it is given the answer to GET: it tells the length of the body without
 * sending it, and cancels a stream. So the answer as it stood before the body was dropped is what is handed on.
 */
import type { HttpApp } from "./mount.ts";

/** To be called before anything else is added to the app. */
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

/** Drop boxes at their codes. */
export const DROP_METHODS = "GET, HEAD, POST, PATCH, DELETE, OPTIONS";

/** Steps inside a visit: the page after sending, and resumable uploads. */
const STEP = /[?&](?:sent|upload)=/;

/** @param pathEnd index in `url` where the path ends */
export const isDropStep = (url: string, pathEnd: number): boolean =>
  pathEnd < url.length && STEP.test(url.slice(pathEnd));

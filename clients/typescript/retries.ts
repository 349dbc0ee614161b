/** Sends a request again where that can do no harm. */

/** Carried out twice, these do what they do once. */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);
/** Something on the way, or the server itself, could not do it now. */
const PASSING = new Set([502, 503, 504]);
const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 250;

/**
 * With an Idempotency-Key the server carries a POST out once. Where the first one was carried out, a repetition with
 * If-Match would be refused, and a PATCH that renames would find nothing, so their answers would mislead.
 */
const isRepeatable = ({ method, headers }: Request): boolean =>
  method === "POST" ? headers.has("Idempotency-Key") : IDEMPOTENT.has(method) && !headers.has("If-Match");

/** Forms and streams are not kept in memory for a second time. Firefox shows no body. */
const canCopy = (request: Request): boolean =>
  !request.body || (request.headers.get("Content-Type") ?? "").startsWith("application/json");

function isWorthAgain(request: Request, { status, headers }: Response): boolean {
  if (status === 429) return true;
  // The first request with the key runs.
  if (status === 409) return request.headers.has("Idempotency-Key") && headers.has("Retry-After");
  return PASSING.has(status) && isRepeatable(request);
}

/** ms, with up to half more, so that clients that failed together do not come back together. */
function waitBefore(attempt: number, answer?: Response): number {
  const told = answer?.headers.get("Retry-After");
  const usual = FIRST_WAIT_MS * 2 ** attempt * (1 + Math.random() / 2);
  if (!told) return usual;
  const seconds = /^\d+$/.test(told) ? Number(told) : (Date.parse(told) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? usual : Math.max(0, seconds * 1000);
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });

/** Like fetch. Who is told to come back in more than a minute gets that answer. */
export async function fetchAgain(request: Request, retries: number): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= retries || !canCopy(request);
    let answer: Response | undefined;
    try {
      answer = await fetch(isLast ? request : request.clone());
      if (isLast || !isWorthAgain(request, answer)) return answer;
    } catch (error) {
      if (isLast || request.signal.aborted || !isRepeatable(request)) throw error;
    }
    const wait = waitBefore(attempt, answer);
    if (answer !== undefined && wait > LONGEST_WAIT_MS) return answer;
    await answer?.body?.cancel();
    await pause(wait, request.signal);
  }
}

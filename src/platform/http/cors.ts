/** Cross-origin requests, by the Fetch standard. Programs of other origins send them from browsers. */
import type { HttpContext } from "./context.ts";
import { REPLAYED_HEADER } from "./idempotency.ts";

export type CorsSettings = {
  enabled: boolean;
  allowedOrigins: readonly string[];
  allowedMethods: readonly string[];
  allowedHeaders: readonly string[];
  /** Seconds. */
  maxAge: number;
  allowCredentials: boolean;
};

/** Headers that scripts of other origins may read. Those from Location on serve resumable uploads. */
const EXPOSED_HEADERS = [
  "X-Request-Id",
  "Content-Disposition",
  "ETag",
  "Preference-Applied",
  REPLAYED_HEADER,
  "Location",
  "Upload-Offset",
  "Upload-Length",
  "Upload-Defer-Length",
  "Upload-Metadata",
  "Upload-Expires",
  "X-File-Id",
  "Tus-Resumable",
  "Tus-Version",
  "Tus-Extension",
  "Tus-Max-Size",
  "Tus-Checksum-Algorithm",
].join(",");

/** Sets the fields of the response. Returns that to a preflight, else null. */
export function allowOrigins(c: HttpContext, settings: CorsSettings): Response | null {
  const isOptions = c.req.method === "OPTIONS";
  const isPlainOptions = isOptions && !c.req.header("Access-Control-Request-Method");
  if (!settings.enabled || isPlainOptions) return null;
  const isAnyAllowed = settings.allowedOrigins.includes("*");
  const origin = c.req.header("Origin") ?? "";
  const isAllowed = origin !== "" && settings.allowedOrigins.includes(origin);
  if (isAnyAllowed || isAllowed) c.standingHeader("Access-Control-Allow-Origin", isAnyAllowed ? "*" : origin);
  // Browsers refuse credentials together with any origin.
  if (settings.allowCredentials && !isAnyAllowed)
    c.standingHeader("Access-Control-Allow-Credentials", "true");
  c.standingHeader("Access-Control-Expose-Headers", EXPOSED_HEADERS);
  if (!isAnyAllowed) c.standingHeader("Vary", "Origin", true);
  return isOptions ? preflightResponse(c, settings) : null;
}

function preflightResponse(
  c: HttpContext,
  { allowedMethods, allowedHeaders, maxAge }: CorsSettings,
): Response {
  const requested = c.req.header("Access-Control-Request-Headers");
  const names =
    allowedHeaders.length > 0 ? allowedHeaders : (requested?.split(",") ?? []).map((name) => name.trim());
  const allowed = names.join(",");
  c.standingHeader("Access-Control-Max-Age", String(maxAge));
  if (allowedMethods.length > 0) c.standingHeader("Access-Control-Allow-Methods", allowedMethods.join(","));
  if (allowed !== "") {
    c.standingHeader("Access-Control-Allow-Headers", allowed);
    c.standingHeader("Vary", "Access-Control-Request-Headers", true);
  }
  return c.body(null, 204);
}

/** Refusals as Shlink words them: problem details (RFC 9457) with its own types. */
import { AppError } from "../../lib/errors.ts";
import { STATUS_OF_KIND } from "../../platform/http/errors.ts";
import type { Answer } from "./call.ts";

export type ShlinkReply = {
  /** 204 without one. */
  status?: number;
  type?: string;
  body?: unknown;
  allow?: string;
  retryAfter?: string | null;
};
export type Problem = ShlinkReply & { body: { type: string; title: string; detail: string; status: number } };

export const reply = (body: unknown): ShlinkReply => ({ status: 200, body });

export function problem(
  status: number,
  name: string,
  title: string,
  detail: string,
  more: Readonly<Record<string, unknown>> = {},
): Problem {
  const type = `https://shlink.io/api/error/${name}`;
  return { status, type: "application/problem+json", body: { ...more, type, title, detail, status } };
}

/** Names of our fields in Shlink. */
const NAMES: Readonly<Record<string, string>> = {
  target: "longUrl",
  code: "customSlug",
  starts_at: "validSince",
  expires_at: "validUntil",
  max_clicks: "maxVisits",
  forward_query: "forwardQuery",
};

export const invalid = (detail: string, ...fields: readonly string[]): Problem =>
  problem(400, "invalid-data", "Invalid data", detail, { invalidElements: fields });

/** What our API refused. @param subject what the address names */
export function refused(
  { status, body, retryAfter }: Answer,
  subject: Readonly<Record<string, string>> = {},
): ShlinkReply {
  const message = body.message ?? "";
  const fields = (body.details ?? []).map(({ field }) => NAMES[field.split(".")[0]!] ?? field);
  switch (body.error) {
    case "Unauthorized":
      return problem(
        401,
        "invalid-api-key",
        "Invalid API key",
        "The API key must be a valid API token of this server.",
      );
    case "LinkNotFound":
      return problem(404, "short-url-not-found", "Short URL not found", message, subject);
    case "LinkAlreadyExists":
      return problem(400, "non-unique-slug", "Invalid custom slug", message, subject);
    case "NotFound":
      return problem(404, "not-found", "Not found", message, subject);
  }
  if (status === 400) return invalid(message, ...fields);
  const name = status === 403 ? "forbidden" : status === 429 ? "too-many-requests" : "server-error";
  return { ...problem(status, name, body.error ?? "Error", message), retryAfter };
}

/** An error of this process, or null if it is a fault. */
export function problemOf(error: unknown): ShlinkReply | null {
  if (!(error instanceof AppError) || error.kind === "internal") return null;
  const status = STATUS_OF_KIND[error.kind];
  return refused({ status, body: { error: error.name, message: error.message }, retryAfter: null });
}

/** What YOURLS writes: XML unless `format` is json, jsonp or simple. */
import { escapeXml } from "../../lib/escape-xml.ts";
import type { HttpContext } from "../../platform/http/context.ts";

type Value = string | number | { readonly [name: string]: Value };

/** `simple` is the text of the format simple, `retryAfter` a header; neither is in the other formats. */
export type YourlsReply = { readonly [name: string]: Value };

const XML = "application/xml; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";
const SCRIPT = "application/javascript; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";

/** Names of functions only, so a response is no script of the caller's. */
const CALLBACK = /^[a-zA-Z_$][\w$]*(?:\.[a-zA-Z_$][\w$]*)*$/;
const LONGEST_CALLBACK = 128;

export function replyResponse(
  c: HttpContext,
  fields: ReadonlyMap<string, string>,
  reply: YourlsReply,
): Response {
  const { simple = "", retryAfter, ...content } = reply;
  const format = fields.get("format") ?? "xml";
  const status = Number(content["statusCode"] ?? content["errorCode"] ?? 200);
  const send = (type: string, text: string, code = status) =>
    c.body(text, code, {
      "Content-Type": type,
      ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }),
    });
  if (format === "json") return send(JSON_TYPE, JSON.stringify(content));
  if (format === "xml")
    return send(XML, `<?xml version="1.0" encoding="UTF-8"?>\n<root>${xmlOf(content)}</root>\n`);
  if (format !== "jsonp") return send(TEXT, String(simple));
  const callback = fields.get("callback") ?? fields.get("jsonp") ?? "";
  if (callback !== "" && (callback.length > LONGEST_CALLBACK || !CALLBACK.test(callback))) {
    return send(SCRIPT, JSON.stringify({ errorCode: "400", error: "Invalid callback parameter" }), 400);
  }
  return send(SCRIPT, `/**/${callback}(${JSON.stringify({ ...content, callback })})`);
}

const xmlOf = (value: Value): string =>
  typeof value === "object"
    ? Object.entries(value)
        .map(([name, one]) => `<${name}>${xmlOf(one)}</${name}>`)
        .join("")
    : escapeXml(String(value));

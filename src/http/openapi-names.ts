/** Names of operations, from method, path and answer. Configured prefixes do not change them. */
import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";

/**
 * `GET /links` is listLinks, `GET /links/{code}/analytics` getLinkAnalytics, `POST /links` createLink, every other
 * operation its method and path: putLink, postAuthLogin, getConfigKey.
 */
export function operationIdOf(
  entry: Pick<Endpoint, "method" | "path" | "tag" | "status" | "answer">,
): string {
  const segments = entry.path
    .replaceAll(/\{[^{}]*\}/g, "")
    .split("/")
    .filter(Boolean);
  const creates = entry.method === "POST" && entry.status === 201;
  const words = segments.flatMap((segment, at) => {
    // The singular says that one is meant.
    if (segment.startsWith(":")) return isPlural(segments[at - 1]) ? [] : [segment.slice(1)];
    const isOne = segments[at + 1]?.startsWith(":") || (creates && at === segments.length - 1);
    return [isOne ? singular(segment) : segment];
  });
  const isList = entry.method === "GET" && entry.answer instanceof z.ZodArray;
  const verb = isList ? "list" : creates ? "create" : entry.method.toLowerCase();
  return verb + pascal((words.length === 0 ? [entry.tag] : words).join("-"));
}

/** For names of schemas. */
export const pascal = (text: string): string =>
  text.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9]?)/g, (_, first: string) => first.toUpperCase());

const isPlural = (word = ""): boolean => /[^su]s$/.test(word);

const singular = (word: string): string =>
  isPlural(word) ? word.replace(/(?:(?<=ss|x|sh|ch)e|(i)e)?s$/, (_, i?: string) => (i ? "y" : "")) : word;

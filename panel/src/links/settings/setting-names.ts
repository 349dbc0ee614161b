import type { LinkFieldName } from "../form/link-values.ts";

/** In their order on the page. */
export const SETTINGS = [
  "target",
  "code",
  "domain",
  "title",
  "tags",
  "note",
  "expires_at",
  "starts_at",
  "max_clicks",
  "fallback_url",
  "redirect_status",
  "password",
  "forward_query",
] as const satisfies readonly LinkFieldName[];
export type LinkSettingName = (typeof SETTINGS)[number];

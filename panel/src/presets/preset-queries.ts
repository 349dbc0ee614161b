import { queryOptions } from "@tanstack/react-query";
import { api, type NewPreset, responseOf } from "../base/api.ts";

export type PresetKind = NewPreset["kind"];
export type PresetContent = NewPreset["content"];

/** Addresses of pages have numbers where presets have texts. */
export const presetContentOf = (search: object): PresetContent =>
  Object.fromEntries(
    Object.entries(search).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]),
  );

export const presetsQuery = (kind: PresetKind) =>
  queryOptions({
    queryKey: ["presets", kind],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/v1/presets", { params: { query: { kind } }, signal }))).data,
  });

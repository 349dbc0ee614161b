import { queryOptions } from "@tanstack/react-query";
import { responseOf, api, type Domain, type NewDomain } from "../base/api.ts";

export const domainsQuery = queryOptions({
  queryKey: ["domains"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/admin/v1/domains", { signal }))).data,
});

/** With the texts of its documents. */
export const domainQuery = (id: number) =>
  queryOptions({
    queryKey: ["domains", "one", id],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/v1/domains/{id}", { params: { path: { id } }, signal }))).data,
  });

/** How many links a host has; empty: the default domain. */
export const domainLinksQuery = (host: string) =>
  queryOptions({
    queryKey: ["domains", "links", host],
    queryFn: async ({ signal }) => {
      const query = { domain: host, page_size: 1 };
      return (
        (await responseOf(api.GET("/admin/v1/links", { params: { query }, signal }))).pagination?.total ?? 0
      );
    },
  });

/** Of the default domain; if empty, that of the request. */
export const publicUrlQuery = queryOptions({
  queryKey: ["settings", "features.public_url"],
  queryFn: async ({ signal }) => {
    const params = { path: { key: "features.public_url" as const } };
    return (await responseOf(api.GET("/admin/v1/config/{key}", { params, signal }))).data.value;
  },
});

const at = ({ id }: Pick<Domain, "id">) => ({ params: { path: { id } } });

export async function saveDomain(domain: Domain | null, body: NewDomain): Promise<Domain> {
  if (domain === null) return (await responseOf(api.POST("/admin/v1/domains", { body }))).data;
  return (await responseOf(api.PATCH("/admin/v1/domains/{id}", { ...at(domain), body }))).data;
}

export const removeDomain = (domain: Domain): Promise<unknown> =>
  responseOf(api.DELETE("/admin/v1/domains/{id}", at(domain)));

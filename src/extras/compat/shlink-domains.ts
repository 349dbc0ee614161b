/** Domains of Shlink: an invalid short URL and any other unknown path lead to one address here. */
import type { ShlinkRequest } from "./shlink-request.ts";
import { domainNamed } from "./shlink-links.ts";
import { invalid, reply, refused, type ShlinkReply } from "./shlink-problems.ts";

type DomainView = { id: number; host: string; default_url: string | null; not_found_url: string | null };

const redirectsOf = (base: string | null, notFound: string | null) => ({
  baseUrlRedirect: base,
  regular404Redirect: notFound,
  invalidShortUrlRedirect: notFound,
});

export async function domainsList({ call, defaultHost, defaultUrl }: ShlinkRequest): Promise<ShlinkReply> {
  const listed = await call("GET", "/domains");
  if (listed.status !== 200) return refused(listed);
  const redirects = redirectsOf(defaultUrl, null);
  const others = (listed.body.data as DomainView[]).map(({ host, default_url, not_found_url }) => ({
    domain: host,
    isDefault: false,
    redirects: redirectsOf(default_url, not_found_url),
  }));
  const own = { domain: defaultHost, isDefault: true, redirects };
  return reply({ domains: { data: [own, ...others], defaultRedirects: redirects } });
}

/** A host that is new becomes a domain, as in Shlink. */
export async function setRedirects(request: ShlinkRequest): Promise<ShlinkReply> {
  const { call, body } = request;
  const { baseUrlRedirect, invalidShortUrlRedirect, regular404Redirect } = body;
  const notFound = invalidShortUrlRedirect ?? regular404Redirect ?? invalidShortUrlRedirect;
  const host = domainNamed(request, body["domain"]);
  if (host === null) return setDefault(request);
  const listed = await call("GET", "/domains");
  if (listed.status !== 200) return refused(listed);
  const known = (listed.body.data as DomainView[]).find((one) => one.host === host);
  const change = {
    ...(baseUrlRedirect !== undefined && { default_url: baseUrlRedirect }),
    ...((invalidShortUrlRedirect !== undefined || regular404Redirect !== undefined) && {
      not_found_url: notFound ?? null,
    }),
  };
  const done =
    known === undefined
      ? await call("POST", "/domains", { body: { host, ...change } })
      : await call("PATCH", `/domains/${known.id}`, { body: change });
  if (done.status >= 300) return refused(done, { domain: host });
  const { default_url, not_found_url } = done.body.data as DomainView;
  return reply(redirectsOf(default_url, not_found_url));
}

async function setDefault({ call, body, defaultUrl }: ShlinkRequest): Promise<ShlinkReply> {
  const { baseUrlRedirect, invalidShortUrlRedirect, regular404Redirect } = body;
  if (invalidShortUrlRedirect || regular404Redirect)
    return invalid("The default domain answers 404 to unknown codes.", "invalidShortUrlRedirect");
  if (baseUrlRedirect === undefined) return reply(redirectsOf(defaultUrl, null));
  const value = typeof baseUrlRedirect === "string" ? baseUrlRedirect : "";
  const set = await call("PUT", "/config/features.default_url", { body: { value } });
  return set.status === 200 ? reply(redirectsOf(value || null, null)) : refused(set);
}

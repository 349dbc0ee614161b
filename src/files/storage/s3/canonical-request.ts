export type Signable = {
  method: string;
  /** With a port other than the scheme's default. */
  host: string;
  /** Not encoded. */
  path: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** 64 hex digits, or UNSIGNED-PAYLOAD. */
  payloadHash: string;
};

/** For the request line. */
export const encodeTarget = ({ path, query = {} }: Pick<Signable, "path" | "query">): string => {
  const canonical = canonicalQuery(query);
  return encodePath(path) + (canonical === "" ? "" : `?${canonical}`);
};

export const lowerCased = (headers: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .sort(byBytes);

export const namesOf = (headers: Readonly<Record<string, string>>): string =>
  lowerCased(headers)
    .map(([name]) => name)
    .join(";");

export const canonicalQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]): [string, string] => [encode(name), encode(value)])
    .sort(byBytes)
    .map((pair) => pair.join("="))
    .join("&");

const byBytes = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);

export const encodePath = (path: string): string => path.split("/").map(encode).join("/");

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

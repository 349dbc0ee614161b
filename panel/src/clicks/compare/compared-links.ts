/** Names of compared links in the address of their page. */
export const MOST_COMPARED = 5;

/** Domain and code, such as `go.example.com/spring`; of the default domain `/spring`. */
export const comparedKey = ({ code, domain }: { code: string; domain?: string | null | undefined }): string =>
  `${domain ?? ""}/${code}`;

export function comparedPlace(key: string): { code: string; domain: string | undefined } {
  const at = key.indexOf("/");
  return { code: key.slice(at + 1), domain: key.slice(0, at) || undefined };
}

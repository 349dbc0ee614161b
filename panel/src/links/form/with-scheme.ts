const HOST = /^[^\s/@:?#]+\.\p{L}{2,}(:\d+)?($|[/?#])/u;

/** Adds the scheme to an address such as `example.com/page`. Trims anything else. */
export function withScheme(text: string): string {
  const address = text.trim();
  return HOST.test(address) ? `https://${address}` : address;
}

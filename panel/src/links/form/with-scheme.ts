const HOST = /^[^\s/@:?#]+\.\p{L}{2,}(:\d+)?($|[/?#])/u;

/** An address as people write it, such as `example.com/page`, with its scheme. Anything else only trimmed. */
export function withScheme(text: string): string {
  const address = text.trim();
  return HOST.test(address) ? `https://${address}` : address;
}

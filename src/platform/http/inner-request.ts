/** Headers that a request to the API in this process has from the one it serves: who asks, from where, by which address. */
const PASSED = [
  "authorization",
  "host",
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
];

export function passedHeaders(from: Request, more: Readonly<Record<string, string>> = {}): Headers {
  const headers = new Headers();
  for (const name of PASSED) {
    const value = from.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return headers;
}

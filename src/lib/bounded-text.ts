/** Throws `tooLong()` beyond `most` bytes. */
export async function readBounded(response: Response, most: number, tooLong: () => Error): Promise<string> {
  let text = "";
  let size = 0;
  const decoder = new TextDecoder();
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > most) throw tooLong();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

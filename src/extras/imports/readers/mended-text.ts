/** Code points of windows-1252 from 0x80 on that differ from latin1, by byte. */
const HIGH = new Map(
  [...new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 32 }, (_, at) => 0x80 + at))].map(
    (char, at) => [char.charCodeAt(0), 0x80 + at],
  ),
);
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Mends UTF-8 that was read as latin1 and written as UTF-8 again ("MÃ¼nchen"), where that is certain: all of the text
 * has a byte in windows-1252, and those bytes are UTF-8. Otherwise the text stays.
 */
export function mendedText(text: string): string {
  if (!/[\u00c2-\u00f4]/.test(text)) return text;
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const byte = HIGH.get(code) ?? (code <= 0xff ? code : null);
    if (byte === null) return text;
    bytes[at] = byte;
  }
  try {
    return decoder.decode(bytes);
  } catch {
    return text;
  }
}

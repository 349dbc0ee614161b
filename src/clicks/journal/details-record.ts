/** A visitor's headers in a record of kind 2 or 7 (format.ts). */
import { RECORD_BYTES } from "./format.ts";

/** As sent; null for a missing header. */
export type VisitDetails = {
  referrer: string | null;
  /** Percent-encoded. */
  utmSource: string | null;
  userAgent: string | null;
  /** If it is recorded. */
  address: string;
};

const MOST_REFERRER = 2_048;
/** Three per stored byte. */
const MOST_UTM_SOURCE = 768;
const MOST_USER_AGENT = 1_024;
const MOST_ADDRESS = 45;
const NOT_SENT = 0xffff;

/** Offsets of lengths and texts. */
const LENGTHS_AT = 16;
const TEXTS_AT = 24;
/** The longest record within these bounds. */
const LONGEST_RECORD = 3_920;

/** Missing in the types. Half the cost of `write`. */
type Bytes = Buffer & { latin1Write(text: string, start: number, length: number): number };

/** Its words from 4 on hold the details. */
export type DetailsRecord = {
  readonly words: Int32Array;
  /** Takes each header's first bytes. Returns the record's length in bytes. Allocates nothing. */
  write(referrer: string | null, utmSource: string | null, userAgent: string | null, address: string): number;
};

export function createDetailsRecord(): DetailsRecord {
  const bytes = Buffer.alloc(LONGEST_RECORD + RECORD_BYTES) as Bytes;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  let end = 0;

  /** Header texts have one byte per character. */
  const put = (text: string | null, most: number, lengthAt: number): void => {
    let length = NOT_SENT;
    if (text !== null) {
      length = Math.min(text.length, most);
      bytes.latin1Write(text, end, length);
      end += length;
    }
    bytes[lengthAt] = length & 0xff;
    bytes[lengthAt + 1] = length >> 8;
  };

  return {
    words,
    write(referrer, utmSource, userAgent, address) {
      end = TEXTS_AT;
      put(referrer, MOST_REFERRER, LENGTHS_AT);
      put(utmSource, MOST_UTM_SOURCE, LENGTHS_AT + 2);
      put(userAgent, MOST_USER_AGENT, LENGTHS_AT + 4);
      const length = Math.min(address.length, MOST_ADDRESS);
      if (length > 0) bytes.latin1Write(address, end, length);
      end += length;
      bytes[LENGTHS_AT + 6] = length;
      bytes[LENGTHS_AT + 7] = 0;
      while (end % RECORD_BYTES !== 0) bytes[end++] = 0;
      return end;
    },
  };
}

/** Invalid UTF-8 becomes U+FFFD. */
export function readDetails(bytes: Buffer, at: number): VisitDetails {
  let end = at + TEXTS_AT;
  const take = (lengthAt: number): string | null => {
    const length = bytes.readUInt16LE(at + lengthAt);
    if (length === NOT_SENT) return null;
    const start = end;
    end += length;
    return bytes.toString("utf8", start, end);
  };
  const referrer = take(LENGTHS_AT);
  const utmSource = take(LENGTHS_AT + 2);
  const userAgent = take(LENGTHS_AT + 4);
  const address = bytes.toString("latin1", end, end + bytes[at + LENGTHS_AT + 6]!);
  return { referrer, utmSource, userAgent, address };
}

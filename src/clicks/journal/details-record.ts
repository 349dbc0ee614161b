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
  /** Accept-Language; its first language is kept. */
  language: string | null;
  /** Pairs of a query with the keys `utm_…`, percent-encoded: those of the request, then those of the target. */
  campaign: string | null;
  /** Number of the rule that decided, from 1; 0: none. */
  rule: number;
  /** Below 2^53; 0: not known. */
  visitor: number;
};

const MOST_REFERRER = 2_048;
/** Three per stored byte. */
const MOST_UTM_SOURCE = 768;
const MOST_USER_AGENT = 1_024;
/** An IPv6 address with an IPv4 one in it, behind its mark (ONLY_LOCATED). */
const MOST_ADDRESS = 46;
/** Longer tags do not exist. */
const MOST_LANGUAGE = 36;
const MOST_CAMPAIGN = 2_048;
const COMMA = 44;
const NOT_SENT = 0xffff;

/** Offsets of lengths and texts. */
const LENGTHS_AT = 16;
const TEXTS_AT = 24;
/** Flags. MORE: rule, and lengths of language (u8) and campaign (u16), behind the address. */
const FLAGS_AT = LENGTHS_AT + 7;
const MORE = 1;
const MORE_BYTES = 4;
/** It stands before the texts. */
const VISITOR = 2;
const VISITOR_BYTES = 8;
/** Its length is a byte, in units of 16. The campaign is shortened, by whole pairs. */
const LONGEST_RECORD = 4_080;

/** Missing in the types. Half the cost of `write`. */
type Bytes = Buffer & { latin1Write(text: string, start: number, length: number): number };

/** Its words from 4 on hold the details. */
type DetailsRecord = {
  readonly words: Int32Array;
  /** Takes each header's first bytes. Returns the record's length in bytes. Allocates nothing. */
  write(details: VisitDetails): number;
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

  const putMore = (language: string, campaign: string, rule: number): void => {
    const at = end;
    end += MORE_BYTES;
    bytes[at] = rule;
    // For so few characters half the cost of latin1Write.
    let index = 0;
    for (; index < MOST_LANGUAGE && index < language.length; index++) {
      const unit = language.charCodeAt(index);
      if (unit === COMMA) break;
      bytes[end++] = unit;
    }
    bytes[at + 1] = index;
    const length =
      campaign === "" ? 0 : lengthOfPairs(campaign, Math.min(MOST_CAMPAIGN, LONGEST_RECORD - end));
    bytes[at + 2] = length & 0xff;
    bytes[at + 3] = length >> 8;
    if (length > 0) bytes.latin1Write(campaign, end, length);
    end += length;
  };

  return {
    words,
    write({ referrer, utmSource, userAgent, address, language, campaign, rule, visitor }) {
      end = TEXTS_AT;
      if (visitor > 0) {
        bytes.writeDoubleLE(visitor, end);
        end += VISITOR_BYTES;
      }
      put(referrer, MOST_REFERRER, LENGTHS_AT);
      put(utmSource, MOST_UTM_SOURCE, LENGTHS_AT + 2);
      put(userAgent, MOST_USER_AGENT, LENGTHS_AT + 4);
      const length = Math.min(address.length, MOST_ADDRESS);
      if (length > 0) bytes.latin1Write(address, end, length);
      end += length;
      bytes[LENGTHS_AT + 6] = length;
      const hasMore = language !== null || campaign !== null || rule > 0;
      bytes[FLAGS_AT] = (hasMore ? MORE : 0) | (visitor > 0 ? VISITOR : 0);
      if (hasMore) putMore(language ?? "", campaign ?? "", rule);
      while (end % RECORD_BYTES !== 0) bytes[end++] = 0;
      return end;
    },
  };
}

/** Invalid UTF-8 becomes U+FFFD. */
export function readDetails(bytes: Buffer, at: number): VisitDetails {
  const flags = bytes[at + FLAGS_AT]!;
  const isKnown = (flags & VISITOR) !== 0;
  const visitor = isKnown ? bytes.readDoubleLE(at + TEXTS_AT) : 0;
  let end = at + TEXTS_AT + (isKnown ? VISITOR_BYTES : 0);
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
  const addressEnd = end + bytes[at + LENGTHS_AT + 6]!;
  const address = bytes.toString("latin1", end, addressEnd);
  const sent = { referrer, utmSource, userAgent, address, visitor };
  if ((flags & MORE) === 0) return { ...sent, language: null, campaign: null, rule: 0 };
  const languageAt = addressEnd + MORE_BYTES;
  const campaignAt = languageAt + bytes[addressEnd + 1]!;
  return {
    ...sent,
    language: bytes.toString("latin1", languageAt, campaignAt) || null,
    campaign: bytes.toString("utf8", campaignAt, campaignAt + bytes.readUInt16LE(addressEnd + 2)) || null,
    rule: bytes[addressEnd]!,
  };
}

/** Whole pairs within the bound. */
const lengthOfPairs = (campaign: string, most: number): number =>
  campaign.length <= most ? campaign.length : Math.max(0, campaign.lastIndexOf("&", most));
